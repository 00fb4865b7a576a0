"""What a database is asked to tell which tables it has."""

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    """Statements that tell which tables there are; types and names are the database's own.

    Rows of `columns`: table, column, type, nullable, default; of `indexes`: table, index, unique, condition, column
    (a row for each); of `foreign_keys`: table, name, column, target, what happens on delete.
    """

    columns: str
    indexes: str
    foreign_keys: str
