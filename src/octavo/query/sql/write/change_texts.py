"""The texts of INSERT, UPDATE and DELETE statements by the shape of a change: tables, columns, number of rows."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import LinkTable
from octavo.schema.scalar_types import ValueKind

_INTEGER, _FLOAT = ValueKind.INTEGER, ValueKind.FLOAT


@dataclass(frozen=True, slots=True)
class Target:
    """A column that values are written to."""

    name: str
    kind: ValueKind
    later: bool = False
    """Whether the value is a timestamp that must be later than the stored one."""


class Columns(tuple[Target, ...]):
    """Columns in order. Statement texts are cached by them, so their hash is cached, too."""

    def __init__(self, _: Iterable[Target] = ()) -> None:
        self._hash = super().__hash__()

    def __hash__(self) -> int:
        return self._hash


TextT = TypeVar("TextT", bound=Callable[..., str])
MOST_REMEMBERED_ROWS = 64


def remembered(function: TextT) -> TextT:
    """Cache the texts of small statements; large ones differ from request to request."""
    small = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def text(*shape: Any) -> str:
        for part in shape:
            if part.__class__ is int and part > MOST_REMEMBERED_ROWS:
                return function(*shape)
        return small(*shape)

    return cast(TextT, text)


def _numbered(dialect: Dialect, kinds: Sequence[ValueKind], rows: int) -> list[list[str]]:
    """Return the placeholders of each row."""
    width = len(kinds)
    return [[dialect.placeholder(row * width + i + 1, kind) for i, kind in enumerate(kinds)] for row in range(rows)]


@remembered
def insert_text(dialect: Dialect, table: str, columns: Columns, rows: int, returning: bool) -> str:
    """Return the INSERT of `rows` rows, optionally `returning` their ids."""
    names = ", ".join(dialect.quote(column.name) for column in columns)
    numbered = _numbered(dialect, [column.kind for column in columns], rows)
    values = ", ".join(f"({', '.join(row)})" for row in numbered)
    text = f"INSERT INTO {dialect.quote(table)} ({names}) VALUES {values}"
    return f"{text} {dialect.returning('id')}" if returning else text


def _setting(dialect: Dialect, column: Target, value: str) -> str:
    """Return the assignment of a column's new value."""
    name = dialect.quote(column.name)
    return f"{name} = {dialect.later.format(new=value, old=name) if column.later else value}"


@remembered
def update_text(dialect: Dialect, table: str, columns: Columns) -> str:
    """Return the UPDATE of the row whose id is the last value."""
    settings = ", ".join(
        _setting(dialect, column, dialect.placeholder(number, column.kind))
        for number, column in enumerate(columns, start=1)
    )
    return f"UPDATE {dialect.quote(table)} SET {settings} WHERE id = {dialect.placeholder(len(columns) + 1, _INTEGER)}"


@remembered
def update_rows_text(dialect: Dialect, table: str, columns: Columns, rows: int) -> str:
    """Return the UPDATE of `rows` rows; each is an id and its values."""
    settings = ", ".join(
        _setting(dialect, column, dialect.row_column(number)) for number, column in enumerate(columns, start=2)
    )
    values = _numbered(dialect, [_INTEGER, *(column.kind for column in columns)], rows)
    return dialect.update_from(dialect.quote(table), settings, values, f"id = {dialect.row_column(1)}")


@remembered
def where_text(dialect: Dialect, keys: tuple[tuple[str, ValueKind], ...], places: int) -> str:
    """Return the condition that the key columns equal one of `places` tuples of values."""
    kinds = [kind for _, kind in keys]
    return f" WHERE {dialect.among([dialect.quote(name) for name, _ in keys], _numbered(dialect, kinds, places))}"


@remembered
def add_links_text(dialect: Dialect, table: LinkTable, rows: int, width: int, repeated: bool = False) -> str:
    """Return the INSERT of links. Existing links are not changed; a new source is added last among a target's sources.

    `repeated`: a target may be in several rows, which are sorted by source then.
    """
    names = [dialect.quote(table.source_column), dialect.quote(table.target_column)]
    chosen = [dialect.row_column(1), dialect.row_column(2)]
    if table.order_column is not None:
        names.append(dialect.quote(table.order_column))
        chosen.append(dialect.row_column(3))
    if table.inverse_order_column is not None:
        inverse = dialect.quote(table.inverse_order_column)
        names.append(inverse)
        chosen.append(
            f"coalesce((SELECT max(o.{inverse}) FROM {dialect.quote(table.name)} o"
            f" WHERE o.{dialect.quote(table.target_column)} = {chosen[1]}), 0) + "
            + (f"row_number() OVER (PARTITION BY {chosen[1]} ORDER BY {chosen[0]})" if repeated else "1")
        )
    values = dialect.rows(_numbered(dialect, (_INTEGER, _INTEGER, _FLOAT)[:width], rows))
    select = f"SELECT {', '.join(chosen)} FROM {values}"
    return dialect.insert_missing(dialect.quote(table.name), ", ".join(names), select)


@remembered
def order_links_text(dialect: Dialect, table: LinkTable, rows: int) -> str:
    """Return the UPDATE of the order of `rows` targets: target and order, and the source as the last value."""
    target, place = dialect.row_column(1), dialect.row_column(2)
    source = dialect.placeholder(rows * 2 + 1, _INTEGER)
    setting = f"{dialect.quote(str(table.order_column))} = {place}"
    condition = f"{dialect.quote(table.source_column)} = {source} AND {dialect.quote(table.target_column)} = {target}"
    rows_of_values = _numbered(dialect, (_INTEGER, _FLOAT), rows)
    return dialect.update_from(dialect.quote(table.name), setting, rows_of_values, condition)
