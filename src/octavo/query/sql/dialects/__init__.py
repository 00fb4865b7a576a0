"""Dialects: one object per database. SQL differences between databases are handled here only."""
