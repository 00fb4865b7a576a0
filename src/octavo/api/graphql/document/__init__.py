"""Parse, limit, validate and cache GraphQL documents."""
