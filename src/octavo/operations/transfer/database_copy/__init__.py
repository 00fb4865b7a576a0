"""Copy a project's database to another one, on SQLite or PostgreSQL."""
