"""Convert columns on MySQL and MariaDB, where each change of a table is committed immediately.

One ALTER TABLE replaces a column by its copy: InnoDB applies it completely or not at all.
"""

from collections.abc import Iterable

from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.dialects.base import ColumnCopies, Dialect


class MysqlCopies(ColumnCopies):
    """The statements for copies of columns in `dialect`."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def drop(self, table: str, column: str) -> str:
        # MySQL has no DROP COLUMN IF EXISTS.
        quote, literal, copy = self._dialect.quote, self._dialect.literal, self.name(column)
        drop = literal(f"ALTER TABLE {quote(table)} DROP COLUMN {quote(copy)}")
        return (
            f"SET @octavo = (SELECT coalesce(max({drop}), 'DO 0') FROM information_schema.columns"
            f" WHERE table_schema = database() AND table_name = {literal(table)} AND column_name = {literal(copy)});"
            "PREPARE octavo FROM @octavo;EXECUTE octavo;DEALLOCATE PREPARE octavo"
        )

    def swap(self, table: str, column: str, dropped: Iterable[Index] = (), created: Iterable[Index] = ()) -> str:
        quote = self._dialect.quote
        parts = (
            *(f"DROP INDEX {quote(index.name)}" for index in dropped),
            f"DROP COLUMN {quote(column)}",
            f"RENAME COLUMN {quote(self.name(column))} TO {quote(column)}",
            *map(self._added, created),
        )
        return f"ALTER TABLE {quote(table)} {', '.join(parts)}"

    def _added(self, index: Index) -> str:
        unique = "UNIQUE " if index.unique else ""
        return f"ADD {unique}INDEX {self._dialect.quote(index.name)} ({self._dialect.index_terms(index)})"
