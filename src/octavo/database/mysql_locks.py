"""Named locks of transactions: rows of a table.

InnoDB has no advisory locks of transactions, and `GET_LOCK` has no shared mode, belongs to the session and takes no
part in the detection of deadlocks. So a name's hash selects one of many rows, which is locked until the end of the
transaction. Two names with the same row exclude each other needlessly, but nothing else: a deadlock because of it is
detected, and the transaction retried.
"""

from collections.abc import Iterable, Sequence
from typing import Final
from zlib import crc32

from octavo.database.connection import Links
from octavo.database.mysql_statements import fill

TABLE: Final = "octavo_locks"
_ROWS: Final = 16_384
MAKE: Final = f"CREATE TABLE IF NOT EXISTS {TABLE} (id smallint unsigned NOT NULL PRIMARY KEY) ENGINE=InnoDB".encode()
COUNT: Final = f"SELECT count(*) FROM {TABLE}".encode()
FILL: Final = f"INSERT INTO {TABLE} (id) VALUES {', '.join(f'({number})' for number in range(_ROWS))}".encode()
"""Inserts the rows, all or none."""


def place(name: str) -> int:
    """Return the row of a name."""
    return crc32(name.encode()) % _ROWS


def lock_statements(names: Iterable[str], shared: Iterable[str]) -> tuple[bytes, int]:
    """Return the statements that lock the rows of names, in the order of the rows, and the number of rows.

    Each returns the number of rows that it has locked.
    """
    own = sorted({place(name) for name in names})
    common = sorted({place(name) for name in shared} - set(own))
    texts = [_lock(common, "LOCK IN SHARE MODE")] * bool(common) + [_lock(own, "FOR UPDATE")] * bool(own)
    return b";".join(texts), len(own) + len(common)


def _lock(places: Sequence[int], mode: str) -> bytes:
    return (
        f"SELECT count(*) FROM {TABLE} FORCE INDEX (PRIMARY) WHERE id IN ({', '.join(map(str, places))}) {mode}"
    ).encode()


def linked_text(links: Links, source: int) -> bytes:
    """Return the statement for the entries that an entry is linked to."""
    return fill(f"SELECT {links.target} FROM {links.table} WHERE {links.source} = ?1", (source,))
