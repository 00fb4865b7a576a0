"""Renames and conversions of attributes, with the definition files and the stored data."""
