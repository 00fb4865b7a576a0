"""Read the requests of a front end from its source code. No code is ever run."""
