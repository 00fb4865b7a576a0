"""Which definitions are deployed: while nodes with old and new ones serve a database, old ones sweep no rights.

Each process notes when its definitions were seen first. Those that were seen before others of the last day are old: a
node that has not been deployed yet, and was started again, or was asked for another locale.
"""

from hashlib import blake2b
from operator import itemgetter
from typing import Final

import orjson

from octavo.authorization.rights.catalogue import Catalogue
from octavo.authorization.rights.fields import all_paths, leaves
from octavo.clock import this_moment
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.sql.own_table_statement import OwnStatement

_KEY: Final = "deployed"
_DAY: Final = 24 * 3_600_000
_MOST: Final = 50
"""Definitions that are remembered, the newest ones."""
_FIND: Final = OwnStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_SAVE: Final = OwnStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")


async def are_newest(database: Database, catalogue: Catalogue, *, is_change: bool = False) -> bool:
    """Whether no other definitions have come after these within a day. `is_change`: somebody has changed to these now,
    whenever they were seen first."""
    now, mark = this_moment(), _mark(catalogue)
    finding = _FIND.bind(database.dialect, key=_KEY)
    seen = _read(await database.fetch_value(*finding))
    if mark not in seen or (is_change and seen[mark] < max(seen.values())):
        async with unit_of_work(database) as unit:
            await unit.connection.lock("octavo: deployed")
            seen = _read(await unit.connection.fetch_value(*finding))
            seen[mark] = now if is_change or mark not in seen else seen[mark]
            kept = dict(sorted(seen.items(), key=itemgetter(1))[-_MOST:])
            value = orjson.dumps(kept).decode()
            await unit.connection.execute(*_SAVE.bind(database.dialect, key=_KEY, value=value))
    return all(at <= seen[mark] or at < now - _DAY for at in seen.values())


def _read(stored: str | None) -> dict[str, int]:
    """When definitions were seen first, by their marks."""
    return dict(orjson.loads(stored or "{}"))


def _mark(catalogue: Catalogue) -> str:
    """Short for what rights can name: content-types and their fields."""
    told = [
        [uid, *all_paths(fields), "", *leaves(fields, required=True)]
        for uid, fields in sorted(catalogue.fields.items())
    ]
    return blake2b(orjson.dumps(told), digest_size=12).hexdigest()
