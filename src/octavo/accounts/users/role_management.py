"""User roles: read, create, update and delete them with their permissions. Shared by REST, GraphQL and the admin API.

Raises ValidationError, ApplicationError and NotFoundError; ForbiddenError if an administrator gives users permissions
beyond their own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authorization.actions import ActionTree, action_tree
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import check_users_get_within
from octavo.access.authorization.role_grants import LOCK, check_actions, granted_within, set_grants_within
from octavo.accounts.users.user_rows import default_role
from octavo.content.controllers.content import ContentController
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError, NotFoundError, Problem, ValidationError
from octavo.core.text_limits import MAX_LABEL, transliterate
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.ast import Page, Populate, Query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ROLE, ContentType

_PUBLIC: Final = "public"
_IS_DEFAULT: Final = (
    "The role {type} is the default role of new users. Choose another default role, then delete this one."
)
_NAMED: Final = ("name", "description")
_LONGEST_TYPE: Final = 200
"""The maximum length of a role's type, before its number."""
_TYPES: Final = "SELECT type FROM up_roles"
_TYPE: Final = RawStatement("SELECT type FROM up_roles WHERE id = {role}{:row_lock}")
"""Locks the role, so that no user gets it while it is deleted."""
_PUBLIC_ID: Final = "SELECT id FROM up_roles WHERE type = 'public' ORDER BY id LIMIT 1"
_MOVE_USERS: Final = RawStatement("UPDATE up_users_role_links SET role_id = {public} WHERE role_id = {role}")


class RoleManagement:
    """Manages user roles. `keeps_default`: the default role of new users cannot be deleted; in v4 it can."""

    def __init__(self, writer: EntryWriter, *, keeps_default: bool = False) -> None:
        self._writer = writer
        self._keeps_default = keeps_default
        self._dialect = writer.database.dialect
        self._role_type = _with_short_names(writer.registry.content_types[ROLE])

    async def create(self, body: Any, actor: Actor) -> int:
        """Create a role and return its id."""
        given = _check_body(body)
        actions = _read_actions(given.get("permissions"))
        check_users_get_within(actor, actions or ())

        async def work(unit: EntryUnit) -> int:
            await unit.connection.lock(LOCK)
            present = {row[0] for row in await unit.connection.fetch_all(_TYPES)}
            present.add(await default_role(unit.connection, self._dialect))  # reserved even if the role was deleted
            role_type = _free_type(str(given.get("name")), present)
            role_id = await unit.create(self._role_type, {**_named(given), "type": role_type})
            await set_grants_within(unit, self._dialect, role_id, actions or ())
            return role_id

        return await self._writer.run(work)

    async def update(self, role_id: int, body: Any, actor: Actor, *, whole: bool = False) -> None:
        """Update a role. Its permissions only change if the body contains them.

        With `whole`, the body is complete: without permissions the role loses all of them.
        """
        given = _check_body(body)
        actions = _read_actions(given.get("permissions", {} if whole else None))

        async def work(unit: EntryUnit) -> None:
            await unit.connection.lock(LOCK)
            if not await unit.update(self._role_type, role_id, _named(given)):
                raise NotFoundError("Role not found")
            if actions is not None:
                granted = await granted_within(unit, self._dialect, role_id)
                check_users_get_within(actor, (action for action in actions if action not in granted))
                await set_grants_within(unit, self._dialect, role_id, actions)

        await self._writer.run(work)

    async def delete(self, role_id: int) -> None:
        """Delete a role with its permissions; its users get the public role."""

        async def work(unit: EntryUnit) -> None:
            await unit.connection.lock(LOCK)
            role_type = await unit.connection.fetch_row(*_TYPE.bind(self._dialect, role=role_id))
            if role_type is None:
                raise NotFoundError("Role not found")
            if role_type[0] == _PUBLIC:
                raise ApplicationError("Cannot delete public role")
            if self._keeps_default and role_type[0] == await default_role(unit.connection, self._dialect):
                raise ApplicationError(_IS_DEFAULT.format(type=role_type[0]))
            public_id = await unit.connection.fetch_value(_PUBLIC_ID)
            if public_id is not None:
                await unit.connection.execute(*_MOVE_USERS.bind(self._dialect, role=role_id, public=public_id))
            await set_grants_within(unit, self._dialect, role_id, ())
            await unit.delete(self._role_type, role_id)

        await self._writer.run(work)


def _with_short_names(role_type: ContentType) -> ContentType:
    """Return the role type without the minimum length for names, which v4 defines but does not check."""
    name = role_type.attributes["name"]
    if not isinstance(name, Scalar):
        return role_type
    return replace(role_type, attributes={**role_type.attributes, "name": replace(name, min_length=None)})


def _check_body(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping) or not body:
        raise ValidationError("Request body cannot be empty")
    for name in _NAMED:
        if isinstance(body.get(name), str) and len(body[name]) > MAX_LABEL:
            raise ValidationError.from_problems([Problem((name,), f"{name} must be at most {MAX_LABEL} characters")])
    return body


def _named(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in _NAMED if name in body}


def _free_type(name: str, present: Iterable[str | None]) -> str:
    """Return a unique type for a new role, derived from its name and numbered if taken."""
    words = re.findall(r"[a-z]+|\d+", transliterate(name).lower())
    wanted = "_".join(words)[:_LONGEST_TYPE] or "role"
    taken, number, free = set(present), 1, wanted
    while free in taken:
        free = f"{wanted}_{number}"
        number += 1
    return free


def _read_actions(tree: Any) -> tuple[str, ...] | None:
    """Return the enabled actions of a tree as in `action_tree`; None without a tree. Raises ValidationError."""
    if tree is None:
        return None
    actions = tuple(dict.fromkeys(_enabled(tree)))
    check_actions(actions)
    if any(len(action) > MAX_LABEL for action in actions):
        raise ValidationError(f"An action must be at most {MAX_LABEL} characters")
    return actions


def _enabled(tree: Any) -> Iterator[str]:
    for owner, inside in _items(tree):
        for controller, actions in _items(_members(inside).get("controllers", {})):
            for action, given in _items(actions):
                if _members(given).get("enabled") is True:
                    yield f"{owner}.{controller}.{action}"


def _members(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValidationError("permissions must be a tree of objects, with controllers, actions and enabled")
    return value


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return _members(value).items()


_EVERY_ONE: Final = Query(page=Page(with_count=False))
_WITH_USERS: Final = replace(_EVERY_ONE, populate=(Populate(name="users", query=Query(), count=True),))
_WITH_ACTIONS: Final = Query(populate=(Populate(name="permissions", query=Query(fields=("action",))),))


class RoleReading:
    """Reads user roles and the actions that they can be granted."""

    def __init__(self, controller: ContentController) -> None:
        self._controller = controller

    async def all(self) -> list[dict[str, Any]]:
        """Return all roles, with the number of their users (`nb_users`)."""
        found, _ = await self._controller.reads.find(self._prepare(_WITH_USERS, By.LIST))
        roles: list[dict[str, Any]] = orjson.loads(found)
        for role in roles:
            role["nb_users"] = role.pop("users")["count"]
        return roles

    async def one(self, role_id: int | None) -> dict[str, Any]:
        """Return a role with all actions, each enabled or not. Raises NotFoundError."""
        prepared = self._prepare(_WITH_ACTIONS, By.ID)
        found = None if role_id is None else await self._controller.reads.find_any(prepared.bind(id=role_id))
        if found is None:
            raise NotFoundError("Role not found")
        role: dict[str, Any] = orjson.loads(found)
        granted = {permission["action"] for permission in role["permissions"]}
        role["permissions"] = action_tree(self._controller.registry, granted, self._controller.own_actions)
        return role

    def actions(self) -> ActionTree:
        """Return all actions that can be granted, none enabled."""
        return action_tree(self._controller.registry, own=self._controller.own_actions)

    def _prepare(self, query: Query, by: By) -> PreparedRead:
        """Prepare a query without sanitizing it."""
        role = self._controller.registry.content_types[ROLE]
        own = ReadRequest(content_type=role, query=query, by=by, projection=Form.FLAT, drafts=Drafts.ANY)
        return self._controller.reads.prepare(own, None)


_BY_TYPE: Final = RawStatement("SELECT id FROM up_roles WHERE type = {type} ORDER BY id LIMIT 1")
_KNOWN_TYPES: Final = "SELECT DISTINCT type FROM up_roles WHERE type IS NOT NULL ORDER BY type"
_OF_ALL: Final = "SELECT DISTINCT action FROM up_permissions"
_ROLE_OF: Final = RawStatement("SELECT role_id FROM up_users_role_links WHERE user_id = {user}")


async def check_default_role(unit: UnitOfWork, dialect: Dialect, role_type: object) -> int:
    """Return the id of the role with this type. Raises ValidationError, which lists the existing roles."""
    await unit.connection.lock(LOCK)
    role_id = await role_of_type(unit, dialect, role_type) if isinstance(role_type, str) else None
    if role_id is None:
        known = ", ".join(str(row[0]) for row in await unit.connection.fetch_all(_KNOWN_TYPES))
        message = f"default_role must be the type of an existing role: {known}"
        raise ValidationError.from_problems([Problem(("default_role",), message)])
    return role_id


async def role_of_type(unit: UnitOfWork, dialect: Dialect, role_type: str) -> int | None:
    """Return the id of the role with this type; None if there is none."""
    role_id = await unit.connection.fetch_value(*_BY_TYPE.bind(dialect, type=role_type))
    return None if role_id is None else int(role_id)


async def check_roles_given(unit: UnitOfWork, dialect: Dialect, actor: Actor, roles: Iterable[int]) -> None:
    """Raise ForbiddenError if any of these roles has permissions that an administrator lacks."""
    if actor.kind != "administrator" or actor.ability.everything:
        return
    await unit.connection.lock(LOCK)
    for role_id in roles:
        check_users_get_within(actor, await granted_within(unit, dialect, role_id))


async def check_all_users(unit: UnitOfWork, actor: Actor) -> None:
    """Raise ForbiddenError if any role of users has permissions that an administrator lacks.

    Required for settings that let an administrator act as any user.
    """
    if actor.kind != "administrator" or actor.ability.everything:
        return
    await unit.connection.lock(LOCK)
    check_users_get_within(actor, [row[0] for row in await unit.connection.fetch_all(_OF_ALL, long=True) if row[0]])


async def role_of_user(unit: UnitOfWork, dialect: Dialect, user_id: int) -> int | None:
    """Return the id of a user's role."""
    role_id = await unit.connection.fetch_value(*_ROLE_OF.bind(dialect, user=user_id))
    return None if role_id is None else int(role_id)
