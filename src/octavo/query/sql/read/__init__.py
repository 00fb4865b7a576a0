"""Compile read plans to SELECT statements."""
