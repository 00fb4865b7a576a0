"""Phase three: what a project's own code says in the schema."""
