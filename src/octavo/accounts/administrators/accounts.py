"""Administrator accounts: list, invite, update and delete administrators, and edit the own profile.

Administrators can only grant or edit permissions within their own. Raises ValidationError, ApplicationError,
NotFoundError, ForbiddenError and BadRequestError with Strapi's messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from octavo.access.authentication.one_time_codes import issue_administrator_code
from octavo.access.authentication.passwords import hash_password, verify_password
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators import request_bodies
from octavo.accounts.administrators.request_bodies import checked, lowered
from octavo.accounts.administrators.role_permissions import check_covers
from octavo.accounts.administrators.row_writes import (
    TAKEN,
    NewRow,
    delete_administrator,
    insert_administrator,
    lock_administrators,
    store_code,
    update_administrator,
)
from octavo.accounts.administrators.rows import (
    Administrator,
    AdminRole,
    find_administrator,
    read_administrator,
    read_roles,
    roles_of,
    subject_of,
)
from octavo.accounts.administrators.sign_in import AdminSignIn
from octavo.content.controllers.reading import ContentReads
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import (
    ApplicationError,
    BadRequestError,
    InvalidParameter,
    NotFoundError,
    Problem,
    ValidationError,
)
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.query.answer import Nested, Object, Plain
from octavo.query.ast import And, At, Compare, Filter, Or, Page, Query
from octavo.query.ast import Sort as Order
from octavo.query.numbers import plain_id
from octavo.query.operators import OPERATORS
from octavo.query.params import read_panel_page, read_query
from octavo.query.request import Drafts, ReadRequest
from octavo.schema.content_types import ADMIN_USER

_UNKNOWN: Final = "User does not exist"
_NOT_FOUND: Final = "User not found"


@dataclass(frozen=True, slots=True)
class AdministratorAccount:
    """An administrator with roles. `invitation` is the token of a new invitation; it cannot be read again."""

    administrator: Administrator
    roles: tuple[AdminRole, ...]
    invitation: str | None = None


class AdministratorManagement:
    """Manages administrators."""

    def __init__(
        self,
        database: Database,
        administrators: AdminSignIn,
        limits: SignInLimits,
        feed: ChangeFeed,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._dialect = database.dialect
        self._administrators = administrators
        self._limits = limits
        self._feed = feed
        self._clock = clock

    async def get(self, given_id: str) -> AdministratorAccount:
        """Return the administrator with this id, given as text."""
        return await self._with_roles(self._database, await self._found(self._database, given_id, _UNKNOWN))

    async def invite(self, body: Any, actor: Actor) -> AdministratorAccount:
        """Create an administrator, who chooses a password by the invitation."""
        given = checked(request_bodies.INVITATION, lowered(body) if body else {})
        if "roles" not in given:
            raise ValidationError.from_problems([Problem(("roles",), "roles is a required field")])
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            if await find_administrator(unit.connection, self._dialect, given["email"]) is not None:
                raise ApplicationError(TAKEN)
            roles = await self._given_roles(unit, given["roles"], actor)
            new = NewRow(
                given["email"],
                given["firstname"],
                given.get("lastname"),
                given.get("preferedLanguage"),
                roles,
            )
            account = await self._read(unit.connection, await insert_administrator(unit, self._dialect, new))
            made = account.administrator
            lasts = self._administrators.options.invitation_seconds
            code = issue_administrator_code(subject_of(made, "registration"), self._clock.wall(), lasts)
            await store_code(unit, self._dialect, "registration", made.id, code.stored)
            return replace(account, invitation=code.text)

    async def change(self, given_id: str, body: Any, actor: Actor) -> AdministratorAccount:
        """Update another administrator."""
        given = checked(request_bodies.CHANGE, lowered(body))
        hashed = (await hash_password(given["password"])).hash if "password" in given else None
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            before = await self._found(unit.connection, given_id, _UNKNOWN)
            await self._check_touched(unit, before, actor)
            if await self._is_taken(unit.connection, before, given):
                raise ApplicationError("A user with this email address already exists")
            roles = await self._given_roles(unit, given["roles"], actor) if "roles" in given else None
            changed = _changed(before, given)
            deactivates = given.get("isActive") is False
            await update_administrator(unit, self._dialect, changed, roles, hashed, deactivates=deactivates)
            return await self._read(unit.connection, before.id)

    async def change_own(self, actor: Actor, body: Any, authorization: str | None, client: str) -> AdministratorAccount:
        """Update the actor's own profile. A new password ends all sessions except the current one."""
        has_password = isinstance(body, dict) and "password" in body
        given = checked(request_bodies.PROFILE_WITH_PASSWORD if has_password else request_bodies.PROFILE, lowered(body))
        hashed = None
        if has_password:
            await self._limits.check("admin-password", client, actor.id)
            own = await read_administrator(self._database, self._dialect, actor.id or 0)
            if own is None or not await verify_password(given["currentPassword"], own.password):
                raise BadRequestError("ValidationError", {"currentPassword": ["Invalid credentials"]})
            hashed = (await hash_password(given["password"])).hash
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            before = await self._found(unit.connection, str(actor.id), _UNKNOWN)
            if await self._is_taken(unit.connection, before, given):
                raise BadRequestError("ValidationError", {"email": [TAKEN]})
            await update_administrator(unit, self._dialect, _changed(before, given), None, hashed)
            if hashed is not None:
                await self._administrators.keep_session(unit, authorization, hashed)
            return await self._read(unit.connection, before.id)

    async def delete(self, given_id: str, actor: Actor) -> AdministratorAccount:
        """Delete an administrator and return the deleted one."""
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            return await self._delete(unit, given_id, actor)

    async def delete_many(self, body: Any, actor: Actor) -> list[AdministratorAccount]:
        """Delete several administrators, or none if one cannot be deleted."""
        given = checked(request_bodies.DELETION, body)
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            ids = dict.fromkeys(str(_number(one)) for one in given["ids"])
            return [await self._delete(unit, one, actor) for one in ids]

    async def _delete(self, unit: UnitOfWork, given_id: str, actor: Actor) -> AdministratorAccount:
        administrator = await self._found(unit.connection, given_id, _NOT_FOUND)
        await self._check_touched(unit, administrator, actor)
        account = await self._with_roles(unit.connection, administrator)
        await delete_administrator(unit, self._dialect, administrator)
        return account

    async def _found(self, connection: Connection, given_id: str, message: str) -> Administrator:
        number = _number(given_id)
        administrator = await read_administrator(connection, self._dialect, number) if number else None
        if administrator is None:
            raise NotFoundError(message)
        return administrator

    async def _read(self, connection: Connection, user_id: int) -> AdministratorAccount:
        return await self._with_roles(connection, await self._found(connection, str(user_id), _UNKNOWN))

    async def _with_roles(self, connection: Connection, found: Administrator) -> AdministratorAccount:
        return AdministratorAccount(found, await roles_of(connection, self._dialect, found.id))

    async def _is_taken(self, connection: Connection, before: Administrator, given: dict[str, Any]) -> bool:
        if given.get("email", before.email) == before.email:
            return False
        return await find_administrator(connection, self._dialect, given["email"]) is not None

    async def _check_touched(self, unit: UnitOfWork, found: Administrator, actor: Actor) -> None:
        """Raise ForbiddenError if the administrator to change has permissions that the actor lacks."""
        roles = await roles_of(unit.connection, self._dialect, found.id)
        await check_covers(unit.connection, self._dialect, actor, [role.id for role in roles])

    async def _given_roles(self, unit: UnitOfWork, given: list[Any], actor: Actor) -> tuple[int, ...]:
        """Return the ids of the given roles. Raises ValidationError if one does not exist and ForbiddenError if one has
        permissions that the actor lacks."""
        known = await read_roles(unit.connection)
        ids = [_number(one) for one in given]
        problems = [
            Problem(("roles", str(index)), f"roles[{index}] is not an existing role")
            for index, one in enumerate(ids)
            if one not in known
        ]
        if problems:
            raise ValidationError.from_problems(problems)
        await check_covers(unit.connection, self._dialect, actor, ids)
        return tuple(dict.fromkeys(ids))


def _number(given: Any) -> int:
    """Return an id from a URL or a body; a fraction is truncated."""
    return plain_id(int(given) if isinstance(given, float) else given)


_FIELDS: Final = {
    "email": "email",
    "firstname": "firstname",
    "lastname": "lastname",
    "username": "username",
    "isActive": "active",
    "preferedLanguage": "language",
}


def _changed(before: Administrator, given: dict[str, Any]) -> Administrator:
    return replace(before, **{_FIELDS[name]: value for name, value in given.items() if name in _FIELDS})


SHOWN: Final = (
    "firstname",
    "lastname",
    "username",
    "email",
    "isActive",
    "blocked",
    "preferedLanguage",
    "createdAt",
    "updatedAt",
)
_COMPARED: Final = frozenset({"firstname", "lastname", "username"})
_SEARCHED: Final = ("firstname", "lastname", "username", "email")
_ROLES: Final = Nested(
    "roles",
    Query(sort=(Order(names=("id",)),)),
    Object((("id", Plain(None)), *((name, Plain(name)) for name in ("name", "description", "code")))),
)


class _Comparing(Ability):
    """The fields that any caller can filter and sort administrators by: as in Strapi, no private ones."""

    __slots__ = ()

    key = "administrators' lists"
    limits_fields = True

    def allows(self, action: str) -> bool:
        return False

    def shows_drafts(self, uid: str) -> bool:
        return False

    def may(self, action: str, uid: str) -> bool:
        return uid == ADMIN_USER

    def reads(self, uid: str, field: str) -> bool:
        return field in _COMPARED


_COMPARING: Final = _Comparing()


class AdministratorList:
    """Lists administrators."""

    def __init__(self, reads: ContentReads) -> None:
        self._reads = reads
        self._type = reads.registry.content_types[ADMIN_USER]

    async def find(self, params: Mapping[str, Any]) -> tuple[bytes, Page, int]:
        """Return a page as a JSON array, the page, and the total. Raises ValidationError and its subclasses."""
        page = read_panel_page(params)
        names = _fields(params.get("fields"))
        asked = read_query({name: params[name] for name in ("filters", "sort", "_q") if name in params})
        query = self._reads.sanitize(replace(asked, search=None), self._type, _COMPARING)
        if asked.search is not None:
            search = _search(asked.search)
            query = replace(query, filters=search if query.filters is None else And(items=(query.filters, search)))
        if not query.sort:
            query = replace(query, sort=(Order(names=("id",)),))
        shown = Object((("id", Plain(None)), *((name, Plain(name)) for name in names), ("roles", _ROLES)))
        request = ReadRequest(
            content_type=self._type, query=replace(query, page=page), projection=shown, drafts=Drafts.ANY
        )
        entries, total = await self._reads.find(self._reads.prepare(request, None))
        return entries, page, total or 0


def _fields(given: Any) -> Sequence[str]:
    """Return the attributes to show, from the parameter `fields`."""
    if given is None:
        return SHOWN
    names = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else [None]
    for name in names:
        if name not in (*SHOWN, "id", "*"):
            raise InvalidParameter(str(name), ("fields",))
    return SHOWN if "*" in names else [name for name in SHOWN if name in names]


def _search(text: str) -> Filter:
    """Return a filter for administrators whose name or email contains a text, or whose id it is."""
    contains = Compare(operator=OPERATORS["$containsi"], values=(text,))
    filters: list[Filter] = [At(attribute=name, filter=contains) for name in _SEARCHED]
    if number := plain_id(text):
        filters.append(At(attribute="id", filter=Compare(operator=OPERATORS["$eq"], values=(number,))))
    return Or(items=tuple(filters))


def serialize_administrators(entries: bytes, pagination: Mapping[str, int]) -> bytes:
    """Return the response body of a list."""
    return b'{"data":{"results":%b,"pagination":%b}}' % (entries, orjson.dumps(pagination))
