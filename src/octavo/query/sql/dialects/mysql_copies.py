"""Convert columns on MySQL and MariaDB, where each change of a table is committed immediately.

One ALTER TABLE replaces a column by its copy: InnoDB applies it completely or not at all.
"""

from collections.abc import Iterable
from typing import Final

from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import ColumnCopies, Dialect, Statements

_WHOLE: Final = r"^[[:space:]]*[-+]?[0-9]+[[:space:]]*$"
_NUMBER: Final = r"^[[:space:]]*[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?[[:space:]]*$"
_WITHIN: Final = "{{0}} REGEXP '{}' AND {} BETWEEN {} AND {}"
_FITS: Final = {
    "int": _WITHIN.format(_WHOLE, "CAST({0} AS DECIMAL(65))", -(2**31), 2**31 - 1),
    "int unsigned": _WITHIN.format(_WHOLE, "CAST({0} AS DECIMAL(65))", 0, 2**32 - 1),
    "bigint": _WITHIN.format(_WHOLE, "CAST({0} AS DECIMAL(65))", -(2**63), 2**63 - 1),
    "double": _WITHIN.format(_NUMBER, "{0} + 0e0", "-1.797693134862315e308", "1.797693134862315e308"),
    "double unsigned": _WITHIN.format(_NUMBER, "{0} + 0e0", "0", "1.797693134862315e308"),
    "decimal(10,2)": _WITHIN.format(_NUMBER, "CAST({0} AS DECIMAL(65, 2))", "-99999999.99", "99999999.99"),
    "tinyint(1)": "{} IN ('0', '1')",
    "date": "CAST({} AS DATE) IS NOT NULL",
    "time(3)": "CAST({} AS TIME(3)) BETWEEN TIME'00:00:00' AND TIME'23:59:59.999'",
    "datetime(6)": "CAST({} AS DATETIME) IS NOT NULL",
    "timestamp(6)": (
        "CAST({} AS DATETIME(6)) BETWEEN TIMESTAMP'1970-01-01 00:00:01' AND TIMESTAMP'2038-01-19 03:14:07.999999'"
    ),
    "json": "json_valid({})",
    "varchar(255)": "char_length({}) <= 255",
}
"""The condition that a text can be converted to a type. Other types accept every text.

UPDATE IGNORE would replace a number that is out of range by the nearest one.
"""


class MysqlCopies(ColumnCopies):
    """The statements for copies of columns in `dialect`."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    unlock = "UNLOCK TABLES"

    def lock(self, table: str) -> str:
        return f"LOCK TABLES {self._dialect.quote(table)} WRITE"

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
        renamed = f"RENAME COLUMN {quote(self.name(column))} TO {quote(column)}"
        return self._altered(table, (f"DROP COLUMN {quote(column)}", renamed), dropped, created)

    def change_type(
        self, table: str, column: Column, safe: bool, dropped: Iterable[Index] = (), created: Iterable[Index] = ()
    ) -> Statements:
        place, name = self._dialect.quote(table), self._dialect.quote(column.name)
        if safe:
            required = "" if column.nullable else " NOT NULL"
            return (self._altered(table, (f"MODIFY COLUMN {name} {column.type}{required}",), dropped, created),)
        copy, text = self._dialect.quote(self.name(column.name)), f"CAST({name} AS CHAR)"
        fits = _FITS.get(column.type, "true").format(text)
        return (
            self.lock(table),
            self.drop(table, column.name),
            f"ALTER TABLE {place} ADD COLUMN {copy} {column.type}",
            f"UPDATE IGNORE {place} SET {copy} = CASE WHEN {fits} THEN {text} END",
            self.swap(table, column.name, dropped, created),
            self.unlock,
        )

    def _altered(self, table: str, changes: Iterable[str], dropped: Iterable[Index], created: Iterable[Index]) -> str:
        """Return the statement that changes a table and its indexes."""
        drops = (f"DROP INDEX {self._dialect.quote(index.name)}" for index in dropped)
        return f"ALTER TABLE {self._dialect.quote(table)} {', '.join((*drops, *changes, *map(self._added, created)))}"

    def _added(self, index: Index) -> str:
        unique = "UNIQUE " if index.unique else ""
        return f"ADD {unique}INDEX {self._dialect.quote(index.name)} ({self._dialect.index_terms(index)})"
