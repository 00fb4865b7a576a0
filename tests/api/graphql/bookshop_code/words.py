"""A module that `index.py` imports."""

GREETING = "hello"
