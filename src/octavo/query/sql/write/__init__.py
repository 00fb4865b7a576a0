"""Saying what is changed: changes and facts to statements."""
