"""Several writes combined in one statement: each is a table of a WITH clause."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from octavo.query.sql.dialects.quoting import literal

_MARK: Final = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*')|\$(\d+)""")
_NAME: Final = "octavo_written_{}"
_OBSTACLES: Final = "octavo: missing entries or used values:"
"""The start of the error in the server's log. Octavo checks the write again and reports what is wrong."""


class ChainPart(NamedTuple):
    """One statement of a chain: its text, its number of values, and the number of rows whose ids it returns.

    `rows` are the values that are ids of rows of the chain: the value, the inserting part, and the index of the row.
    """

    text: str
    values: int
    answers: int
    rows: tuple[tuple[int, int, int], ...]


class Join(Protocol):
    """Combines parts in one statement, as `with_chain` does."""

    def __call__(self, parts: Sequence[ChainPart], selected: str = "") -> str: ...


class Chain(NamedTuple):
    """`join` combines the parts in one statement. `guards` is the SELECT of a row if a trigger on one of these tables
    would see a different state than with separate statements; `changed_later` that of a row if another program's
    trigger may change rows of a table after they are written. `refused` makes the SELECT of a number fail unless it is
    zero."""

    join: Join
    guards: Callable[[Iterable[str]], str]
    changed_later: Callable[[str], str]
    refused: Callable[[str], str]


def written(number: int) -> str:
    """Return the WITH table of the rows that a part of a chain has written, by its number."""
    return _NAME.format(number)


def with_chain(parts: Sequence[ChainPart], selected: str = "") -> str:
    """Combine the parts in one statement with all values but `rows`. It returns the ids of all rows, in order, as one
    row, or what is `selected`, the columns and the FROM clause without placeholders."""
    written, first = [], 1
    for number, part in enumerate(parts):
        rows = {value: _id(parts, at, row) for value, at, row in part.rows}
        others = [value for value in range(part.values) if value not in rows]
        marks = {value: f"${place}" for place, value in enumerate(others, start=first)} | rows
        written.append(f"{_NAME.format(number)} AS ({_with_marks(part.text, marks)})")
        first += len(others)
    ids = [_id(parts, at, row) for at, part in enumerate(parts) for row in range(part.answers)]
    return f"WITH {', '.join(written)} SELECT {selected or ', '.join(ids)}"


def _id(parts: Sequence[ChainPart], at: int, row: int) -> str:
    """Return the id of a row that a part has inserted: ids increase in the order of the rows."""
    which = "" if parts[at].answers == 1 else f" ORDER BY id OFFSET {row} LIMIT 1"
    return f"(SELECT id FROM {_NAME.format(at)}{which})"


def _with_marks(text: str, marks: dict[int, str]) -> str:
    """Return a text with renumbered placeholders; quoted text is not changed."""
    return _MARK.sub(lambda found: found[0] if found[2] is None else marks[int(found[2]) - 1], text)


def early_triggers(tables: Iterable[str]) -> str:
    """Return the SELECT of triggers that run before their row is written: inside a WITH clause they may not see its
    other parts. Triggers that run after the row run when everything is written."""
    return _triggers(tables, "g.tgtype & 2 <> 0")  # TRIGGER_TYPE_BEFORE


def late_triggers(table: str) -> str:
    """Return the SELECT of other programs' triggers that run after a row is written."""
    return _triggers([table], "g.tgtype & 2 = 0 AND NOT starts_with(g.tgname::text, 'octavo')")


def refuse_obstacles(check: str) -> str:
    """Make the SELECT of a number named `id` fail unless the number is zero, with an error about an invalid value."""
    fails = f"('{_OBSTACLES} ' || found.id)::int8"
    return f"SELECT CASE WHEN found.id = 0 THEN 0 ELSE {fails} END AS id FROM ({check}) found"


def _triggers(tables: Iterable[str], condition: str) -> str:
    names = ", ".join(map(literal, tables))
    return (
        "SELECT 1 FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal"
        f" AND g.tgenabled <> 'D' AND {condition}"
        f" AND t.relname IN ({names}) AND t.relnamespace = current_schema()::regnamespace LIMIT 1"
    )


WITH_CHAIN: Final = Chain(with_chain, early_triggers, late_triggers, refuse_obstacles)
