"""Compile changes and facts to statements."""
