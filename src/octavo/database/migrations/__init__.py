"""Migrations of a project's own: files in `database/migrations`, each run once, in order, before the tables are looked
at.

`files` finds them, `ledger` remembers which have run, `runner` runs the others; `transaction` is what Python gets.
"""
