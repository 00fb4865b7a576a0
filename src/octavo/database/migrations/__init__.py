"""Project migrations: files in `database/migrations`, each run once, in order, before the schema is synchronized.

`files` finds them, `ledger` records which have run, `runner` runs the others; `transaction` is the API for Python.
"""
