"""Emulate RETURNING: MySQL has no such clause, and MariaDB has none for UPDATE.

A statement with the clause is recognized by its end, as `Dialect.returning` builds it. It is replaced by two or three
others of the same transaction, which lock the rows that they find.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

from octavo.core.values import dataclass

_CLAUSE: Final = re.compile(r"\s+RETURNING\s+([\w*`\".]+(?:\s*,\s*[\w*`\".]+)*)\s*$")
_INSERT: Final = re.compile(r"\s*INSERT\s+INTO\s+(`[^`]+`|\w+)", re.IGNORECASE)
_DELETE: Final = re.compile(r"\s*DELETE\s+FROM\s+(`[^`]+`|\w+)\s+(WHERE\b.*)", re.IGNORECASE | re.DOTALL)
_UPDATE: Final = re.compile(r"\s*UPDATE\s+(`[^`]+`|\w+)\s+SET\b", re.IGNORECASE)
_WORD: Final = re.compile(r"""'(?:[^'\\]|\\.|'')*'|`[^`]*`|[()]|\bWHERE\b""", re.IGNORECASE | re.DOTALL)
_UPSERT: Final = re.compile(r"\bON\s+DUPLICATE\s+KEY\s+UPDATE\b", re.IGNORECASE)
_COLUMNS: Final = re.compile(r"\s*\(([^()]*)\)\s*VALUES\s*\(", re.IGNORECASE)


class Kind(Enum):
    """The kind of statement."""

    INSERT = "insert"
    UPSERT = "upsert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Returning:
    """A statement with the clause.

    `text` is the statement without it, `columns` are those to return. `condition` is the WHERE clause of an UPDATE or
    DELETE, or that which finds the row of an upsert by its first column, `change` an UPDATE without its WHERE clause.
    """

    kind: Kind
    text: str
    table: str
    columns: str
    condition: str = ""
    change: str = ""

    @property
    def key(self) -> str:
        """The column that identifies the rows: the id, or the first column that the statement returns.

        Without an id, the first column of an UPDATE must be a key of the table, which the statement does not change.
        """
        names = self.names
        return "id" if "id" in names or names == ("*",) else names[0]

    @property
    def names(self) -> Sequence[str]:
        """The columns to return."""
        return tuple(name.strip() for name in self.columns.split(","))

    @property
    def shown(self) -> str:
        """The columns to return after others."""
        return f"{self.table}.*" if self.names == ("*",) else self.columns

    def select(self, condition: str, columns: str = "") -> str:
        """Return the SELECT of the rows with that condition."""
        return f"SELECT {columns or self.columns} FROM {self.table} {condition}"


@lru_cache(maxsize=1024)
def find_returning(text: str) -> Returning | None:
    """Return what a statement with the clause consists of; None for other statements."""
    clause = _CLAUSE.search(text)
    if clause is None:
        return None
    plain, columns = text[: clause.start()], clause[1]
    if inserted := _INSERT.match(plain):
        upsert = _UPSERT.search(plain)
        condition = "" if upsert is None else _first_equals(plain[inserted.end() :])
        kind = Kind.INSERT if upsert is None else Kind.UPSERT
        return Returning(kind, plain, inserted[1], columns, condition)
    if deleted := _DELETE.match(plain):
        return Returning(Kind.DELETE, plain, deleted[1], columns, deleted[2])
    if updated := _UPDATE.match(plain):
        where = _where(plain)
        return Returning(Kind.UPDATE, plain, updated[1], columns, plain[where:], plain[:where])
    return None


def _where(text: str) -> int:
    """Return the position of an UPDATE's own WHERE clause, outside quotes and parentheses."""
    depth = 0
    for word in _WORD.finditer(text):
        if word[0] == "(":
            depth += 1
        elif word[0] == ")":
            depth -= 1
        elif depth == 0 and word[0].upper() == "WHERE":
            return word.start()
    return len(text)


def _first_equals(text: str) -> str:
    """Return the condition that the first column of an INSERT of one row has its value: it is the table's key."""
    columns = _COLUMNS.match(text)
    if columns is None:
        return ""
    depth, end = 0, len(text)
    for at in range(columns.end(), len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")" and depth:
            depth -= 1
        elif text[at] in ",)" and not depth:
            end = at
            break
    return f"WHERE {columns[1].split(',')[0].strip()} = {text[columns.end() : end].strip()}"
