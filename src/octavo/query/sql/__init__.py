"""How it is said: text and parameters, no connection."""
