"""Storage for uploaded files: one interface, and a module per provider."""
