"""Bulk inserts into system tables."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.statement import Statement

_SIZES: Final = (64, 8, 1)
"""Row counts of the insert statements. There are few, so that few statements are prepared."""


@dataclass(frozen=True)
class SystemRows:
    """`columns` have a value per row; `shared` maps columns to an expression of a RawStatement for all rows."""

    table: str
    columns: tuple[str, ...]
    shared: Mapping[str, str]

    def insert(self, dialect: Dialect, rows: Sequence[tuple[Any, ...]], **shared: Any) -> Iterator[Statement]:
        """Yield the statements that insert rows, each with a value for every column. `shared` are the common values."""
        inserts = _inserts(self.table, self.columns, tuple(self.shared.items()))
        done = 0
        for size in _SIZES:
            while len(rows) - done >= size:
                values = {f"v{n}": value for n, value in enumerate(_flat(rows[done : done + size]))}
                yield inserts[size].bind(dialect, **values, **shared)
                done += size


@lru_cache(maxsize=16)
def _inserts(table: str, columns: tuple[str, ...], shared: tuple[tuple[str, str], ...]) -> dict[int, RawStatement]:
    names = ", ".join((*columns, *(column for column, _ in shared)))

    def row(number: int) -> str:
        own = (f"{{v{number * len(columns) + n}}}" for n in range(len(columns)))
        return f"({', '.join((*own, *(value for _, value in shared)))})"

    return {
        size: RawStatement(f"INSERT INTO {table} ({names}) VALUES {', '.join(map(row, range(size)))}")
        for size in _SIZES
    }


def _flat(rows: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    for row in rows:
        yield from row
