"""Replace a project's content, files and settings with an archive's."""
