"""Many rows at once into a table that no content-type stands for."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.statement import Statement
from octavo.query.sql.system_table_statement import OwnStatement

_SIZES: Final = (64, 8, 1)
"""Rows that one statement inserts, so that databases see few texts."""


@dataclass(frozen=True)
class OwnRows:
    """`columns` differ from row to row; `shared` says a column of all rows in the words of an OwnStatement."""

    table: str
    columns: tuple[str, ...]
    shared: Mapping[str, str]

    def insert(self, dialect: Dialect, rows: Sequence[tuple[Any, ...]], **shared: Any) -> Iterator[Statement]:
        """The statements that insert rows, each a value for every column; `shared` are the values that all have."""
        inserts = _inserts(self.table, self.columns, tuple(self.shared.items()))
        done = 0
        for size in _SIZES:
            while len(rows) - done >= size:
                values = {f"v{n}": value for n, value in enumerate(_flat(rows[done : done + size]))}
                yield inserts[size].bind(dialect, **values, **shared)
                done += size


@lru_cache(maxsize=16)
def _inserts(table: str, columns: tuple[str, ...], shared: tuple[tuple[str, str], ...]) -> dict[int, OwnStatement]:
    names = ", ".join((*columns, *(column for column, _ in shared)))

    def row(number: int) -> str:
        own = (f"{{v{number * len(columns) + n}}}" for n in range(len(columns)))
        return f"({', '.join((*own, *(value for _, value in shared)))})"

    return {
        size: OwnStatement(f"INSERT INTO {table} ({names}) VALUES {', '.join(map(row, range(size)))}")
        for size in _SIZES
    }


def _flat(rows: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    for row in rows:
        yield from row
