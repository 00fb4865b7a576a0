"""`octavo adopt --rehearse`: v4 and Octavo write to a copy of a project in turn, and the responses are compared."""
