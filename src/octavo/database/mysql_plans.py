"""Plans of statements on MySQL and MariaDB."""

import re
from typing import Any, Final

from octavo.database.connection import DatabaseMisconfigured, Values
from octavo.database.index_trials import no_values
from octavo.database.mysql_transaction import MysqlSession

_EXPLAIN: Final = "EXPLAIN FORMAT=TRADITIONAL "
_SHOWN: Final = frozenset({"select_type", "table", "type", "key", "rows", "extra"})
"""The columns of a plan to show."""
_SAMPLE: Final = 50_000
"""Number of rows: enough for the optimizer to choose as for the whole table."""
_OPERAND: Final = "01-01-01"
"""A text that is a number, a date and a time, too. With NULL, the optimizer would plan no read at all."""
_NEEDS_PRIVILEGE: Final = "to plan with an index, Octavo's user needs the privilege CREATE TEMPORARY TABLES"
_PAGE: Final = 25
_PAGE_PLACE: Final = re.compile(r"\b(?:LIMIT|OFFSET) \?(\d+)")


def explain(text: str) -> tuple[str, Values]:
    """Return the statement that explains a statement, and a typical value for each of its placeholders."""
    pages = {int(number) for number in _PAGE_PLACE.findall(text)}
    places = range(1, len(no_values(text)) + 1)
    return _EXPLAIN + text, tuple(_PAGE if place in pages else _OPERAND for place in places)


def plan_text(result: Any) -> str:
    """Return the rows of EXPLAIN as lines. Indexes that are only possible are left out."""
    names = [column[0].lower() for column in result.description]
    return "\n".join(
        ", ".join(f"{name} {value}" for name, value in zip(names, row, strict=True) if name in _SHOWN and value)
        for row in result.rows
    )


async def plan_with(session: MysqlSession, table: str, more: str, text: str) -> str:
    """Return the plan of a statement that reads temporary tables instead of the one with that quoted name. They have
    its indexes, the index `more`, and a sample of its rows, and end with the session.

    There is one for each place of the table in the statement: on MySQL, a statement cannot use one twice.
    """
    before, *after = re.split(rf"(?<=\bFROM |\bJOIN ){re.escape(table)}", text)
    for number, rest in enumerate(after):
        copy = f"`octavo_explained_{number}`"
        try:
            await session.execute_script(f"CREATE TEMPORARY TABLE {copy} LIKE {table}")
        except DatabaseMisconfigured as error:
            raise DatabaseMisconfigured(reason=_NEEDS_PRIVILEGE) from error
        await session.execute_script(f"INSERT INTO {copy} SELECT * FROM {table} LIMIT {_SAMPLE}")
        await session.execute_script(more.replace(table, copy, 1))
        before += copy + rest
    plan: str = await session.read(plan_text, *explain(before))
    return plan
