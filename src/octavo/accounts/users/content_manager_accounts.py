"""AccountWrites: create and update users in the content manager, with the rules for accounts.

Usernames and email addresses are unique, passwords are hashed, every user has a role. Raises the errors of
`EntryWrites`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import CREATE, FIND, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.accounts.users.user_management import UserForm, UserManagement
from octavo.content.controllers.write_policy import Writable, Write
from octavo.content.entry_snapshot import as_data
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.body_check import check_object
from octavo.content.manager.duplication import copied
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.snapshot_reader import SnapshotReader
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError, Problem
from octavo.core.forms import REQUIRED, ROOT, Anything, Choice, Id, Items, Record, Rule, Shape, at_least, problems_in
from octavo.core.forms.printing import Place

_ROLE: Final = "role"


def _keeps_a_role(value: Any, place: Place) -> Iterator[Problem]:
    if isinstance(value, Mapping) and value.get("disconnect") and not value.get("connect"):
        yield place.member("disconnect").problem("Cannot remove role")


def _role(connects: Rule, *rules: Rule, disconnect: tuple[Rule, ...]) -> Shape:
    links = Record(
        {"connect": Items(Anything(), connects, REQUIRED), "disconnect": Items(Anything(), *disconnect)}, *rules
    )
    return Choice(lambda value: links if isinstance(value, Mapping | list) else Id(nullable=True))


_GIVEN: Final = _role(at_least(1, "Users must have a role"), disconnect=())
_CHANGED: Final = _role(at_least(0), _keeps_a_role, disconnect=(REQUIRED,))


class AccountWrites:
    """Creates and updates users."""

    def __init__(self, users: UserManagement, writes: EntryWrites, writer: EntryWriter, reader: EntryReader) -> None:
        self._users = users
        self._registry = writes.registry
        self._snapshots = SnapshotReader(reader)
        self._type = users.content_type
        self._policy = writes.policy
        self._responses = writes.responses
        self._seen = writes.seen
        self._writer = writer

    async def create(self, write: Write, actor: Actor) -> bytes:
        """Create a user."""
        check_object(write.data)
        allowed = await self._policy.writable(self._type, write, actor, CREATE)
        return await self._writer.run(lambda unit: self._create(unit, allowed.data, allowed, actor), about=self._type)

    async def clone(self, user_id: int, write: Write, actor: Actor) -> bytes:
        """Create a copy of a user with a new username, email address and password."""
        allowed = await self._policy.writable(self._type, write, actor, CREATE)

        async def work(unit: EntryUnit) -> bytes:
            await self._policy.check_access(unit, self._type, user_id, actor, FIND)
            source = await self._snapshots.read_copy(unit, self._type, user_id, actor.ability)
            if source is None:
                raise NotFoundError
            held = as_data(self._registry, self._type, source)
            data = copied(self._registry, self._type, held, allowed.data, actor.ability)
            return await self._create(unit, data, allowed, actor)

        return await self._writer.run(work, about=self._type)

    async def update(self, user_id: int, write: Write, actor: Actor, seen: str | None = None) -> bytes:
        """Update a user. A new password or a block ends their sessions. `seen`: as for other entries."""
        check_object(write.data)
        allowed = await self._policy.writable(self._type, write, actor, UPDATE)

        async def work(unit: EntryUnit) -> bytes:
            await self._policy.check_access(unit, self._type, user_id, actor, UPDATE)
            await self._seen.check(unit, self._type, user_id, actor, seen)
            data = await self._policy.allowed_data(unit, self._type, user_id, allowed, actor, UPDATE)
            with unit.ambient():
                shown = await self._users.update(user_id, data, actor, self._form(data, actor, _CHANGED))
            await self._policy.check_result(unit, self._type, user_id, actor, UPDATE)
            return shown

        try:
            return await self._writer.run(work, about=self._type)
        except NotFoundError:
            raise NotFoundError("Entity not found") from None

    async def _create(self, unit: EntryUnit, data: Mapping[str, Any], found: Writable, actor: Actor) -> bytes:
        with unit.ambient():
            shown = await self._users.create(data, actor, self._form(data, actor, _GIVEN))
        await self._policy.check_created(unit, self._type, orjson.loads(shown)["id"], found, actor)
        return shown

    def _form(self, data: Mapping[str, Any], actor: Actor, role: Shape) -> UserForm:
        given = data.get(_ROLE)
        problems = () if given is None else tuple(problems_in(role, given, ROOT.member(_ROLE)))
        return UserForm(problems, self._responses.prepare_response(self._type, actor.ability))
