"""Track which definitions are deployed, so that a node with old ones does not delete permissions during a rollout.

Each process records when its definitions were first seen. Definitions are old if others were first seen within the last
day after them: on a node that was not deployed yet but restarted, or that handled a request to add a locale.

While it is serving, each process also renews a row of `octavo_leases` (`Presence`). If all serving processes have old
definitions, the deployment was rolled back.
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
from octavo.database.option_record import PREFIX
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement

LOCK: Final = "octavo: deployed"
"""Held while newer definitions are recorded, and while permissions of older ones are deleted."""
_KEY: Final = "deployed"
_DAY: Final = 24 * 3_600_000
_MOST: Final = 50
"""The number of definitions to remember, newest first."""
_FIND: Final = RawStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_SAVE: Final = RawStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")


_PRESENT_SECONDS: Final = 60.0
RENEW_SECONDS: Final = 20.0
"""Seconds between two renewals of a process's row."""
_PRESENT: Final = RawStatement(
    f"SELECT DISTINCT holder FROM octavo_leases WHERE name LIKE '{PREFIX}%' AND expires_at > {{now}}"  # noqa: S608
)
_RENEW: Final = RawStatement("""
INSERT INTO octavo_leases (name, holder, expires_at) VALUES ({name}, {holder}, {expires_at})
{name:on_conflict} holder = {holder:proposed}, expires_at = {expires_at:proposed}""")
_LEAVE: Final = RawStatement("DELETE FROM octavo_leases WHERE name = {name}")
_EXPIRE: Final = RawStatement(
    f"DELETE FROM octavo_leases WHERE name LIKE '{PREFIX}%' AND expires_at <= {{now}}"  # noqa: S608 - a constant
)


Look = Callable[[Connection], Awaitable[bool]]
"""A query that runs in the unit of work that holds `LOCK`."""


async def are_newest(
    database: Database, catalogue: Catalogue, actions: Iterable[str] = (), *, is_change: bool = False
) -> bool:
    """Return whether no other definitions were first seen after these in the last day.

    `is_change` records these as the newest, because they were just changed. `actions` are those of the project's code.
    """
    now, mark = this_moment(), mark_of(catalogue, actions)
    finding = _FIND.bind(database.dialect, key=_KEY)
    seen = _read(await database.fetch_value(*finding))
    if mark not in seen or (is_change and seen[mark] < max(seen.values())):
        async with unit_of_work(database) as unit:
            await unit.connection.lock(LOCK)
            seen = _read(await unit.connection.fetch_value(*finding))
            if is_change or mark not in seen:  # after all others, even if the nodes' clocks differ
                seen[mark] = max(now, max(seen.values(), default=0) + 1)
            kept = dict(sorted(seen.items(), key=itemgetter(1))[-_MOST:])
            value = orjson.dumps(kept).decode()
            await unit.connection.execute(*_SAVE.bind(database.dialect, key=_KEY, value=value))
    return _is_newest(seen, mark)


async def stay_newest(database: Database, connection: Connection, mark: str) -> bool:
    """Return whether these definitions are still the newest. The connection must hold `LOCK`."""
    return _is_newest(_read(await connection.fetch_value(*_FIND.bind(database.dialect, key=_KEY))), mark)


async def serve_alone(database: Database, connection: Connection, mark: str) -> bool:
    """Return whether no process serves definitions that were first seen after these."""
    seen = _read(await connection.fetch_value(*_FIND.bind(database.dialect, key=_KEY)))
    present = await connection.fetch_all(*_PRESENT.bind(database.dialect, now=int(wall_time())))
    served = {str(holder).partition(" ")[0] for (holder,) in present}
    return all(seen.get(each, 0) <= seen.get(mark, 0) for each in served if each != mark)


class Presence:
    """The row that records which definitions a process serves."""

    def __init__(self) -> None:
        self._name = f"{PREFIX}{secrets.token_hex(16)}"

    async def renew(self, database: Database, mark: str, options: str) -> None:
        """Record for a minute that this process serves these definitions.

        `options` identifies their indexes and options (`option_record.serving_mark`).
        """
        now, dialect, holder = wall_time(), database.dialect, f"{mark} {options}"
        renewing = _RENEW.bind(dialect, name=self._name, holder=holder, expires_at=int(now + _PRESENT_SECONDS))
        async with unit_of_work(database, in_maintenance=True) as unit:
            await unit.connection.execute(*renewing)
            await unit.connection.execute(*_EXPIRE.bind(dialect, now=int(now)))

    async def leave(self, database: Database) -> None:
        """Delete the row, because this process stops serving."""
        async with unit_of_work(database, in_maintenance=True) as unit:
            await unit.connection.execute(*_LEAVE.bind(database.dialect, name=self._name))


def _is_newest(seen: Mapping[str, int], mark: str) -> bool:
    since = this_moment() - _DAY
    return all(at <= seen.get(mark, 0) or at < since for at in seen.values())


def _read(stored: str | None) -> dict[str, int]:
    """Return when definitions were first seen, by their marks."""
    return dict(orjson.loads(stored or "{}"))


def mark_of(catalogue: Catalogue, actions: Iterable[str] = ()) -> str:
    """Return a hash of all content types, fields and custom actions that permissions can refer to."""
    contents: list[list[str]] = [
        [uid, *all_paths(fields), "", *leaves(fields, required=True)]
        for uid, fields in sorted(catalogue.fields.items())
    ]
    contents.append(sorted(actions))
    return blake2b(orjson.dumps(contents), digest_size=12).hexdigest()
