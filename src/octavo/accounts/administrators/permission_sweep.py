"""Delete permissions of removed content types and actions: of site users' roles and of API tokens.

Only permissions that Octavo knew are deleted: of content types that were served and are gone, of removed actions of
the project's code, and actions of content types (`api::x.y.find`) without any content type or v4 controller.
Permissions that only v4 knows (actions of its plugins, of controllers in JavaScript) stay.

`octavo_state` stores the content types and actions of the newest definitions, and those removed since. So a
content type that is created again starts without permissions, even if they could not be deleted in between.
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
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import API_TOKEN
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_KEY: Final = "known permissions"
_TOKEN_LOCK: Final = f"octavo: {API_TOKEN}"
_MOST_NAMED: Final = 20
"""The number of actions that the log lists by name."""
_FIND: Final = RawStatement("SELECT value FROM octavo_state WHERE {key:name} = {key}")
_SAVE: Final = RawStatement("""
INSERT INTO octavo_state ({key:name}, value) VALUES ({key}, {value})
{key:on_conflict} value = {value:proposed}""")
_OF_ROLES: Final = RawStatement(
    "SELECT p.id, p.action, {p.created_at:milliseconds} FROM up_permissions p ORDER BY p.id"
)
_OF_TOKENS: Final = RawStatement(
    "SELECT p.id, p.action, {p.created_at:milliseconds} FROM strapi_api_token_permissions p ORDER BY p.id"
)
_TOKEN_OF: Final = RawStatement(
    "SELECT api_token_id FROM strapi_api_token_permissions_token_links WHERE api_token_permission_id = {permission}"
)
_UNLINK: Final = RawStatement(
    "DELETE FROM strapi_api_token_permissions_token_links WHERE api_token_permission_id = {permission}"
)
_DELETE: Final = RawStatement("DELETE FROM strapi_api_token_permissions WHERE id = {permission}")

Shape = list[Any]
"""Identifies a content type beyond its name: its table and the names of its attributes."""


@dataclass(frozen=True, slots=True)
class Known:
    """The content types and actions of one site. `is_kept` returns whether v4 has a controller (`api::x.y`)."""

    types: Mapping[str, Shape]
    own: Collection[str]
    actions: Collection[str]
    is_kept: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _State:
    """The stored state: the newest definitions, and when types and actions were found to be removed."""

    types: Mapping[str, Shape]
    own: Collection[str]
    gone: Mapping[str, int]

    @classmethod
    def read(cls, text: str | None) -> "_State | None":
        """Parse the stored state; None if there is none."""
        if not text:
            return None
        values = orjson.loads(text)
        return cls(values["types"], values["own"], values["gone"])

    def written(self) -> str:
        """Return the state as text to store."""
        return orjson.dumps({"types": self.types, "own": self.own, "gone": self.gone}).decode()


def known_permissions(registry: Registry, own: Collection[str], is_kept: Callable[[str], bool]) -> Known:
    """Return the content types and actions of a site whose code has `own` actions."""
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
    """Delete permissions of removed content types and actions; return the content types that were created again.

    Without `sweeps`, because newer definitions are deployed, it deletes nothing. It then only records what was removed
    once no process serves the newer ones (`is_alone`). `is_newest` checks again after waiting for the lock, because
    newer definitions can be deployed meanwhile. `created_again` are content types known to be new ones with an old
    name, with the time of their creation.
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
    """Return whether anything has to be written, as far as that is known without a lock."""
    state = _State.read(await database.fetch_value(*finding))
    if not sweeps:
        return state is not None and _without(state, known) != state
    again = _created_again(state, known, found)
    return bool(
        again or _remember(state, known) != state or await _stale(database, database.dialect, known, state, again)
    )


def _remember(state: _State | None, known: Known) -> _State:
    """Return the state after these definitions have become the newest."""
    if state is None:
        return _State(dict(known.types), known.own, {})
    now = this_moment()
    gone = dict.fromkeys((*state.types, *state.own), now) | dict(state.gone)
    gone = {name: at for name, at in gone.items() if name not in known.types and name not in known.own}
    return _State(dict(known.types), known.own, gone)


def _without(state: _State, known: Known) -> _State:
    """Return the state after newer definitions than these are no longer served."""
    now = this_moment()
    lost = [name for name in (*state.types, *state.own) if name not in known.types and name not in known.own]
    types = {uid: shape for uid, shape in state.types.items() if uid in known.types}
    return _State(types, [one for one in state.own if one in known.own], dict(state.gone) | dict.fromkeys(lost, now))


def _created_again(state: _State | None, known: Known, found: Mapping[str, int]) -> dict[str, int | None]:
    """Return the content types that are new ones with an old name, and when each was created.

    Permissions from after that time stay. None: all of them belong to the former content type.
    """
    again: dict[str, int | None] = {uid: at for uid, at in found.items() if uid in known.types}
    if state is not None:
        again |= {
            uid: None for uid in known.types if uid in state.gone or _is_other(state.types.get(uid), known.types[uid])
        }
    return again


def _is_other(before: Shape | None, now: Shape) -> bool:
    """Return whether two definitions with the same name share neither their table nor any attribute."""
    return before is not None and before[0] != now[0] and not {*before[1:]} & {*now[1:]}


Row = tuple[int, str]
Stale = tuple[list[Row], list[Row]]


async def _stale(
    connection: Connection, dialect: Dialect, known: Known, state: _State | None, again: Mapping[str, int | None]
) -> Stale | None:
    """Return the permission rows of roles and of tokens to delete; None if there are none.

    Without any content type nothing is deleted: the folder of definitions is probably missing. Removed types stay
    recorded, so that they return without permissions.
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

    stale = []
    for statement in (_OF_ROLES, _OF_TOKENS):
        rows = await connection.fetch_all(*statement.bind(dialect), long=True)
        stale.append([(row_id, action) for row_id, action, at in rows if action and is_stale(action, at)])
    return (stale[0], stale[1]) if any(stale) else None


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
