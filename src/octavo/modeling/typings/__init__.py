"""Types of a project's content for those who write against it: TypeScript for front ends, Python for its own code."""
