"""Statements that write, as one: each a table of a WITH."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from octavo.query.sql.dialects.quoting import literal

_MARK: Final = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*')|\$(\d+)""")
_NAME: Final = "octavo_written_{}"


class ChainPart(NamedTuple):
    """One statement of a chain: its text, how many values it has, and how many rows whose ids it answers.

    `rows` are the values that are ids of rows of the chain: the value, the part that inserts the row, which one it is.
    """

    text: str
    values: int
    answers: int
    rows: tuple[tuple[int, int, int], ...]


class Chain(NamedTuple):
    """`join` gives the parts in one statement; `guards` the SELECT of a row where a trigger of one of these tables
    would see another state than if they went one by one; `changed_later` that of a row where a trigger of somebody
    else's may change rows of a table once they are written."""

    join: Callable[[Sequence[ChainPart]], str]
    guards: Callable[[Iterable[str]], str]
    changed_later: Callable[[str], str]


def written(number: int) -> str:
    """The table of what a part of a chain has written, by its number."""
    return _NAME.format(number)


def with_chain(parts: Sequence[ChainPart]) -> str:
    """The parts in one statement with all values but `rows`. It answers the ids of all rows, in order, as one row."""
    written, first = [], 1
    for number, part in enumerate(parts):
        rows = {value: _id(parts, at, row) for value, at, row in part.rows}
        others = [value for value in range(part.values) if value not in rows]
        marks = {value: f"${place}" for place, value in enumerate(others, start=first)} | rows
        written.append(f"{_NAME.format(number)} AS ({_with_marks(part.text, marks)})")
        first += len(others)
    ids = [_id(parts, at, row) for at, part in enumerate(parts) for row in range(part.answers)]
    return f"WITH {', '.join(written)} SELECT {', '.join(ids)}"


def _id(parts: Sequence[ChainPart], at: int, row: int) -> str:
    """The id of a row that a part has inserted: ids go up in the order of rows."""
    which = "" if parts[at].answers == 1 else f" ORDER BY id OFFSET {row} LIMIT 1"
    return f"(SELECT id FROM {_NAME.format(at)}{which})"


def _with_marks(text: str, marks: dict[int, str]) -> str:
    """A text with other placeholders; what is quoted stays."""
    return _MARK.sub(lambda found: found[0] if found[2] is None else marks[int(found[2]) - 1], text)


def early_triggers(tables: Iterable[str]) -> str:
    """Triggers that run before their row is written: inside of a WITH they may see nothing of its other parts; those
    that run after it run when all is written."""
    return _triggers(tables, "g.tgtype & 2 <> 0")  # TRIGGER_TYPE_BEFORE


def late_triggers(table: str) -> str:
    """Triggers of others that run after a row is written."""
    return _triggers([table], "g.tgtype & 2 = 0 AND NOT starts_with(g.tgname::text, 'octavo')")


def _triggers(tables: Iterable[str], condition: str) -> str:
    names = ", ".join(map(literal, tables))
    return (
        "SELECT 1 FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal"
        f" AND g.tgenabled <> 'D' AND {condition}"
        f" AND t.relname IN ({names}) AND t.relnamespace = current_schema()::regnamespace LIMIT 1"
    )


WITH_CHAIN: Final = Chain(with_chain, early_triggers, late_triggers)
