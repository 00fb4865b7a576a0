"""Content: validate, read and write entries with their components, relations and files."""
