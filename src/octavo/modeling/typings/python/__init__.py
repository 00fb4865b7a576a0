"""The types of a project as one module of Python, for its own code."""
