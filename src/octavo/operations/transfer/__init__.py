"""Content and projects on the move: sample content, new project folders."""
