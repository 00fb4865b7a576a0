"""Changes of the content model: type builder, generators, renames and generated types."""
