"""Rows of tables, with values that mean the same on every database."""
