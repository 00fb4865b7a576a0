"""Uploaded files: detect their type, process and store them, link them to entries."""
