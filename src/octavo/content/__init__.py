"""Entries as wholes: read, validated, written."""
