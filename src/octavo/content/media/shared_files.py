"""Rows that share a stored file: databases from Strapi v4 can contain copies of a row with the same URL.

A file stays in the storage while any row names it, and its rows are private or public together.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from octavo.content.media.storage.base import Storage
from octavo.content.media.stored_parts import names_in_row
from octavo.database.connection import Connection, Database, Transaction
from octavo.query.sql.dialects.base import Dialect

_AT_ONCE: Final = 500
_ROWS: Final = "SELECT id, provider, url, provider_metadata, formats FROM files WHERE url IN ({}) ORDER BY id"
_LOCK: Final = "octavo: shared files"


async def ids_sharing(connection: Connection | Database, dialect: Dialect, url: str) -> list[int]:
    """Return the ids of all rows with this URL, sorted."""
    return [row[0] for row in await _rows(connection, dialect, [url])]


async def names_still_needed(
    connection: Transaction, dialect: Dialect, storage: Storage, urls: Iterable[str], besides: Collection[int]
) -> set[str]:
    """Return the names of stored files that rows with these URLs have, other than the rows `besides`.

    If there are any, the transaction holds a lock until its end: of two transactions that delete the last two rows of a
    file at the same time, the second one removes it from the storage.
    """
    wanted = list(dict.fromkeys(urls))
    if not any(row[0] not in besides for row in await _rows(connection, dialect, wanted)):
        return set()
    await connection.lock(_LOCK)
    rows = [row for row in await _rows(connection, dialect, wanted) if row[0] not in besides]
    return {name for _, *columns in rows for name in names_in_row(storage, *columns)}


async def _rows(connection: Connection | Database, dialect: Dialect, urls: Sequence[str]) -> list[Any]:
    """Return rows with these URLs. Some collations also find other spellings."""
    rows = list[Any]()
    for start in range(0, len(urls), _AT_ONCE):
        some = urls[start : start + _AT_ONCE]
        marks = ", ".join(dialect.mark(number) for number in range(1, len(some) + 1))
        rows += await connection.fetch_all(_ROWS.format(marks), some)
    wanted = set(urls)
    return [row for row in rows if row[2] in wanted]
