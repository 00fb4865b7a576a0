"""Combine changes in one statement, for databases that support writes in a WITH clause.

A write with relations and components then needs one round trip instead of one for each table. All parts of a chain see
the state before it, so they change different tables. Ids of inserted rows are values of the other parts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from octavo.query.plan.changes import (
    AddLinks,
    AddMorphs,
    AttachComponents,
    AttachFiles,
    Change,
    DeleteRows,
    DetachComponents,
    DetachFiles,
    InsertRows,
    OrderLinks,
    RemoveInverseMorphs,
    RemoveLinks,
    RemoveMorphs,
    RowRef,
    TakeLinks,
    UpdateRow,
    UpdateRows,
)
from octavo.query.sql.dialects.chains import Chain, ChainPart
from octavo.query.sql.physical_names import FILES_MORPHS, component_table, link_table, morph_table, table_name
from octavo.query.sql.statement import Statement
from octavo.schema.registry import Registry

_OFTEN: Final = 3
"""How often a chain must occur before it is compiled: a one-time statement is not worth its query plan."""
_MOST_CHAINS: Final = 64
_MOST_VALUES: Final = 256
_MOST_TEXT: Final = 16 * 1024

_TABLES: Final[Mapping[type, Callable[[Registry, Any], str]]] = {
    **dict.fromkeys((InsertRows, UpdateRow, UpdateRows, DeleteRows), lambda _, change: table_name(change.definition)),
    **dict.fromkeys((AttachComponents, DetachComponents), lambda _, change: component_table(change.owner).name),
    **dict.fromkeys(
        (AddLinks, RemoveLinks, TakeLinks, OrderLinks),
        lambda registry, change: link_table(registry, change.owner, change.relation).name,
    ),
    **dict.fromkeys((AttachFiles, DetachFiles), lambda _, change: FILES_MORPHS),
    **dict.fromkeys(
        (AddMorphs, RemoveMorphs, RemoveInverseMorphs),
        lambda _, change: morph_table(change.owner, change.relation.name).name,
    ),
}
_OF_NEW_ROWS: Final = (AttachComponents, AddLinks, AttachFiles, AddMorphs)
"""Changes that can refer to rows inserted before them."""


class Step(NamedTuple):
    """A statement of a change. Its values can be references to rows that do not exist yet. `refs` are the rows that it
    inserts; their ids are returned in any order.
    """

    statement: Statement
    refs: tuple[RowRef, ...] = ()

    def resolved(self) -> Statement:
        """Return the statement after the rows that it refers to have been inserted."""
        values = self.statement.values
        if RowRef not in map(type, values):
            return self.statement
        return Statement(self.statement.text, tuple(int(it) if it.__class__ is RowRef else it for it in values))


class Group(NamedTuple):
    """Changes that can be one statement, and the tables that they change."""

    changes: list[Change]
    tables: set[str]

    def inserts(self) -> bool:
        """Return whether other groups can refer to its rows."""
        return any(isinstance(change, InsertRows) for change in self.changes)


def chainable(registry: Registry, changes: Iterable[Change]) -> Iterator[Group]:
    """Split changes into as few groups as possible, each of which can be one statement. Changes of one table, and those
    that refer to new rows, stay in order."""
    groups: list[Group] = []
    for change in changes:
        table = changed_table(registry, change)
        if table is None:
            yield from groups
            yield Group([change], set())
            groups = []
            continue
        place = _first_place(groups, change, table)
        if place == len(groups):
            groups.append(Group([], set()))
        groups[place].changes.append(change)
        groups[place].tables.add(table)
    yield from groups


def _first_place(groups: Sequence[Group], change: Change, table: str) -> int:
    """Return the index of the first group that a change can belong to."""
    for place in reversed(range(len(groups))):
        if table in groups[place].tables:
            return place + 1
        if isinstance(change, _OF_NEW_ROWS) and groups[place].inserts():
            return place
    return 0


class Joined(NamedTuple):
    """Steps as one statement. If it `is_new`, `Chain.guards` decides between `Chains.keep` and `Chains.refuse`."""

    statement: Statement
    is_new: bool


class Chains:
    """The frequent chains, cached by their shape."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._known: dict[tuple[ChainPart, ...], int | str | None] = {}

    def join(self, steps: Sequence[Step]) -> Joined | None:
        """Return one statement for all steps. It returns one row with the ids of all `refs`. None: run them one by
        one."""
        if not _is_small(steps):
            return None
        text, is_new = self._text(_shape(steps))
        if text is None:
            return None
        values = tuple(it for step in steps for it in step.statement.values if it.__class__ is not RowRef)
        return Joined(Statement(text, values), is_new)

    def text(self, steps: Sequence[Step]) -> str | None:
        """Return the combined statement of steps with this shape, however frequent they are."""
        return self._chain.join(_shape(steps)) if _is_small(steps) else None

    def rows(self, steps: Sequence[Step], selected: str) -> str | None:
        """Return the statement of all steps that selects columns from one of their WITH tables. None if it is too
        large."""
        return self._chain.join(_shape(steps), selected) if _is_bounded(steps) else None

    def refused(self, check: Statement) -> Statement:
        """Return the statement of a number, named `id`, that fails unless the number is zero."""
        return Statement(self._chain.refused(check.text), check.values)

    def guards(self, tables: Iterable[str]) -> str:
        """Return the SELECT of a row if chains that change these tables must be refused."""
        return self._chain.guards(sorted(tables))

    def changed_later(self, table: str) -> str:
        """Return the SELECT of a row if a trigger may change a table's written rows before the commit."""
        return self._chain.changed_later(table)

    def keep(self, steps: Sequence[Step], statement: Statement) -> None:
        """Use this statement for steps of this shape from now on."""
        self._known[_shape(steps)] = statement.text

    def refuse(self, steps: Sequence[Step]) -> None:
        """Run steps of this shape one by one from now on."""
        self._known[_shape(steps)] = None

    def _text(self, shape: tuple[ChainPart, ...]) -> tuple[str | None, bool]:
        """Return the text of a chain, None until it is frequent, and whether it is new. The most recent ones are
        cached."""
        known = self._known.pop(shape, 0)
        is_new = known == _OFTEN - 1
        self._known[shape] = known + 1 if isinstance(known, int) and not is_new else known
        if len(self._known) > _MOST_CHAINS:
            del self._known[next(iter(self._known))]
        if is_new:
            return self._chain.join(shape), True
        return known if isinstance(known, str) else None, False


def changed_table(registry: Registry, change: Change) -> str | None:
    """Return the table of a change that can be a part of a chain, otherwise None."""
    named = _TABLES.get(type(change))
    return None if named is None else named(registry, change)


def _is_small(steps: Sequence[Step]) -> bool:
    return len(steps) > 1 and _is_bounded(steps)


def _is_bounded(steps: Sequence[Step]) -> bool:
    if sum(len(step.statement.values) for step in steps) > _MOST_VALUES:
        return False
    return sum(len(step.statement.text) for step in steps) <= _MOST_TEXT


def _shape(steps: Sequence[Step]) -> tuple[ChainPart, ...]:
    rows = {ref: (at, row) for at, step in enumerate(steps) for row, ref in enumerate(step.refs)}
    return tuple(
        ChainPart(
            step.statement.text,
            len(step.statement.values),
            len(step.refs),
            tuple((at, *rows[it]) for at, it in enumerate(step.statement.values) if it.__class__ is RowRef),
        )
        for step in steps
    )
