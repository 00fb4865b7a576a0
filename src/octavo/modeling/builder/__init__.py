"""The content-type builder without HTTP: forms, what a change means for all definitions, files, renames."""
