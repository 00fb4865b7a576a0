"""New files for a project: definitions and code, begun as they are usually written. Nothing is ever overwritten."""
