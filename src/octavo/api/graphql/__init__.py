"""The GraphQL door. Needs `graphql-core`; import its modules only where the plugin is switched on."""
