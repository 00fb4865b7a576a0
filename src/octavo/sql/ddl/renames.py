"""What is called otherwise when definitions are and nothing else changes: tables, columns, indexes, foreign keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from octavo.sql.ddl.tables import Column, ForeignKey, Index, Table

Kind = Literal["table", "column", "index", "foreign_key"]


@dataclass(frozen=True, slots=True)
class Rename:
    """One thing that gets another name. `table` is the name that its table has by then."""

    kind: Kind
    table: str
    old: str
    new: str


def renames(before: Sequence[Table], after: Sequence[Table]) -> Iterator[Rename]:
    """The renames that lead from tables wanted before to those wanted after, in order.

    Both come from the same definitions but for names, so they have the same parts in the same places. Raises ValueError
    where they do not.
    """
    for old, new in zip(before, after, strict=True):
        if old.name != new.name:
            yield Rename("table", new.name, old.name, new.name)
        yield from _parts("column", new.name, old.columns, new.columns)
        yield from _parts("index", new.name, old.indexes, new.indexes)
        yield from _parts("foreign_key", new.name, old.foreign_keys, new.foreign_keys)


def _parts(
    kind: Kind, table: str, before: Sequence[Column | Index | ForeignKey], after: Sequence[Column | Index | ForeignKey]
) -> Iterator[Rename]:
    for old, new in zip(before, after, strict=True):
        if old.name != new.name:
            yield Rename(kind, table, old.name, new.name)
