"""Set up administrator roles at startup, as v4 does.

The three roles of a new database get their permissions. In every role, permissions for removed actions and
content types are deleted, removed fields are left out, and required fields are added. Super Admin gets every
permission. If nothing changed, nothing is written.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Final

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authorization.admin.catalogue import FIELDS, LOCALES, Catalogue
from octavo.access.authorization.admin.conditions import IS_CREATOR
from octavo.access.authorization.admin.fields import all_paths, leaves
from octavo.access.authorization.admin.names import PUBLISH
from octavo.accounts.administrators.deployed_definitions import LOCK, Look
from octavo.accounts.administrators.role_permissions import (
    Permission,
    StoredPermission,
    change_properties,
    delete_permissions,
    insert_permissions,
    read_permissions,
    without_unknown_plugins,
)
from octavo.accounts.administrators.row_writes import AUTHOR, EDITOR, ensure_roles, lock_administrators
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work

logger = logging.getLogger(__name__)

_ROLES_AND_LOCALES: Final = """
SELECT code, id, 1 FROM admin_roles UNION ALL SELECT code, id, 0 FROM i18n_locale ORDER BY 2"""

_MEDIA: Final = ("read", "configure-view", "assets.create", "assets.update", "assets.download", "assets.copy-link")
_OWN_MEDIA: Final = frozenset({"read", "assets.update"})
"""Actions that authors have for their own files only."""


@dataclass(slots=True)
class _Changes:
    """The changes to write."""

    lacks_roles: bool = False
    removed: list[int] = field(default_factory=list)
    changed: dict[int, dict[str, Any]] = field(default_factory=dict)
    added: list[tuple[int, list[Permission]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.lacks_roles or self.removed or self.changed or self.added)


@dataclass(frozen=True, slots=True)
class _Scope:
    """Options of `set_up_roles`."""

    keeps_plugins: bool
    sweeps: bool
    created_again: frozenset[str]


async def set_up_roles(
    database: Database,
    catalogue: Catalogue,
    feed: ChangeFeed | None = None,
    *,
    keeps_plugins: bool = False,
    sweeps: bool = True,
    is_newest: Look | None = None,
    created_again: Collection[str] = (),
) -> bool:
    """Make roles and permissions match the current actions and content types; return whether anything had to change.

    With `keeps_plugins`, permissions of unknown plugins stay, because v4 may know the plugin. They grant nothing here.
    Without `sweeps`, permissions stay, because another process has newer definitions. Only removed locales are left
    out, because all processes have the same ones. `is_newest` checks again after waiting for the lock, because newer
    definitions can be deployed meanwhile. `created_again` are content types that start without permissions, although
    a former one with the same name had some.

    Several processes can run this at the same time.
    """
    scope = _Scope(keeps_plugins, sweeps, frozenset(created_again))
    if not await _changes(database, catalogue, scope):
        return False
    async with unit_of_work(database, feed) as unit:
        await unit.connection.lock(LOCK)
        await lock_administrators(unit.connection)
        if scope.sweeps and is_newest is not None and not await is_newest(unit.connection):
            scope = replace(scope, sweeps=False)
        await ensure_roles(unit, database.dialect)
        changes = await _changes(unit.connection, catalogue, scope)
        await _write(unit, database, changes)
    if changes.removed or changes.changed:
        logger.info(
            "Updated administrator permissions: removed %d for deleted types or locales, changed the fields or "
            "locales of %d",
            len(changes.removed),
            len(changes.changed),
        )
    return True


async def _changes(connection: Connection, catalogue: Catalogue, scope: _Scope) -> _Changes:
    """Compute the changes to write."""
    rows = await connection.fetch_all(_ROLES_AND_LOCALES)
    roles = {code: int(role_id) for code, role_id, is_role in rows if is_role}
    locales = [code for code, _, is_role in rows if not is_role]
    stored = await read_permissions(connection)
    changes = _Changes(lacks_roles=not roles)
    if not stored:
        changes.added += [(roles[code], rights) for code, rights in _default_rights(catalogue) if code in roles]
    others = [one for one in stored if one.role_id != roles.get(SUPER_ADMIN)]
    if stored and not scope.sweeps:
        _leave_out_locales(others, locales, changes)
        return changes
    if scope.keeps_plugins:
        stored = without_unknown_plugins(stored, catalogue)
        others = [*without_unknown_plugins(others, catalogue)]
    _sweep(others, catalogue, changes, scope.created_again)
    _leave_out_locales(others, locales, changes)
    if SUPER_ADMIN in roles:
        role_id = roles[SUPER_ADMIN]
        _complete(role_id, [one for one in stored if one.role_id == role_id], catalogue, locales, changes)
    return changes


async def _write(unit: UnitOfWork, database: Database, changes: _Changes) -> None:
    dialect = database.dialect
    await delete_permissions(unit, dialect, changes.removed)
    for permission_id, properties in changes.changed.items():
        await change_properties(unit, dialect, permission_id, properties)
    for role_id, added in changes.added:
        await insert_permissions(unit, dialect, role_id, added)


# Default permissions of editors and authors


def _default_rights(catalogue: Catalogue) -> Iterator[tuple[str, list[Permission]]]:
    yield EDITOR, [*_of_content(catalogue), *_of_media(catalogue)]
    own = [replace(one, conditions=[IS_CREATOR]) for one in _of_content(catalogue) if one.action != PUBLISH]
    yield AUTHOR, [*own, *_of_media(catalogue, own=True)]


def _of_content(catalogue: Catalogue) -> Iterator[Permission]:
    """Yield all permissions for the project's own content, except those that need locales."""
    for action in catalogue.entry_actions.values():
        for uid in catalogue.subjects_of(action):
            properties = {FIELDS: list(leaves(catalogue.fields[uid]))} if FIELDS in action.properties else {}
            said = Permission(action.id, uid, properties)
            if uid.startswith("api::") and not _is_without_properties(said, catalogue):
                yield said


def _of_media(catalogue: Catalogue, *, own: bool = False) -> Iterator[Permission]:
    for name in _MEDIA:
        if catalogue.knows(f"plugin::upload.{name}"):
            conditions = [IS_CREATOR] if own and name in _OWN_MEDIA else []
            yield Permission(f"plugin::upload.{name}", conditions=conditions)


# Removing outdated permissions


def _sweep(
    stored: Iterable[StoredPermission], catalogue: Catalogue, changes: _Changes, created_again: Collection[str]
) -> None:
    for one in stored:
        said = one.said
        if (
            said.subject in created_again
            or not catalogue.fits(said.action, said.subject)
            or not catalogue.knows(said.action)
            or _is_without_properties(said, catalogue)
        ):
            changes.removed.append(one.id)
        elif said.subject is not None and FIELDS in catalogue.properties_of(said.action):
            fields = _clean(said.properties.get(FIELDS), said.subject, catalogue)
            if fields != said.properties.get(FIELDS):
                changes.changed[one.id] = {**said.properties, FIELDS: fields}


def _leave_out_locales(stored: Iterable[StoredPermission], locales: Collection[str], changes: _Changes) -> None:
    """Leave out removed locales. If one with the same code is added later, permissions do not return."""
    removed = frozenset(changes.removed)
    for one in stored:
        properties = changes.changed.get(one.id, one.said.properties)
        named = properties.get(LOCALES)
        if one.id not in removed and isinstance(named, list) and not {*filter(_is_text, named)} <= {*locales}:
            changes.changed[one.id] = {**properties, LOCALES: [code for code in named if code in locales]}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_without_properties(said: Permission, catalogue: Catalogue) -> bool:
    """Return whether a permission sets none of the properties that its action supports here.

    It was granted before the properties applied, and would now grant everything.
    """
    asked = catalogue.properties_of(said.action)
    return bool(asked) and all(
        catalogue.applies(name, said.subject or "") and said.properties.get(name) is None for name in asked
    )


def _clean(given: Any, subject: str, catalogue: Catalogue) -> list[str]:
    """Return the existing fields of a permission, and the required ones."""
    fields = catalogue.fields[subject]
    named = {name for name in given if isinstance(name, str)} if isinstance(given, list) else set()
    known = all_paths(fields)
    if named <= {*known} and isinstance(given, list) and named >= {*leaves(fields, required=True)}:
        return given  # unchanged
    kept = [path for path in known if path in named]
    return [*kept, *(path for path in leaves(fields, required=True) if path not in named)]


# Permissions of Super Admin


def _complete(
    role_id: int, stored: Sequence[StoredPermission], catalogue: Catalogue, locales: list[str], changes: _Changes
) -> None:
    wanted = {(one.action, one.subject): one for one in _everything(catalogue, locales)}
    for row in stored:
        one = wanted.pop((row.said.action, row.said.subject), None)
        if one is None or row.said.conditions:
            changes.removed.append(row.id)
            if one is not None:
                wanted[one.action, one.subject] = one
        elif row.said.properties != one.properties:
            changes.changed[row.id] = dict(one.properties)
    if wanted:
        changes.added.append((role_id, [*wanted.values()]))


def _everything(catalogue: Catalogue, locales: list[str]) -> Iterator[Permission]:
    for action in catalogue.entry_actions.values():
        for uid in catalogue.subjects_of(action):
            values = {FIELDS: list(leaves(catalogue.fields[uid])), LOCALES: locales}
            asked = (name for name in catalogue.properties_of(action.id) if catalogue.applies(name, uid))
            yield Permission(action.id, uid, {name: values[name] for name in asked})
    for name in catalogue.actions:
        yield Permission(name)
