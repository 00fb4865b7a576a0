"""FolderService: create, rename, move and hide folders of the media library. Each is one transaction.

Names are unique within a folder; paths lead from the top. Bodies are validated with Strapi's messages, together with
the folders they refer to. Raises NotFoundError and ValidationError.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from octavo.content.entry_unit import EntryUnit
from octavo.content.media.file_privacy import FilePrivacy
from octavo.content.media.folder_rows import FolderRow, FolderRows, check_path_length
from octavo.content.media.private_folders import is_private_path, mark_folder, private_ids
from octavo.content.media.upload_folder import LOCK
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError, Problem, ValidationError
from octavo.core.forms import REQUIRED, Id, Record, Rule, Text, at_least, at_most, check, rule
from octavo.schema.content_types import FOLDER

Guard = Callable[[EntryUnit, str], Awaitable[None]]

MISSING_FOLDER: Final = "folder not found"
_AROUND: Final = "A folder that contains this one is private. Move this folder out of it, or make that folder public"
_NO_SLASHES: Final = rule("name cannot contain slashes", lambda name: name != "" and "/" not in name)
_NO_SPACE_AROUND: Final = rule(
    "name cannot start or end with a whitespace", lambda name: name != "" and name == name.strip()
)
_NAME: Final = (at_least(1), _NO_SLASHES, _NO_SPACE_AROUND, at_most(255))


class FolderService:
    """Manages the folders of one project."""

    def __init__(self, writer: EntryWriter, reader: EntryReader, privacy: FilePrivacy) -> None:
        self._writer = writer
        self._privacy = privacy
        self._reader = reader
        self._type = writer.registry.content_types[FOLDER]
        self._rows = FolderRows(reader.dialect)

    async def create(self, body: Any, answer: PreparedRead, actor_id: int | None) -> bytes:
        """Create a folder from a body with `name` and `parent`."""

        async def work(unit: EntryUnit) -> bytes:
            await unit.connection.lock(LOCK)
            parent = await self._parent(unit, body)
            check(_form(Text(*_NAME, REQUIRED), _is_there(parent)), body)
            name = body["name"]
            await self._check_free(unit, name, parent.id if parent else None)
            number = await self._rows.next_number(unit.connection)
            path = _path(parent, number)
            data = {"name": name, "pathId": number, "path": path, "parent": parent and parent.id}
            folder_id = await unit.create(self._type, data, actor_id=actor_id)
            return await self._show(unit, answer, folder_id)

        return await self._writer.run(work)

    async def update(
        self, folder_id: int | None, body: Any, answer: PreparedRead, actor_id: int | None, guard: Guard
    ) -> bytes:
        """Rename a folder, or move it with its contents, as the body says.

        `guard` raises ForbiddenError if the caller cannot move the files below a folder's path.
        """

        async def work(unit: EntryUnit) -> bytes:
            await unit.connection.lock(LOCK)
            held = await self._rows.find(unit.connection, folder_id)
            parent = await self._parent(unit, body)
            check(_form(Text(*_NAME), _is_there(parent), _is_outside(parent, held)), body)
            if held is None:
                raise NotFoundError(MISSING_FOLDER)
            data = {name: body[name] for name in ("name", "parent") if name in body}
            if "parent" in data:
                data["parent"] = parent and parent.id
            place = data.get("parent", held.parent)
            await self._check_free(unit, data.get("name", held.name), place, held.id)
            if place != held.parent:
                await guard(unit, held.path)
                data["path"] = _path(parent, held.path.rpartition("/")[2])
                await self._rows.move_paths(unit.connection, held.path, data["path"])
                await self._privacy.note_move(unit)
            await unit.update(self._type, held.id, data, actor_id=actor_id)
            return await self._show(unit, answer, held.id)

        shown = await self._writer.run(work)
        if isinstance(body, Mapping) and "parent" in body:
            await self._privacy.follow_folders()
        return shown

    async def private_ids(self) -> list[int]:
        """Return the ids of the folders that are private on their own. Their subfolders are private, too."""
        return await private_ids(self._writer.database) if self._privacy.is_enabled else []

    async def set_private(self, folder_id: int, actor_id: int | None, guard: Guard, *, private: bool) -> None:
        """Make a folder private or public, with the files in it and in its subfolders.

        The first files change before this returns, and all others soon. `guard`: as for `update`. Raises NotFoundError,
        and ValidationError if files cannot be private, or if a folder around it is private.
        """
        self._privacy.check_enabled()

        async def work(unit: EntryUnit) -> None:
            await unit.connection.lock(LOCK)
            held = await self._rows.find(unit.connection, folder_id)
            if held is None:
                raise NotFoundError(MISSING_FOLDER)
            await guard(unit, held.path)
            await mark_folder(unit.connection, self._reader.dialect, held.id, private=private)
            if not private and await is_private_path(unit.connection, self._reader.dialect, held.path):
                raise ValidationError(_AROUND)
            await unit.update(self._type, held.id, {"name": held.name}, actor_id=actor_id)
            await self._privacy.note_change(unit)

        await self._writer.run(work)
        await self._privacy.follow_folders()

    async def _parent(self, unit: EntryUnit, body: Any) -> FolderRow | None:
        given = body.get("parent") if isinstance(body, Mapping) else None
        return await self._rows.find(unit.connection, given)

    async def _check_free(self, unit: EntryUnit, name: str, parent: int | None, own_id: int | None = None) -> None:
        if await self._rows.ids_named(unit.connection, name, parent) - {own_id}:
            raise ValidationError.from_problems([Problem(("name",), "A folder with this name already exists")])

    async def _show(self, unit: EntryUnit, answer: PreparedRead, folder_id: int) -> bytes:
        shown = await self._reader.read_one(answer.bind(id=folder_id), unit.connection)
        if shown is None:
            raise NotFoundError(MISSING_FOLDER)
        return shown


def _form(name: Text, *rules: Rule) -> Record:
    return Record({"name": name, "parent": Id(*rules, nullable=True)}, closed=True)


def _is_there(found: FolderRow | None) -> Rule:
    return rule("parent folder does not exist", lambda _: found is not None)


def _is_outside(parent: FolderRow | None, held: FolderRow | None) -> Rule:
    """Return the rule that a folder cannot be moved into itself or one of its subfolders."""
    around = f"{held.path}/" if held else ""
    is_inside = parent is not None and held is not None and f"{parent.path}/".startswith(around)
    return rule("folder cannot be moved inside itself", lambda _: not is_inside)


def _path(parent: FolderRow | None, number: object) -> str:
    path = f"{parent.path if parent else ''}/{number}"
    check_path_length(len(path))
    return path
