"""Entries of built-in types: users, roles and files, which have rules besides those of all content."""

from collections.abc import Mapping
from typing import Any, Unpack

from octavo.content.many_entries import ManyEntriesUnit
from octavo.controllers.content import ContentController
from octavo.events.origin import coming_from
from octavo.media.files import FileService
from octavo.project import Entry
from octavo.project.api.entries import Entries
from octavo.project.api.entry_reads import Choice, Data, Populate
from octavo.schema.content_types import ContentType
from octavo.schema.uids import FILE, ROLE, USER
from octavo.users.role_management import RoleManagement
from octavo.users.user_management import UserManagement
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class OwnRules:
    """Who keeps the rules of built-in types."""

    files: FileService
    users: UserManagement
    roles: RoleManagement

    def entries(self, controller: ContentController, content_type: ContentType) -> Entries:
        """The entries of a type, with its own rules where it has any."""
        match content_type.uid:
            case uid if uid == FILE:
                return FileEntries(controller, content_type, self)
            case uid if uid == USER:
                return UserEntries(controller, content_type, self)
            case uid if uid == ROLE:
                return RoleEntries(controller, content_type, self)
            case _:
                return Entries(controller, content_type)


class _RuledEntries(Entries):
    """Entries whose removal is somebody's work: one by one, all or none."""

    def __init__(self, controller: ContentController, content_type: ContentType, rules: OwnRules) -> None:
        super().__init__(controller, content_type)
        self._rules = rules

    async def delete_many(self, **chosen: Unpack[Choice]) -> int:
        """Remove all entries that are chosen; how many there were. `filters={}` chooses all of them."""

        async def work(_: ManyEntriesUnit, ids: list[int]) -> int:
            for one in ids:
                await self.delete(one)
            return len(ids)

        return await self._chosen(chosen, work)


class FileEntries(_RuledEntries):
    """Files. What lies in the storage goes with them."""

    async def delete(self, entry_id: int) -> Entry:
        """Remove a file; it is answered as it was. Raises NotFoundError."""
        answer = await self._answer(None)
        with coming_from("code"):
            return self._entry(await self._rules.files.delete(entry_id, answer))


class RoleEntries(_RuledEntries):
    """Roles. Users of one that is removed get the public role, which stays."""

    async def delete(self, entry_id: int) -> Entry:
        """Remove a role; it is answered as it was. Raises NotFoundError, ApplicationError."""

        async def work(_: ManyEntriesUnit) -> Entry:
            shown = await self._reads.find_one((await self._answer(None)).bind(id=entry_id))
            await self._rules.roles.delete(entry_id)
            return self._entry(shown)

        return await self._run(work)


class UserEntries(_RuledEntries):
    """Users. Tokens end with a password, a block and a user, where the settings say that they do."""

    async def update(self, entry_id: int, data: Data, *, populate: Populate | None = None) -> Entry:
        """Change what the data names of a user. Raises NotFoundError."""
        if not _ends_tokens(data):
            return await super().update(entry_id, data, populate=populate)
        written, answer = await self._prepared(data), await self._answer(populate)

        async def work(unit: ManyEntriesUnit) -> Entry:
            await self._change(entry_id, written)
            await self._rules.users.end_tokens(unit, entry_id)
            return self._entry(await self._reads.find_one(answer.bind(id=entry_id)))

        return await self._run(work)

    async def update_many(self, data: Data, **chosen: Unpack[Choice]) -> int:
        """Change what the data names of all users that are chosen; how many. `filters={}` chooses all of them."""
        if not _ends_tokens(data):
            return await super().update_many(data, **chosen)
        written = await self._prepared(data)

        async def work(unit: ManyEntriesUnit, ids: list[int]) -> int:
            for one in ids:
                await self._rules.users.end_tokens(unit, one)
            return await unit.update_many(self._type, ids, written)

        return await self._chosen(chosen, work)

    async def delete(self, entry_id: int) -> Entry:
        """Remove a user, who is answered as they were. Raises NotFoundError."""

        async def work(unit: ManyEntriesUnit) -> Entry:
            await self._rules.users.end_tokens(unit, entry_id)
            return await super(UserEntries, self).delete(entry_id)

        return await self._run(work)

    async def _prepared(self, data: Data) -> Mapping[str, Any]:
        """The data with its password hashed, before a transaction waits for that."""
        written: Mapping[str, Any] = await self._writer.passwords.prepare(self._type, self._plain(data))
        return written


def _ends_tokens(data: Data) -> bool:
    return "password" in data or bool(data.get("blocked"))
