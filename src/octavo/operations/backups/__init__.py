"""Database backups: create, verify, retain and restore them."""
