"""Generate the types of a project as one Python module, for its own code."""
