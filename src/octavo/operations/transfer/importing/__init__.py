"""An archive's content, files and settings in the place of a project's."""
