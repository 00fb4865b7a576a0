"""Texts of INSERT, UPDATE and DELETE statements, by the shape of a change: tables, columns, and how many rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from octavo.schema.scalar_types import ValueKind
from octavo.sql.dialects.base import Dialect
from octavo.sql.physical_names import LinkTable
from octavo.sql.quoting import quote

_INTEGER, _FLOAT = ValueKind.INTEGER, ValueKind.FLOAT


@dataclass(frozen=True, slots=True)
class Target:
    """A column that values go into."""

    name: str
    kind: ValueKind


TextT = TypeVar("TextT", bound=Callable[..., str])
MOST_REMEMBERED_ROWS = 64


def remembered(function: TextT) -> TextT:
    """Remember the texts of small statements; those of large ones differ from request to request."""
    small = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def text(*shape: Any) -> str:
        for part in shape:
            if part.__class__ is int and part > MOST_REMEMBERED_ROWS:
                return function(*shape)
        return small(*shape)

    return cast(TextT, text)


def _numbered(dialect: Dialect, kinds: Sequence[ValueKind], rows: int) -> list[str]:
    """The placeholders of each row, in parentheses."""
    width = len(kinds)
    return [
        "(" + ", ".join(dialect.placeholder(row * width + i + 1, kind) for i, kind in enumerate(kinds)) + ")"
        for row in range(rows)
    ]


@remembered
def insert_text(dialect: Dialect, table: str, columns: tuple[Target, ...], rows: int, returning: bool) -> str:
    """Insert so many rows, `returning` their ids or not."""
    names = ", ".join(quote(column.name) for column in columns)
    values = ", ".join(_numbered(dialect, [column.kind for column in columns], rows))
    return f"INSERT INTO {quote(table)} ({names}) VALUES {values}{' RETURNING id' if returning else ''}"


@remembered
def update_text(dialect: Dialect, table: str, columns: tuple[Target, ...]) -> str:
    """Update the row whose id is the last value."""
    settings = ", ".join(
        f"{quote(column.name)} = {dialect.placeholder(number, column.kind)}"
        for number, column in enumerate(columns, start=1)
    )
    return f"UPDATE {quote(table)} SET {settings} WHERE id = {dialect.placeholder(len(columns) + 1, _INTEGER)}"


@remembered
def update_rows_text(dialect: Dialect, table: str, columns: tuple[Target, ...], rows: int) -> str:
    """Update so many rows; each is an id and its values."""
    settings = ", ".join(f"{quote(column.name)} = n.column{number}" for number, column in enumerate(columns, start=2))
    values = ", ".join(_numbered(dialect, [_INTEGER, *(column.kind for column in columns)], rows))
    return f"UPDATE {quote(table)} SET {settings} FROM (VALUES {values}) n WHERE id = n.column1"


@remembered
def where_text(dialect: Dialect, keys: tuple[tuple[str, ValueKind], ...], places: int) -> str:
    """The condition that keys have the values of one of so many places."""
    kinds = [kind for _, kind in keys]
    names = ", ".join(quote(name) for name, _ in keys)
    values = _numbered(dialect, kinds, places)
    if len(keys) == 1:
        return f" WHERE {names} IN ({', '.join(value[1:-1] for value in values)})"
    return f" WHERE ({names}) IN (VALUES {', '.join(values)})"


@remembered
def add_links_text(dialect: Dialect, table: LinkTable, rows: int, width: int) -> str:
    """A pair that is linked already stays; a new source of a target comes last among its sources."""
    names = [quote(table.source_column), quote(table.target_column)]
    chosen = ["n.column1", "n.column2"]
    if table.order_column is not None:
        names.append(quote(table.order_column))
        chosen.append("n.column3")
    if table.inverse_order_column is not None:
        inverse = quote(table.inverse_order_column)
        names.append(inverse)
        chosen.append(
            f"coalesce((SELECT max(o.{inverse}) FROM {quote(table.name)} o"
            f" WHERE o.{quote(table.target_column)} = n.column2), 0) + 1"
        )
    values = ", ".join(_numbered(dialect, (_INTEGER, _INTEGER, _FLOAT)[:width], rows))
    return (
        f"INSERT INTO {quote(table.name)} ({', '.join(names)}) SELECT {', '.join(chosen)}"
        f" FROM (VALUES {values}) n WHERE true ON CONFLICT DO NOTHING"
    )


@remembered
def order_links_text(dialect: Dialect, table: LinkTable, rows: int) -> str:
    """Give so many targets their places: target and place, and the source as the last value."""
    values = ", ".join(_numbered(dialect, (_INTEGER, _FLOAT), rows))
    source = dialect.placeholder(rows * 2 + 1, _INTEGER)
    return (
        f"UPDATE {quote(table.name)} SET {quote(str(table.order_column))} = n.column2 FROM (VALUES {values}) n"
        f" WHERE {quote(table.source_column)} = {source} AND {quote(table.target_column)} = n.column1"
    )
