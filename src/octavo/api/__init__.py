"""The APIs: HTTP, REST, GraphQL and the administrators' API."""
