"""What it means for a v4 project to move in: one report of settings, code, definitions, plugins and the database.

`examine.examine` makes it; nothing of the project is run and nothing is written.
"""
