"""Administrator roles: create, update and delete roles, and set their permissions.

Administrators cannot grant permissions beyond their own, nor update or delete a role that has more, because that would
weaken administrators above them. Raises ApplicationError, ValidationError, NotFoundError and ForbiddenError with
Strapi's messages.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.access.authorization.admin.escalation import check_grants_within
from octavo.access.authorization.admin.grants import Grant, read_grant
from octavo.accounts.administrators.role_permissions import (
    Permission,
    StoredPermission,
    check_covers,
    delete_permissions,
    insert_permissions,
    permissions_of_role,
    permissions_of_user,
    without_unknown_plugins,
)
from octavo.accounts.administrators.row_writes import lock_administrators
from octavo.accounts.administrators.shared_views import forget_role
from octavo.content.controllers.reading import ContentReads
from octavo.core.clock import read_moment, this_moment
from octavo.core.errors import ApplicationError, NotFoundError, Problem, ValidationError
from octavo.core.text_limits import transliterate
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, ChangeKind
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.hook_calls import create_row, delete_row, update_row
from octavo.query.answer import Count, Object, Plain
from octavo.query.ast import Page, Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, ReadRequest
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ADMIN_ROLE

_LONGEST_CODE: Final = 200
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"

_ROLE: Final = RawStatement("""
SELECT id, name, code, description, {created_at:milliseconds}, {updated_at:milliseconds}
FROM admin_roles WHERE id = {role}""")
_TAKEN: Final = RawStatement("SELECT id FROM admin_roles WHERE name = {name} AND id <> {role} LIMIT 1")
_IS_IN_USE: Final = RawStatement("SELECT 1 FROM admin_users_roles_links WHERE role_id = {role} LIMIT 1")
_INSERT: Final = RawStatement("""
INSERT INTO admin_roles (name, code, description, created_at, updated_at)
VALUES ({name}, {code}, {description}, {now:instant}, {now:instant}) {id:returning}""")
_UPDATE: Final = RawStatement("""
UPDATE admin_roles SET name = {name}, description = {description}, updated_at = {now:instant} WHERE id = {role}""")
_DELETE: Final = RawStatement("DELETE FROM admin_roles WHERE id = {role}")


@dataclass(frozen=True, slots=True)
class Role:
    """An administrator role."""

    id: int
    name: str
    code: str
    description: str | None
    created_at: datetime | None
    updated_at: datetime | None

    @property
    def is_super(self) -> bool:
        """Whether this is the Super Admin role."""
        return self.code == SUPER_ADMIN


class AdminRoles:
    """Manages administrator roles. Bodies must be validated first.

    Permissions of plugins that only v4 has (`role_setup`) are neither shown nor changed.
    """

    def __init__(self, database: Database, feed: ChangeFeed, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._database = database
        self._dialect = database.dialect
        self._feed = feed

    async def role(self, role_id: int) -> Role:
        """Return a role. Raises NotFoundError."""
        return await self._role(self._database, role_id)

    async def permissions(self, role_id: int) -> tuple[StoredPermission, ...]:
        """Return a role's permissions. Raises NotFoundError."""
        await self.role(role_id)
        return self._known(await permissions_of_role(self._database, self._dialect, role_id))

    async def permissions_of(self, actor: Actor) -> tuple[StoredPermission, ...]:
        """Return the permissions that an administrator has from all roles."""
        return self._known(await permissions_of_user(self._database, self._dialect, actor.id or 0))

    async def create(self, given: Mapping[str, Any]) -> Role:
        """Create a role without permissions."""
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            await self._check_name(unit, given["name"], 0)
            values = {"name": given["name"], "description": given.get("description"), "code": _code_of(given["name"])}

            async def write(data: Mapping[str, Any]) -> int:
                inserting = _INSERT.bind(self._dialect, now=this_moment(), **data)
                role_id = int(await unit.connection.fetch_value(*inserting))
                unit.record(ADMIN_ROLE, role_id, ChangeKind.CREATE)
                return role_id

            return await self._role(unit.connection, await create_row(unit, ADMIN_ROLE, values, write))

    async def update(self, role_id: int, given: Mapping[str, Any], actor: Actor) -> Role:
        """Update a role's name or description; missing values stay."""
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            role = await self._role(unit.connection, role_id)
            if role.is_super:
                raise ApplicationError("Super admin can't be edited.")
            await check_covers(unit.connection, self._dialect, actor, [role_id])
            values = {"name": given.get("name", role.name), "description": given.get("description", role.description)}
            await self._check_name(unit, values["name"], role_id)

            async def write(data: Mapping[str, Any]) -> None:
                changing = _UPDATE.bind(self._dialect, role=role_id, now=this_moment(), **data)
                await unit.connection.execute(*changing)
                unit.record(ADMIN_ROLE, role_id, ChangeKind.UPDATE)

            await update_row(unit, ADMIN_ROLE, role_id, values, write)
            return await self._role(unit.connection, role_id)

    async def delete(self, role_ids: Sequence[int], named: str, actor: Actor) -> list[Role]:
        """Delete roles without users and return those that existed. `named` is the field name in errors."""
        deleted = []
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            found = [await self._find(unit.connection, role_id) for role_id in dict.fromkeys(role_ids)]
            roles = [role for role in found if role is not None]
            if any(role.is_super for role in roles):
                raise _refused(named, "You cannot delete the super admin role")
            for role in roles:
                if await unit.connection.fetch_value(*_IS_IN_USE.bind(self._dialect, role=role.id)):
                    raise _refused(named, "Some roles are still assigned to some users")
            await check_covers(unit.connection, self._dialect, actor, [role.id for role in roles])
            for role in roles:
                await self._delete(unit, role)
                deleted.append(role)
        return deleted

    async def set_permissions(
        self, role_id: int, permissions: Sequence[Permission], actor: Actor
    ) -> tuple[StoredPermission, ...]:
        """Set a role's permissions to exactly these. Unchanged rows stay."""
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            await check_covers(unit.connection, self._dialect, actor, [role_id])
            stored = self._known(await permissions_of_role(unit.connection, self._dialect, role_id))
            kept = [row.said for row in stored]
            new = {index: one for index, one in enumerate(permissions) if one not in kept}
            check_grants_within(actor, _grants(new))
            removed = [row for row in stored if row.said not in permissions]
            if new or removed:
                details = {"before": [row.said for row in removed], "after": [*new.values()]}
                unit.record(ADMIN_ROLE, role_id, ChangeKind.UPDATE, details=details)
            await delete_permissions(unit, self._dialect, [row.id for row in removed])
            await insert_permissions(unit, self._dialect, role_id, [*new.values()])
            return self._known(await permissions_of_role(unit.connection, self._dialect, role_id))

    def _known(self, stored: Iterable[StoredPermission]) -> tuple[StoredPermission, ...]:
        return without_unknown_plugins(stored, self._catalogue)

    async def _role(self, connection: Connection, role_id: int) -> Role:
        role = await self._find(connection, role_id)
        if role is None:
            raise NotFoundError("role.notFound")
        return role

    async def _find(self, connection: Connection, role_id: int) -> Role | None:
        row = await connection.fetch_row(*_ROLE.bind(self._dialect, role=role_id))
        if row is None:
            return None
        found_id, name, code, description, created_at, updated_at = row
        return Role(found_id, name or "", code or "", description, read_moment(created_at), read_moment(updated_at))

    async def _check_name(self, unit: UnitOfWork, name: str, role_id: int) -> None:
        if await unit.connection.fetch_value(*_TAKEN.bind(self._dialect, name=name, role=role_id)) is not None:
            raise ApplicationError(f"The name must be unique and a role with name `{name}` already exists.")

    async def _delete(self, unit: UnitOfWork, role: Role) -> None:
        async def remove() -> None:
            rows = await permissions_of_role(unit.connection, self._dialect, role.id)
            await delete_permissions(unit, self._dialect, [row.id for row in rows])
            await forget_role(unit, self._dialect, role.id)
            await unit.connection.execute(*_DELETE.bind(self._dialect, role=role.id))
            unit.record(ADMIN_ROLE, role.id, ChangeKind.DELETE)

        was = {"name": role.name, "code": role.code, "description": role.description}
        await delete_row(unit, ADMIN_ROLE, role.id, was, remove)


def _grants(permissions: Mapping[int, Permission]) -> dict[int, Grant]:
    """Return the grants of permissions by index; rows that cannot be parsed are left out."""
    by_index = {
        index: read_grant(one.action, one.subject, dict(one.properties), list(one.conditions))
        for index, one in permissions.items()
    }
    return {index: grant for index, grant in by_index.items() if grant is not None}


def _refused(named: str, why: str) -> ValidationError:
    return ValidationError.from_problems([Problem((named,), why)])


def _code_of(name: str) -> str:
    """Return a unique code for a role: words of its name and a timestamp."""
    words = "-".join(re.findall(r"[a-z0-9]+", transliterate(name).lower()))
    moment, number = "", this_moment()
    while number:
        number, digit = divmod(number, len(_DIGITS))
        moment = f"{_DIGITS[digit]}{moment}"
    return f"{words[:_LONGEST_CODE]}-{moment}"


_SHOWN: Final = Object(
    (
        ("id", Plain(None)),
        *((name, Plain(name)) for name in ("name", "code", "description", "createdAt", "updatedAt")),
        ("usersCount", Count("users", linked=True)),
    )
)
_ALL: Final = Page(with_count=False)
_LOCALES: Final = "SELECT code, name FROM i18n_locale ORDER BY id"


class RoleListing:
    """Reads roles and the permission catalog."""

    def __init__(self, database: Database, reads: ContentReads, rights: AbilityBuilder) -> None:
        self._database = database
        self._reads = reads
        self._rights = rights
        self._type = reads.registry.content_types[ADMIN_ROLE]

    async def find(self, params: Mapping[str, Any], ability: Ability) -> Any:
        """Return the roles that match `filters` and `_q`, sorted by `sort`, without pages."""
        asked = read_query({name: params[name] for name in ("filters", "sort", "_q") if name in params})
        query = Query(filters=asked.filters, sort=asked.sort, search=asked.search, page=_ALL)
        query = self._reads.sanitize(query, self._type, ability)
        request = ReadRequest(content_type=self._type, query=query, projection=_SHOWN, drafts=Drafts.ANY)
        return orjson.loads((await self._reads.find(self._reads.prepare(request, ability)))[0])

    async def find_one(self, role_id: int, ability: Ability) -> Any:
        """Return a role. Raises NotFoundError."""
        request = ReadRequest(content_type=self._type, by=By.ID, projection=_SHOWN, drafts=Drafts.ANY)
        role = await self._reads.find_any(self._reads.prepare(request, ability).bind(id=role_id))
        if role is None:
            raise NotFoundError("role.notFound")
        return orjson.loads(role)

    async def catalogue(self) -> dict[str, Any]:
        """Return the catalog of permissions, with the conditions."""
        locales = await self._database.fetch_all(_LOCALES)
        return self._rights.catalogue.serialize(
            self._rights.conditions.values(), [(code, name) for code, name in locales]
        )
