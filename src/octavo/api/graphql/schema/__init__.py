"""Build the GraphQL schema from the content types."""
