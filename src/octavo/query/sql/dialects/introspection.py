"""Introspection: the queries for a database's existing tables."""

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    """Queries for existing tables. Types and names are the database's own.

    Rows of `columns`: table, column, type, nullable, default; of `indexes`: table, index, unique, condition, column
    (a row for each column); of `foreign_keys`: table, name, column, target, action on delete.
    """

    columns: str
    indexes: str
    foreign_keys: str
