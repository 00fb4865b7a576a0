"""User administration: create, update and delete users. Shared by REST, GraphQL and the admin API.

Raises ValidationError, ApplicationError and NotFoundError. Callers need permission to find roles to assign one.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from octavo.access.authentication.passwords import prepare_password
from octavo.access.authorization.ability import CREATE, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.accounts.users import account_input as bodies
from octavo.accounts.users.role_management import check_roles_given, role_of_type, role_of_user
from octavo.accounts.users.user_rows import LOCAL, Account, AccountRows, lock_names
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.relation_input import InvalidRelations, named_targets
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError, NotFoundError, Problem, ValidationError
from octavo.core.forms.printing import type_message
from octavo.core.values import dataclass
from octavo.query.ast import Populate, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ROLE, USER, ContentType

_PASSWORD: Final = "password"
_NEVER_GIVEN: Final = frozenset({"provider", "resetPasswordToken", "confirmationToken"})
_WITH_ROLE: Final = Query(populate=(Populate(name="role", query=Query()),))


@dataclass(frozen=True, slots=True)
class UserForm:
    """How an API differs from REST: further problems of a body, and how users are returned by id.

    APIs with their own response format also have other messages for a name that is taken (observed).
    """

    problems: tuple[Problem, ...] = ()
    answer: PreparedRead | None = None


REST_FORM: Final = UserForm()


class UserManagement:
    """Manages users. Responses are raw JSON, with the role if the actor can find roles."""

    def __init__(self, reader: EntryReader, writer: EntryWriter, rows: AccountRows) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = rows
        self._user_type = reader.registry.content_types[USER]
        self._private = frozenset(name for name, one in self._user_type.attributes.items() if one.private) - {_PASSWORD}
        self._given = frozenset(
            name
            for name, attribute in self._user_type.attributes.items()
            if name == _PASSWORD or (attribute.writable and name not in _NEVER_GIVEN and not _is_password(attribute))
        )

    @property
    def content_type(self) -> ContentType:
        """The content type of users."""
        return self._user_type

    async def create(self, body: Any, actor: Actor, form: UserForm = REST_FORM) -> bytes:
        """Create a user."""
        texts = bodies.read_texts(body, bodies.CREATE_USER, *_role_problems(body), *form.problems)
        data = self._data(body, actor, CREATE) | texts | {"provider": LOCAL}
        data[_PASSWORD] = await prepare_password(texts[_PASSWORD])
        return await self._writer.run(lambda unit: self._create(unit, data, actor, form))

    async def _create(self, unit: EntryUnit, data: dict[str, Any], actor: Actor, form: UserForm) -> bytes:
        await lock_names(unit, self._reader.database.dialect, data["email"], data["username"])
        taken = await self._rows.others(unit.connection, 0, data["username"], data["email"])
        if taken.first and form.answer is not None:
            raise ApplicationError("Username already taken")
        if taken.settings.unique_email and taken.second:
            raise ApplicationError("Email already taken")
        if "role" not in data:
            data = {**data, "role": await self._rows.role_id(unit.connection, taken.settings.default_role)}
        dialect, default = self._reader.database.dialect, taken.settings.default_role
        await self._check_role(unit, data, actor, lambda: role_of_type(unit, dialect, default))
        try:
            user_id = await unit.create(self._user_type, data, actor_id=actor.creator_id)
        except ValidationError as error:  # as Strapi reports it
            raise ApplicationError(error.message) from error
        return await self._answer(unit, user_id, actor, form)

    async def update(self, user_id: int, body: Any, actor: Actor, form: UserForm = REST_FORM) -> bytes:
        """Update a user."""
        account = (await self._rows.by_id(user_id)).account
        if account is None:
            raise NotFoundError("User not found")
        texts = bodies.read_texts(body, bodies.UPDATE_USER, *_null_role_problems(body), *form.problems)
        data = self._data(body, actor, UPDATE) | texts
        if _PASSWORD in texts:
            data[_PASSWORD] = await prepare_password(texts[_PASSWORD])
        return await self._writer.run(lambda unit: self._update(unit, account, data, actor, form))

    async def _update(
        self, unit: EntryUnit, account: Account, data: Mapping[str, Any], actor: Actor, form: UserForm
    ) -> bytes:
        username, email = data.get("username"), data.get("email")
        if username or email:
            await lock_names(unit, self._reader.database.dialect, email, username)
            taken = await self._rows.others(unit.connection, account.id, username, email)
            if taken.first:
                raise ApplicationError("Username already taken")
            if taken.second and taken.settings.unique_email:
                raise ApplicationError("Email already taken")
        dialect = self._reader.database.dialect
        await self._check_role(unit, data, actor, lambda: role_of_user(unit, dialect, account.id))
        if (_PASSWORD in data or email) and (role_id := await role_of_user(unit, dialect, account.id)) is not None:
            await check_roles_given(unit, dialect, actor, [role_id])  # email or password let the actor sign in as them
        if not await unit.update(self._user_type, account.id, data, actor_id=actor.creator_id):
            raise NotFoundError("User not found")
        return await self._answer(unit, account.id, actor, form)

    async def delete(self, user_id: int) -> bytes | None:
        """Delete a user and return the deleted one; None if it does not exist."""

        async def work(unit: EntryUnit) -> bytes | None:
            user = await self._reader.read_one(self._prepared(Query(), user_id), unit.connection)
            if user is not None:
                await unit.delete(self._user_type, user_id)
            return user

        return await self._writer.run(work)

    async def _check_role(
        self, unit: EntryUnit, data: Mapping[str, Any], actor: Actor, allowed: Callable[[], Awaitable[int | None]]
    ) -> None:
        """Raise ForbiddenError if an administrator assigns a role with permissions they lack.

        The role returned by `allowed` is exempt: the user's current one or the default. Malformed values are left to
        validation.
        """
        try:
            given = {target for _, target in named_targets(data.get("role")) if isinstance(target, int)}
        except InvalidRelations:
            return
        if given and actor.kind == "administrator" and not actor.ability.everything:
            roles = given - {await allowed()}
            await check_roles_given(unit, self._reader.database.dialect, actor, roles)

    def _data(self, body: Any, actor: Actor, action: str) -> dict[str, Any]:
        """Return the part of a body that the actor can write."""
        named = self._given & body.keys() if isinstance(body, Mapping) else ()
        private = () if actor.ability.knows_private else self._private
        given = {name: body[name] for name in named if name not in private}
        sanitizer = InputSanitizer(
            self._reader.registry, actor.ability, action, find_files=self._writer.rules.find_files
        )
        return dict(sanitizer.sanitize(given, self._user_type))

    async def _answer(self, unit: EntryUnit, user_id: int, actor: Actor, form: UserForm) -> bytes:
        query = _WITH_ROLE if actor.ability.may("find", ROLE) else Query()
        answer = form.answer and form.answer.bind(id=user_id)
        user = await self._reader.read_one(answer or self._prepared(query, user_id), unit.connection)
        assert user is not None, "it has just been written"
        return user

    def _prepared(self, query: Query, user_id: int) -> PreparedRead:
        request = ReadRequest(content_type=self._user_type, query=query, by=By.ID, projection=Form.FLAT)
        return self._reader.prepare(plan_read(request, self._reader.registry)).bind(id=user_id)


def _is_password(attribute: object) -> bool:
    return isinstance(attribute, Scalar) and attribute.type == _PASSWORD


def _role_problems(body: Any) -> list[Problem]:
    missing = not isinstance(body, Mapping) or body.get("role", "") == ""
    return [Problem(("role",), "role is a required field")] if missing else _null_role_problems(body)


def _null_role_problems(body: Any) -> list[Problem]:
    """Return a problem if the role is null: a user's role can change but not be removed."""
    is_null = isinstance(body, Mapping) and "role" in body and body["role"] is None
    return [Problem(("role",), type_message("role", "object", None))] if is_null else []
