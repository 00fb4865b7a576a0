"""Generate types of a project's content: TypeScript for front ends, Python for its own code."""
