"""A neighbour that `index.py` imports."""

GREETING = "hello"
