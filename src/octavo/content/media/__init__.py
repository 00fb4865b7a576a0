"""Uploaded files: recognised, processed, stored, put into entries."""
