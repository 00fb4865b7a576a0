"""Entries as wholes: reading, writing, validating; locales and files."""
