"""An operator's day: two nodes behind nginx and PostgreSQL under load, and what goes wrong around them.

`make drill` runs it. Each step states what is expected, measures what happens, and fails on a difference.
"""
