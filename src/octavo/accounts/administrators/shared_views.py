"""Shared views: named lists of a content type that administrators share with roles or with everyone.

A view is the query of a list's URL. It grants nothing: each administrator reads the list with their own permissions.
Author and super admins can change a view, with the permission to configure the type's views.
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.rows import roles_of
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError, ForbiddenError, NotFoundError, Problem, ValidationError
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import LARGEST_ID

TABLE: Final = SystemTable(
    "octavo_shared_views",
    (
        "uid varchar(255) NOT NULL",
        "name varchar(255) NOT NULL",
        "search text NOT NULL",
        "roles text",  # role ids as JSON; NULL for everyone
        "author_id bigint NOT NULL",
        "updated_at bigint NOT NULL",
    ),
    counted=True,
    indexes=(("uid",),),
)
MOST: Final = 100
"""The maximum number of shared views of a content type."""
LONGEST_NAME: Final = 60
LONGEST_SEARCH: Final = 4_000
MOST_ROLES: Final = 100
READ_ROLES: Final = "admin::roles.read"
"""The permission to share views with roles of others."""

_LOCK: Final = "octavo: shared views"
_LIST: Final = RawStatement("""
SELECT shared.id, shared.name, shared.search, shared.roles, shared.author_id, author.firstname, author.lastname
FROM octavo_shared_views AS shared LEFT JOIN admin_users AS author ON author.id = shared.author_id
WHERE shared.uid = {uid} ORDER BY shared.id LIMIT {most}""")
_ROLES: Final = RawStatement("SELECT id, name FROM admin_roles ORDER BY id LIMIT {most}")
_EXISTING: Final = "SELECT id FROM admin_roles WHERE id IN ({})"
_WITH_ROLE: Final = RawStatement("SELECT id, roles FROM octavo_shared_views WHERE roles LIKE {pattern} ORDER BY id")
"""Also finds ids that contain the digits of this one."""
_SET_ROLES: Final = RawStatement("UPDATE octavo_shared_views SET roles = {roles} WHERE id = {view}")
_INSERT: Final = RawStatement("""
INSERT INTO octavo_shared_views (uid, name, search, roles, author_id, updated_at)
VALUES ({uid}, {name}, {search}, {roles}, {author}, {now}) {id:returning}""")
_UPDATE: Final = RawStatement("""
UPDATE octavo_shared_views SET name = {name}, search = {search}, roles = {roles}, updated_at = {now}
WHERE id = {view}""")
_DELETE: Final = RawStatement("DELETE FROM octavo_shared_views WHERE id = {view}")


@dataclass(frozen=True, slots=True)
class ViewForm:
    """What an administrator shares. `roles` are ids; None shares with everyone."""

    name: str
    search: str
    roles: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class SharedView:
    """A stored view with its author's name."""

    id: int
    name: str
    search: str
    roles: tuple[int, ...] | None
    author_id: int
    author: str | None


class SharedViews:
    """The shared views of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._dialect = database.dialect

    async def visible(self, content_type: ContentType, actor: Actor) -> list[SharedView]:
        """Return the views that are shared with the actor, and those that the actor can change."""
        own = {one for one, _ in await self._own_roles(self._database, actor)}
        views = await self._read(self._database, content_type)
        return [one for one in views if one.roles is None or own.intersection(one.roles) or owns(one, actor)]

    async def roles(self, actor: Actor) -> list[tuple[int, str]]:
        """Return the roles that the actor can share views with: all, or their own without permission to read roles."""
        return await self._shareable(self._database, actor)

    async def create(self, content_type: ContentType, form: ViewForm, actor: Actor) -> int:
        """Share a view and return its id. Raises ValidationError, and ApplicationError above the maximum."""
        async with unit_of_work(self._database) as unit:
            views = await self._lock(unit, content_type)
            if len(views) >= MOST:
                raise ApplicationError(f"A content type can have at most {MOST} shared views. Delete one first")
            await self._check(unit, form, views, actor)
            values = {"uid": content_type.uid, "author": actor.id or 0, **_values(form)}
            return int(await unit.connection.fetch_value(*_INSERT.bind(self._dialect, **values)))

    async def update(self, content_type: ContentType, view_id: int, form: ViewForm, actor: Actor) -> None:
        """Change a view. Raises NotFoundError, ForbiddenError and ValidationError."""
        async with unit_of_work(self._database) as unit:
            views = await self._lock(unit, content_type)
            before = self._owned(views, view_id, actor)
            others = [one for one in views if one is not before]
            await self._check(unit, form, others, actor, before.roles or ())
            await unit.connection.execute(*_UPDATE.bind(self._dialect, view=view_id, **_values(form)))

    async def delete(self, content_type: ContentType, view_id: int, actor: Actor) -> None:
        """Delete a view. Raises NotFoundError and ForbiddenError."""
        async with unit_of_work(self._database) as unit:
            self._owned(await self._lock(unit, content_type), view_id, actor)
            await unit.connection.execute(*_DELETE.bind(self._dialect, view=view_id))

    async def _lock(self, unit: UnitOfWork, content_type: ContentType) -> list[SharedView]:
        """Return a type's views and lock them, so that two requests cannot use one name or exceed the maximum."""
        await unit.connection.lock(_LOCK)
        return await self._read(unit.connection, content_type)

    async def _read(self, connection: Connection, content_type: ContentType) -> list[SharedView]:
        statement = _LIST.bind(self._dialect, uid=content_type.uid, most=MOST)
        return [_view(row) for row in await connection.fetch_all(*statement)]

    def _owned(self, views: Sequence[SharedView], view_id: int, actor: Actor) -> SharedView:
        view = next((one for one in views if one.id == view_id), None)
        if view is None:
            raise NotFoundError
        if not owns(view, actor):
            raise ForbiddenError
        return view

    async def _check(
        self, unit: UnitOfWork, form: ViewForm, others: Sequence[SharedView], actor: Actor, known: Sequence[int] = ()
    ) -> None:
        """Raise ValidationError for a name that is taken, and for roles that the actor cannot choose."""
        problems = []
        if any(one.name == form.name for one in others):
            problems.append(Problem(("name",), "name is already used by a shared view. Choose another one"))
        if form.roles is not None:
            allowed = (await self._allowed(unit.connection, form.roles, actor)).union(known)
            refused = [role for role in form.roles if role not in allowed]
            problems += [Problem(("roles",), f"roles: you can't share views with the role {one}") for one in refused]
        if problems:
            raise ValidationError.from_problems(problems)

    async def _allowed(self, connection: Connection, wanted: Sequence[int], actor: Actor) -> set[int]:
        """Return those of the wanted roles that the actor can share views with, also beyond the listed ones."""
        if not actor.may(READ_ROLES):
            return {one for one, _ in await self._own_roles(connection, actor)}
        ids = [role for role in wanted if role <= LARGEST_ID]
        marks = ", ".join(self._dialect.mark(number) for number in range(1, len(ids) + 1))
        return {int(one) for (one,) in await connection.fetch_all(_EXISTING.format(marks), ids)} if ids else set()

    async def _shareable(self, connection: Connection, actor: Actor) -> list[tuple[int, str]]:
        if not actor.may(READ_ROLES):
            return await self._own_roles(connection, actor)
        rows = await connection.fetch_all(*_ROLES.bind(self._dialect, most=MOST_ROLES))
        return [(int(one), str(name)) for one, name in rows]

    async def _own_roles(self, connection: Connection, actor: Actor) -> list[tuple[int, str]]:
        return [(one.id, one.name) for one in await roles_of(connection, self._dialect, actor.id or 0)]


async def forget_role(unit: UnitOfWork, dialect: Dialect, role_id: int) -> None:
    """Remove a deleted role from views, and delete the views that are shared with no other role.

    Otherwise a new role could see them: databases can use the ids of deleted rows again.
    """
    await unit.connection.lock(_LOCK)
    rows = await unit.connection.fetch_all(*_WITH_ROLE.bind(dialect, pattern=f"%{role_id}%"))
    for view_id, text in rows:
        roles = orjson.loads(text)
        others = [one for one in roles if one != role_id]
        if not others:
            await unit.connection.execute(*_DELETE.bind(dialect, view=view_id))
        elif others != roles:
            given = orjson.dumps(others).decode()
            await unit.connection.execute(*_SET_ROLES.bind(dialect, view=view_id, roles=given))


def owns(view: SharedView, actor: Actor) -> bool:
    """Return whether the actor is the author or a super admin."""
    return view.author_id == actor.id or actor.ability.everything


def _values(form: ViewForm) -> dict[str, Any]:
    roles = None if form.roles is None else orjson.dumps(form.roles).decode()
    return {"name": form.name, "search": form.search, "roles": roles, "now": this_moment()}


def _view(row: Sequence[Any]) -> SharedView:
    view_id, name, search, roles, author_id, firstname, lastname = row
    author = " ".join(part for part in (firstname, lastname) if part)
    ids = None if roles is None else tuple(orjson.loads(roles))
    return SharedView(int(view_id), name, search, ids, int(author_id), author or None)
