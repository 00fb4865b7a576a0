"""Generate new files for a project: definitions and code. Existing files are never overwritten."""
