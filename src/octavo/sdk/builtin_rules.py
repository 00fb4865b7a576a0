"""Entries of built-in types with additional rules: roles and files."""

from typing import Unpack

from octavo.accounts.users.role_management import RoleManagement
from octavo.content.controllers.content import ContentController
from octavo.content.entry_unit import EntryUnit
from octavo.content.media.files import FileService
from octavo.core.values import dataclass
from octavo.events.origin import coming_from
from octavo.project import Entry
from octavo.schema.content_types import FILE, ROLE, ContentType
from octavo.sdk.entries import Entries
from octavo.sdk.entry_reads import Choice


@dataclass(frozen=True, slots=True)
class BuiltinRules:
    """Applies the rules of built-in types."""

    files: FileService
    roles: RoleManagement

    def entries(self, controller: ContentController, content_type: ContentType) -> Entries:
        """Return the entries of a type, with its own rules if it has any."""
        match content_type.uid:
            case uid if uid == FILE:
                return FileEntries(controller, content_type, self)
            case uid if uid == ROLE:
                return RoleEntries(controller, content_type, self)
            case _:
                return Entries(controller, content_type)


class _RuledEntries(Entries):
    """Entries that are deleted by their type's own code: one by one, all or none."""

    def __init__(self, controller: ContentController, content_type: ContentType, rules: BuiltinRules) -> None:
        super().__init__(controller, content_type)
        self._rules = rules

    async def delete_many(self, **chosen: Unpack[Choice]) -> int:
        """Delete all matching entries and return their number. `filters={}` matches all of them."""

        async def work(_: EntryUnit, ids: list[int]) -> int:
            for one in ids:
                await self.delete(one)
            return len(ids)

        return await self._chosen(chosen, work)


class FileEntries(_RuledEntries):
    """Files. Deleting one also deletes it from the storage."""

    async def delete(self, entry_id: int) -> Entry:
        """Delete a file and return its last state. Raises NotFoundError."""
        answer = await self._answer(None)
        with coming_from("code"):
            return self._entry(await self._rules.files.delete(entry_id, answer))


class RoleEntries(_RuledEntries):
    """Roles. Users of a deleted role get the public role, which cannot be deleted."""

    async def delete(self, entry_id: int) -> Entry:
        """Delete a role and return its last state. Raises NotFoundError, ApplicationError."""

        async def work(_: EntryUnit) -> Entry:
            shown = await self._reads.find_one((await self._answer(None)).bind(id=entry_id))
            await self._rules.roles.delete(entry_id)
            return self._entry(shown)

        return await self._run(work)
