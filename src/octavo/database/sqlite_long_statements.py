"""LongStatements: statements of more bytes than the driver keeps prepared, kept all the same.

What is asked for a second time becomes a view of the connection, of which the driver sees but a few bytes. A view
takes no values: in the place of each stands a function. It promises the same answer throughout a statement, so lists
are made once; and it stands in a CASE, where no planner of SQLite looks for what it answers, so that one plan is good
for any values, as with values that are bound (`SQLITE_DBCONFIG_ENABLE_QPSG`).
"""

import re
from typing import Any, Final

import apsw

from octavo.database.connection import Values

LARGEST_CACHED: Final = 16_383
"""The driver keeps no statement of more bytes."""
LARGEST_KEPT: Final = 64 * 1024
"""Bytes of text of the longest that are kept."""
TIMES: Final = 2
"""The memory of such a statement against that of a shorter one, byte for byte of text: there is the view as well."""
_MOST_SEEN: Final = 256
_VALUE: Final = "octavo_value"
_READS: Final = ("SELECT ", "WITH ")
_MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d+)""")


class LongStatements:
    """Those of one connection, whose values have `largest` bytes at most: the text of a view is one."""

    def __init__(self, raw: apsw.Connection, largest: int) -> None:
        self._raw = raw
        self._largest = min(LARGEST_KEPT, largest // 8)
        self._values: Values = ()
        self._seen: set[int] = set()
        self._short: dict[str, str] = {}
        self._made = 0
        raw.create_scalar_function(_VALUE, self._value, 1, deterministic=True)

    def becomes_known(self, text: str) -> bool:
        """Tell whether a statement is met for the second time, and can be kept from now on."""
        if text in self._short or len(text) > self._largest or not text.startswith(_READS) or self._raw.in_transaction:
            return False
        key = hash(text)
        if key in self._seen:
            return True
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen.add(key)
        return False

    def keep(self, text: str) -> None:
        """Make a view of a statement."""
        name = f"octavo_read_{self._made}"
        self._made += 1
        self._change(f"CREATE TEMP VIEW {name} AS {_MARK.sub(_by_function, text)}")
        self._short[text] = f"SELECT * FROM {name}"

    def shortened(self, text: str, values: Values) -> tuple[str, Values]:
        """What to run for a statement: itself, unless it is kept."""
        short = self._short.get(text)
        if short is None:
            return text, values
        self._values = values
        return short, ()

    def forget(self) -> None:
        """Drop all views."""
        for short in self._short.values():
            self._change(f"DROP VIEW {short.removeprefix('SELECT * FROM ')}")
        self._short.clear()

    def _change(self, text: str) -> None:
        """Change what is the connection's own, not the file."""
        self._raw.execute("PRAGMA query_only = OFF").fetchall()
        try:
            self._raw.execute(text, can_cache=False).fetchall()
        finally:
            self._raw.execute("PRAGMA query_only = ON").fetchall()

    def _value(self, *numbers: Any) -> Any:
        return self._values[numbers[0] - 1]


def _by_function(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"CASE WHEN 1 THEN {_VALUE}({found[1]}) END"
