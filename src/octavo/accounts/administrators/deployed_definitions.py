"""Which definitions are deployed: while nodes with old and new ones serve a database, old ones sweep no rights.

Each process notes when its definitions were seen first. Those that were seen before others of the last day are old: a
node that has not been deployed yet, and was started again, or was asked for another locale.

Each process also renews a row of `octavo_leases` while it serves (`Presence`). If old definitions serve alone, they are
no node that still waits for its deployment: the deployment was taken back.
"""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from hashlib import blake2b
from operator import itemgetter
from typing import Final

import orjson

from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.access.authorization.admin.fields import all_paths, leaves
from octavo.core.clock import this_moment, wall_time
from octavo.database.connection import Connection, Database
from octavo.database.serving_nodes import PREFIX
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.system_table_statement import OwnStatement

LOCK: Final = "octavo: deployed"
"""Held while newer definitions are noted, and while permissions of older ones are swept."""
_KEY: Final = "deployed"
_DAY: Final = 24 * 3_600_000
_MOST: Final = 50
"""Definitions that are remembered, the newest ones."""
_FIND: Final = OwnStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_SAVE: Final = OwnStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")


_PRESENT_SECONDS: Final = 60.0
RENEW_SECONDS: Final = 20.0
"""How often a process that serves says so."""
_PRESENT: Final = OwnStatement(
    f"SELECT DISTINCT holder FROM octavo_leases WHERE name LIKE '{PREFIX}%' AND expires_at > {{now}}"  # noqa: S608
)
_RENEW: Final = OwnStatement("""
INSERT INTO octavo_leases (name, holder, expires_at) VALUES ({name}, {holder}, {expires_at})
{name:on_conflict} holder = {holder:proposed}, expires_at = {expires_at:proposed}""")
_LEAVE: Final = OwnStatement("DELETE FROM octavo_leases WHERE name = {name}")
_EXPIRE: Final = OwnStatement(
    f"DELETE FROM octavo_leases WHERE name LIKE '{PREFIX}%' AND expires_at <= {{now}}"  # noqa: S608 - a constant
)


Look = Callable[[Connection], Awaitable[bool]]
"""Looks something up within the unit that holds `LOCK`."""


async def are_newest(
    database: Database, catalogue: Catalogue, actions: Iterable[str] = (), *, is_change: bool = False
) -> bool:
    """Whether no other definitions have come after these within a day. `is_change`: somebody has changed to these now,
    whenever they were seen first. `actions` are those of the project's code."""
    now, mark = this_moment(), mark_of(catalogue, actions)
    finding = _FIND.bind(database.dialect, key=_KEY)
    seen = _read(await database.fetch_value(*finding))
    if mark not in seen or (is_change and seen[mark] < max(seen.values())):
        async with unit_of_work(database) as unit:
            await unit.connection.lock(LOCK)
            seen = _read(await unit.connection.fetch_value(*finding))
            if is_change or mark not in seen:  # later than all others, whatever the clocks of the nodes say
                seen[mark] = max(now, max(seen.values(), default=0) + 1)
            kept = dict(sorted(seen.items(), key=itemgetter(1))[-_MOST:])
            value = orjson.dumps(kept).decode()
            await unit.connection.execute(*_SAVE.bind(database.dialect, key=_KEY, value=value))
    return _is_newest(seen, mark)


async def stay_newest(database: Database, connection: Connection, mark: str) -> bool:
    """Return whether definitions that were the newest still are; within a unit that holds `LOCK`."""
    return _is_newest(_read(await connection.fetch_value(*_FIND.bind(database.dialect, key=_KEY))), mark)


async def serve_alone(database: Database, connection: Connection, mark: str) -> bool:
    """Return whether no process serves definitions that were seen after those of this mark."""
    seen = _read(await connection.fetch_value(*_FIND.bind(database.dialect, key=_KEY)))
    present = await connection.fetch_all(*_PRESENT.bind(database.dialect, now=int(wall_time())))
    served = {str(holder).partition(" ")[0] for (holder,) in present}
    return all(seen.get(each, 0) <= seen.get(mark, 0) for each in served if each != mark)


class Presence:
    """The row that says which definitions one process serves."""

    def __init__(self) -> None:
        self._name = f"{PREFIX}{secrets.token_hex(16)}"

    async def renew(self, database: Database, mark: str, options: str) -> None:
        """Say that these definitions are served, for a minute; `options` stands for their content types' options."""
        now, dialect, holder = wall_time(), database.dialect, f"{mark} {options}"
        renewing = _RENEW.bind(dialect, name=self._name, holder=holder, expires_at=int(now + _PRESENT_SECONDS))
        async with unit_of_work(database) as unit:
            await unit.connection.execute(*renewing)
            await unit.connection.execute(*_EXPIRE.bind(dialect, now=int(now)))

    async def leave(self, database: Database) -> None:
        """Say that this process serves no more."""
        async with unit_of_work(database) as unit:
            await unit.connection.execute(*_LEAVE.bind(database.dialect, name=self._name))


def _is_newest(seen: Mapping[str, int], mark: str) -> bool:
    since = this_moment() - _DAY
    return all(at <= seen.get(mark, 0) or at < since for at in seen.values())


def _read(stored: str | None) -> dict[str, int]:
    """When definitions were seen first, by their marks."""
    return dict(orjson.loads(stored or "{}"))


def mark_of(catalogue: Catalogue, actions: Iterable[str] = ()) -> str:
    """Return a short name for what permissions can be about: content-types, their fields, actions of code."""
    told: list[list[str]] = [
        [uid, *all_paths(fields), "", *leaves(fields, required=True)]
        for uid, fields in sorted(catalogue.fields.items())
    ]
    told.append(sorted(actions))
    return blake2b(orjson.dumps(told), digest_size=12).hexdigest()
