"""The GraphQL API. Requires `graphql-core`, so import its modules only if the plugin is enabled."""
