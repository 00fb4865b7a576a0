"""Export a project's content, files and settings to an archive."""
