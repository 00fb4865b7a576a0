"""The keys of each file in `config/`: a module a file, a frozen dataclass a table, a field with its explanation a key.

This is the table that drives everything: to add a key, add a field.
"""
