"""User administration: users made, changed and deleted by others than themselves; the same for every door.

Refuses with ValidationError, ApplicationError and NotFoundError. Whoever may not find roles can give none.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from octavo.access import account_bodies as bodies
from octavo.access.account_rows import LOCAL, ROLE, USER, Account, AccountRows, lock_names
from octavo.access.actors import Actor
from octavo.access.sanitize_write import WriteSanitizer
from octavo.access.token_versions import revoke_user_tokens
from octavo.content.entries import EntryUnit, EntryWriter
from octavo.content.passwords import prepare_password
from octavo.content.printing import type_message
from octavo.content.reading import EntryReader, Prepared
from octavo.errors import ApplicationError, NotFoundError, Problem, ValidationError
from octavo.plan.read import plan_one
from octavo.query.ast import Populate, Query
from octavo.schema.attributes import Scalar

_PASSWORD: Final = "password"
_NEVER_GIVEN: Final = frozenset({"provider", "resetPasswordToken", "confirmationToken"})
_WITH_ROLE: Final = Query(populate=(Populate(name="role", query=Query()),))


class UserAdministration:
    """Makes, changes and deletes users. Answers are raw JSON, with the role where the actor may find roles.

    `invalidate` is called after each change: somebody may remember users.
    """

    def __init__(
        self, reader: EntryReader, writer: EntryWriter, rows: AccountRows, invalidate: Callable[[], None]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = rows
        self._invalidate = invalidate
        self._revoke = rows.versioned
        self._user_type = reader.registry.content_types[USER]
        self._given = frozenset(
            name
            for name, attribute in self._user_type.attributes.items()
            if name == _PASSWORD
            or (
                attribute.writable
                and not attribute.private
                and name not in _NEVER_GIVEN
                and not _is_password(attribute)
            )
        )

    async def create(self, body: Any, actor: Actor) -> bytes:
        """A new user."""
        texts = bodies.read_texts(body, bodies.CREATE_USER, *_role_problems(body))
        data = self._data(body, actor) | texts | {"provider": LOCAL}
        data[_PASSWORD] = await prepare_password(texts[_PASSWORD])
        made = await self._writer.run(lambda unit: self._create(unit, data, actor))
        self._invalidate()
        return made

    async def _create(self, unit: EntryUnit, data: dict[str, Any], actor: Actor) -> bytes:
        await lock_names(unit, data["email"], data["username"])
        taken = await self._rows.others(unit.connection, 0, data["username"], data["email"])
        if taken.settings.unique_email and taken.second:
            raise ApplicationError("Email already taken")
        if "role" not in data:
            data = {**data, "role": await self._rows.role_id(unit.connection, taken.settings.default_role)}
        try:
            user_id = await unit.create(self._user_type, data, actor_id=actor.creator_id)
        except ValidationError as error:  # the reference says it so
            raise ApplicationError(error.message) from error
        return await self._answer(unit, user_id, actor)

    async def update(self, user_id: int, body: Any, actor: Actor) -> bytes:
        """A changed user."""
        account = (await self._rows.by_id(user_id)).account
        if account is None:
            raise NotFoundError("User not found")
        texts = bodies.read_texts(body, bodies.UPDATE_USER, *_null_role_problems(body))
        data = self._data(body, actor) | texts
        if _PASSWORD in texts:
            data[_PASSWORD] = await prepare_password(texts[_PASSWORD])
        changed = await self._writer.run(lambda unit: self._update(unit, account, data, actor))
        self._invalidate()
        return changed

    async def _update(self, unit: EntryUnit, account: Account, data: Mapping[str, Any], actor: Actor) -> bytes:
        username, email = data.get("username"), data.get("email")
        if username or email:
            await lock_names(unit, email, username)
            taken = await self._rows.others(unit.connection, account.id, username, email)
            if taken.first:
                raise ApplicationError("Username already taken")
            if taken.second and taken.settings.unique_email:
                raise ApplicationError("Email already taken")
        if not await unit.update(self._user_type, account.id, data, actor_id=actor.creator_id):
            raise NotFoundError("User not found")
        if self._revoke and (_PASSWORD in data or data.get("blocked")):
            await revoke_user_tokens(unit.connection, self._reader.database.dialect, account.id)
        return await self._answer(unit, account.id, actor)

    async def delete(self, user_id: int) -> bytes | None:
        """Remove a user, who is answered as they were; None when there is none."""

        async def work(unit: EntryUnit) -> bytes | None:
            user = await self._reader.read_one(self._prepared(Query(), user_id), unit.connection)
            if user is not None:
                await unit.delete(self._user_type, user_id)
                if self._revoke:
                    await revoke_user_tokens(unit.connection, self._reader.database.dialect, user_id)
            return user

        deleted = await self._writer.run(work)
        self._invalidate()
        return deleted

    def _data(self, body: Any, actor: Actor) -> dict[str, Any]:
        """What of a body the actor may write."""
        given = {name: body[name] for name in self._given & body.keys()} if isinstance(body, Mapping) else {}
        sanitizer = WriteSanitizer(self._reader.registry, lambda uid: actor.permissions.allows(f"{uid}.find"))
        return dict(sanitizer.sanitize(given, self._user_type))

    async def _answer(self, unit: EntryUnit, user_id: int, actor: Actor) -> bytes:
        query = _WITH_ROLE if actor.permissions.allows(f"{ROLE}.find") else Query()
        user = await self._reader.read_one(self._prepared(query, user_id), unit.connection)
        assert user is not None, "it has just been written"
        return user

    def _prepared(self, query: Query, user_id: int) -> Prepared:
        planned = plan_one(query, self._user_type, self._reader.registry, by_id=True, raw=True)
        prepared = self._reader.prepare(planned)
        return replace(prepared, values=(user_id, *prepared.values[1:]))


def _is_password(attribute: object) -> bool:
    return isinstance(attribute, Scalar) and attribute.type == _PASSWORD


def _role_problems(body: Any) -> list[Problem]:
    missing = not isinstance(body, Mapping) or body.get("role", "") == ""
    return [Problem(("role",), "role is a required field")] if missing else _null_role_problems(body)


def _null_role_problems(body: Any) -> list[Problem]:
    """A user may be given another role, never none."""
    is_null = isinstance(body, Mapping) and "role" in body and body["role"] is None
    return [Problem(("role",), type_message("role", "object", None))] if is_null else []
