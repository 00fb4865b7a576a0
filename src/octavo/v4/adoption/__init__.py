"""The adoption report of a v4 project: settings, code, definitions, plugins and the database.

`examine.examine` creates it, without running project code and without writing anything.
"""
