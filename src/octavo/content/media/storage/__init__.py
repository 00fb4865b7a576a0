"""Where uploaded files are kept: one interface, a module for each place."""
