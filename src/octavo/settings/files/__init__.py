"""The keys of each file in `config/`: a module per file, a frozen dataclass per table, a field per key.

To add a key, add a field: loading, checks and the reference are all derived from it.
"""
