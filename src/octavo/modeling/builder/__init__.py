"""The content type builder without HTTP: validation of forms, effects on all definitions, files, renames."""
