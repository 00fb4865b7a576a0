"""The APIs: HTTP, REST, GraphQL and the admin API."""
