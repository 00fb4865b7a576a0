"""Saying how tables are defined: what is wanted, and what must change for it."""
