"""Delete permissions of removed content-types and actions: of site users' roles and of API tokens.

Only what Octavo knew is swept: content-types that were served and are gone, actions of the project's code that are
gone, and actions of content-types (`api::x.y.find`) without any content-type or v4 controller. What only v4 knows
(actions of its plugins, of controllers in JavaScript) stays.

`octavo_state` remembers the content-types and actions of the newest definitions, and those that are gone since. So a
content-type that is created again starts without permissions, also if its permissions could not be swept in between.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.actions import CONTENT_OPERATIONS, list_actions
from octavo.access.authorization.role_grants import LOCK, delete_permission_rows
from octavo.accounts.administrators.audit import write_permissions_removed
from octavo.accounts.administrators.deployed_definitions import LOCK as DEPLOYED_LOCK
from octavo.accounts.administrators.deployed_definitions import Look
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, ChangeKind
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.system_table_statement import OwnStatement
from octavo.schema.content_types import API_TOKEN
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_KEY: Final = "known permissions"
_TOKEN_LOCK: Final = f"octavo: {API_TOKEN}"
_MOST_NAMED: Final = 20
"""Actions that the log names one by one."""
_FIND: Final = OwnStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_SAVE: Final = OwnStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")
_OF_ROLES: Final = OwnStatement(
    "SELECT p.id, p.action, {p.created_at:milliseconds} FROM up_permissions p ORDER BY p.id"
)
_OF_TOKENS: Final = OwnStatement(
    "SELECT p.id, p.action, {p.created_at:milliseconds} FROM strapi_api_token_permissions p ORDER BY p.id"
)
_TOKEN_OF: Final = OwnStatement(
    "SELECT api_token_id FROM strapi_api_token_permissions_token_links WHERE api_token_permission_id = {permission}"
)
_UNLINK: Final = OwnStatement(
    "DELETE FROM strapi_api_token_permissions_token_links WHERE api_token_permission_id = {permission}"
)
_DELETE: Final = OwnStatement("DELETE FROM strapi_api_token_permissions WHERE id = {permission}")

Shape = list[Any]
"""What tells one content-type from another one of the same name: its table, and the names of its attributes."""


@dataclass(frozen=True, slots=True)
class Known:
    """What permissions can be about in one site. `is_kept` tells of a controller (`api::x.y`) whether v4 has it."""

    types: Mapping[str, Shape]
    own: Collection[str]
    actions: Collection[str]
    is_kept: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _State:
    """What is remembered: of the newest definitions, and when something was seen to be gone."""

    types: Mapping[str, Shape]
    own: Collection[str]
    gone: Mapping[str, int]

    @classmethod
    def read(cls, text: str | None) -> "_State | None":
        """Return what was written; None where nothing was."""
        if not text:
            return None
        found = orjson.loads(text)
        return cls(found["types"], found["own"], found["gone"])

    def written(self) -> str:
        """Return it as text."""
        return orjson.dumps({"types": self.types, "own": self.own, "gone": self.gone}).decode()


def known_permissions(registry: Registry, own: Collection[str], is_kept: Callable[[str], bool]) -> Known:
    """Return what permissions can be about in a site, whose code has `own` actions."""
    types = {item.uid: [table_name(item), *sorted(item.raw.get("attributes") or ())] for item in registry.own_types()}
    return Known(types, sorted(own), frozenset(list_actions(registry, own)), is_kept)


async def sweep_permissions(
    database: Database,
    known: Known,
    feed: ChangeFeed | None = None,
    *,
    sweeps: bool,
    is_newest: Look | None = None,
    is_alone: Look | None = None,
    created_again: Mapping[str, int] | None = None,
) -> frozenset[str]:
    """Delete permissions of what is gone; return the content-types that were created again, which start without any.

    If it does not `sweep`, for newer definitions are known, it deletes nothing, and remembers what is gone if no
    process serves those any more (`is_alone`). Newer ones can become known while it waits for its turn: `is_newest`
    looks again then. `created_again` names content-types that are known to be others than
    before, with the moment since which they are.
    """
    dialect, found = database.dialect, created_again or {}
    finding = _FIND.bind(dialect, key=_KEY)
    if not await _has_work(database, finding, known, sweeps, found):
        return frozenset()
    async with unit_of_work(database, feed) as unit:
        for lock in (DEPLOYED_LOCK, LOCK, _TOKEN_LOCK):
            await unit.connection.lock(lock)
        sweeps = sweeps and (is_newest is None or await is_newest(unit.connection))
        state = _State.read(await unit.connection.fetch_value(*finding))
        if not sweeps:
            alone = is_alone is not None and await is_alone(unit.connection)
            after, again = (_without(state, known) if alone and state else state), dict[str, int | None]()
        else:
            after, again = _remember(state, known), _created_again(state, known, found)
            await _sweep(unit, dialect, await _stale(unit.connection, dialect, known, state, again))
        if after is not None and after != state:
            await unit.connection.execute(*_SAVE.bind(dialect, key=_KEY, value=after.written()))
    for uid in again:
        logger.warning("Content type %s was created again: the former permissions were removed", uid)
    return frozenset(again)


async def _has_work(
    database: Database, finding: tuple[Any, ...], known: Known, sweeps: bool, found: Mapping[str, int]
) -> bool:
    """Return whether anything would be written, as far as that can be told without a lock."""
    state = _State.read(await database.fetch_value(*finding))
    if not sweeps:
        return state is not None and _without(state, known) != state
    again = _created_again(state, known, found)
    return bool(
        again or _remember(state, known) != state or await _stale(database, database.dialect, known, state, again)
    )


def _remember(state: _State | None, known: Known) -> _State:
    """Return what is remembered once these are the newest definitions."""
    if state is None:
        return _State(dict(known.types), known.own, {})
    now = this_moment()
    gone = dict.fromkeys((*state.types, *state.own), now) | dict(state.gone)
    gone = {name: at for name, at in gone.items() if name not in known.types and name not in known.own}
    return _State(dict(known.types), known.own, gone)


def _without(state: _State, known: Known) -> _State:
    """Return what is remembered once nobody serves newer definitions than these."""
    now = this_moment()
    lost = [name for name in (*state.types, *state.own) if name not in known.types and name not in known.own]
    types = {uid: shape for uid, shape in state.types.items() if uid in known.types}
    return _State(types, [one for one in state.own if one in known.own], dict(state.gone) | dict.fromkeys(lost, now))


def _created_again(state: _State | None, known: Known, found: Mapping[str, int]) -> dict[str, int | None]:
    """Return the content-types that are others than those of the same name before.

    With each, since when: permissions from after that moment are its own. None: all are of the former one.
    """
    again: dict[str, int | None] = {uid: at for uid, at in found.items() if uid in known.types}
    if state is not None:
        again |= {
            uid: None for uid in known.types if uid in state.gone or _is_other(state.types.get(uid), known.types[uid])
        }
    return again


def _is_other(before: Shape | None, now: Shape) -> bool:
    """Return whether definitions of one name share neither their table nor any attribute."""
    return before is not None and before[0] != now[0] and not {*before[1:]} & {*now[1:]}


Row = tuple[int, str]
Stale = tuple[list[Row], list[Row]]


async def _stale(
    connection: Connection, dialect: Dialect, known: Known, state: _State | None, again: Mapping[str, int | None]
) -> Stale | None:
    """Return the rows to delete, of roles and of tokens; None without any.

    Without any content-type there are none: more likely the folder of definitions is not there. What is gone stays
    remembered, so that it comes back without permissions.
    """
    if state is not None and not known.types:
        return None
    gone = {} if state is None else state.gone
    remembered = frozenset() if state is None else frozenset((*state.types, *state.own, *state.gone))

    def is_stale(action: str, at: int | None) -> bool:
        uid = action.rpartition(".")[0]
        if uid in again:
            since = again[uid]
            return since is None or at is None or at <= since
        if action in known.actions:
            return action in gone
        if uid in remembered and uid not in known.types:
            return True
        if known.is_kept(uid):
            return False
        return action in remembered or (uid.startswith("api::") and action.rpartition(".")[2] in CONTENT_OPERATIONS)

    found = []
    for statement in (_OF_ROLES, _OF_TOKENS):
        rows = await connection.fetch_all(*statement.bind(dialect), long=True)
        found.append([(row_id, action) for row_id, action, at in rows if action and is_stale(action, at)])
    return (found[0], found[1]) if any(found) else None


async def _sweep(unit: UnitOfWork, dialect: Dialect, stale: Stale | None) -> None:
    if stale is None:
        return
    of_roles, of_tokens = stale
    await delete_permission_rows(unit, dialect, [row_id for row_id, _ in of_roles])
    for row_id, _ in of_tokens:
        token_id = await unit.connection.fetch_value(*_TOKEN_OF.bind(dialect, permission=row_id))
        for statement in (_UNLINK, _DELETE):
            await unit.connection.execute(*statement.bind(dialect, permission=row_id))
        if token_id is not None:
            unit.record(API_TOKEN, int(token_id), ChangeKind.UPDATE)
    for what, rows in (("users' roles", of_roles), ("API tokens", of_tokens)):
        if rows:
            logger.warning(
                "Removed permissions of %s for actions that no longer exist: %s",
                what,
                _named(action for _, action in rows),
            )
    owners = dict.fromkeys(action.rpartition(".")[0] for _, action in (*of_roles, *of_tokens))
    await write_permissions_removed(unit.connection, dialect, owners)


def _named(actions: Iterable[str]) -> str:
    names = [*dict.fromkeys(actions)]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
