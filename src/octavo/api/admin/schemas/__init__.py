"""The bodies of the admin API as TypedDicts, a module for each area.

Rows refer to them (`AdminOperation.body`, `.answer`), `admin.contract` converts them to TypeScript, and tests
validate responses with them.
"""
