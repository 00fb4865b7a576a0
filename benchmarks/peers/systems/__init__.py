"""The systems that are compared: how each is set up, started and queried."""
