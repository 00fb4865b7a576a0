"""FilePrivacy: make files private or public, on their own or as their folder requires.

A file is hidden in the storage before the transaction that marks it private, and published after the one that marks it
public, so the URL of a private file never works. When folders change, a message in the outbox has their files follow in
steps; an interrupted step is repeated.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, TypeVar

from octavo.content.entry_unit import EntryUnit
from octavo.content.media.library import MediaLibrary
from octavo.content.media.private_file_mover import PrivateFileMover
from octavo.content.media.private_files import TABLE as PRIVATE_FILES
from octavo.content.media.private_files import mark_private, unmark_private
from octavo.content.media.private_folders import has_private_folders, is_private_path, misplaced_files
from octavo.content.media.shared_files import ids_sharing
from octavo.content.media.storage.base import PrivateStorage
from octavo.content.media.storage_cleanup import file_lock
from octavo.content.media.stored_parts import names_in_row
from octavo.content.media.upload_folder import LOCK
from octavo.content.media.variant_rows import delete_variants, objects_of
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError, ServiceUnavailable, ValidationError
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.leases import LeaseTaken, lease
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import Message, Topic
from octavo.events.outbox import Outbox
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import FILE

TOPIC: Final = "private folders"
MISSING: Final = "Entity not found"
NO_PRIVATE_FILES: Final = (
    "Single files can be private only in the local storage and in public buckets of S3, with "
    "`upload.config.privateFiles` in plugins.toml and `images.secret` in api.toml. In a private bucket, all files are "
    "private"
)
_ELSEWHERE: Final = "The file is in another storage, so it cannot be made private"
_IN_FOLDER: Final = "The file is in a private folder. Move it to a public folder, or make the folder public"
_AT_ONCE: Final = 50
"""Number of files that follow their folder before the response, and with each message."""
_SECONDS: Final = 300.0

_ROW: Final = RawStatement(f"""
SELECT f.name, f.folder_path, f.provider, f.url, f.provider_metadata, f.formats, p.file_id, p.by_folder
FROM files f LEFT JOIN {PRIVATE_FILES.name} p ON p.file_id = f.id WHERE f.id = {{file}}""")  # noqa: S608

Guard = Callable[[EntryUnit, int], Awaitable[None]]
Purge = Callable[[UnitOfWork, Sequence[str]], Awaitable[None]]
ResultT = TypeVar("ResultT")


async def purge_nothing(unit: UnitOfWork, names: Sequence[str]) -> None:
    """Do nothing: there are no CDNs."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """Whether a file is private, whether that can be changed, and whether it is private because of its folder."""

    private: bool
    can_change: bool
    by_folder: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A file: its name, the path of its folder, its URL, the names of its parts, and what the table records."""

    name: str
    folder_path: str
    url: str
    names: frozenset[str]
    is_private: bool
    by_folder: bool


class FilePrivacy:
    """The privacy of the files of one project."""

    def __init__(self, writer: EntryWriter, reader: EntryReader, media: MediaLibrary, outbox: Outbox) -> None:
        self._writer = writer
        self._database: Database = writer.database
        self._dialect = writer.database.dialect
        self._reader = reader
        self._storage = media.storage
        self._cleanup = media.cleanup
        self._mover = PrivateFileMover(writer.database, media.storage)
        self._outbox = outbox
        self._type = writer.registry.content_types[FILE]
        self.purge: Purge = purge_nothing
        """Purges the copies of files in CDNs."""

    @property
    def is_enabled(self) -> bool:
        """Whether files can be private."""
        return isinstance(self._storage, PrivateStorage) and self._storage.hides_files

    def check_enabled(self) -> None:
        """Raise ValidationError if files cannot be private."""
        if not self.is_enabled:
            raise ValidationError(NO_PRIVATE_FILES)

    async def show(self, file_id: int) -> Privacy:
        """Return the privacy of a file. Raises NotFoundError."""
        if not self.is_enabled:
            return Privacy(private=False, can_change=False, by_folder=False)
        row = await self._row(self._database, file_id)
        inside = await is_private_path(self._database, self._dialect, row.folder_path)
        return Privacy(private=row.is_private, can_change=not inside, by_folder=inside)

    async def set(
        self, file_id: int, answer: PreparedRead, actor_id: int | None, guard: Guard, *, private: bool
    ) -> bytes:
        """Make a file private or public; return its response.

        Raises NotFoundError, and ValidationError if the storage cannot do this, or if its folder is private.
        """
        self.check_enabled()

        async def work(unit: EntryUnit, ids: Sequence[int]) -> bytes:
            await guard(unit, file_id)
            if not private and await self._any_in_private_folder(unit.connection, ids):
                raise ValidationError(_IN_FOLDER)
            await self._mark(unit, ids, actor_id, private=private, by_folder=False)
            shown = await self._reader.read_one(answer.bind(id=file_id), unit.connection)
            if shown is None:
                raise NotFoundError(MISSING)
            return shown

        await self._writer.run(lambda unit: guard(unit, file_id))
        return await self._change(file_id, work, private=private)

    async def note_move(self, unit: EntryUnit) -> None:
        """Have files follow their folders after the unit's commit, if there are private folders."""
        if self.is_enabled and await has_private_folders(unit.connection):
            await self.note_change(unit)

    async def note_change(self, unit: EntryUnit) -> None:
        """Have files follow their folders after the unit's commit."""
        await self._outbox.add(unit, TOPIC, {"after": 0}, ordering_key=TOPIC)

    async def follow_folders(self) -> bool:
        """Let the first files follow their folders, before the response to a change; return whether there were any.

        The messages of the outbox continue.
        """
        if not self.is_enabled:
            return False
        ids = await misplaced_files(self._database, self._dialect, 0, _AT_ONCE)
        await self._follow_all(ids)
        return bool(ids)

    async def follow_all(self) -> None:
        """Let all files follow their folders, after a restore or a change by other software."""
        after = 0
        while ids := await misplaced_files(self._database, self._dialect, after, _AT_ONCE):
            await self._follow_all(ids)
            after = ids[-1]

    def topic(self) -> Topic:
        """Return the topic of the messages."""
        return Topic(TOPIC, self._deliver, seconds=_SECONDS, at_once=1, is_active=lambda: self.is_enabled)

    async def _deliver(self, message: Message) -> None:
        """Let some files follow their folders, and add a message for more."""
        ids = await misplaced_files(self._database, self._dialect, message.payload["after"], _AT_ONCE)
        if not await self._follow_all(ids):
            raise ServiceUnavailable(reason="another process is changing a file in a private folder")
        if len(ids) == _AT_ONCE:
            await self._writer.run(lambda unit: self._outbox.add(unit, TOPIC, {"after": ids[-1]}, ordering_key=TOPIC))

    async def _follow_all(self, ids: Sequence[int]) -> bool:
        """Let files follow their folders; return whether no other process was changing one of them."""
        taken = 0
        for file_id in ids:
            try:
                await self._follow(file_id)
            except NotFoundError:  # deleted since
                continue
            except LeaseTaken:
                taken += 1
        return not taken

    async def _follow(self, file_id: int) -> None:
        """Make a file private or public as its folder requires."""
        row = await self._row(self._database, file_id)
        private = await is_private_path(self._database, self._dialect, row.folder_path)
        if not row.names or row.is_private == private:
            return

        async def work(unit: EntryUnit, ids: Sequence[int]) -> None:
            if await self._any_in_private_folder(unit.connection, ids) == private:
                await self._mark(unit, ids, None, private=private, by_folder=True)

        await self._change(file_id, work, private=private)

    async def _change(
        self, file_id: int, work: Callable[[EntryUnit, Sequence[int]], Awaitable[ResultT]], *, private: bool
    ) -> ResultT:
        """Run work that makes a file private or public, with the ids of the rows that share it.

        It runs in a unit of work, with the lock of folders.
        """
        storage = self._storage
        assert isinstance(storage, PrivateStorage)
        row = await self._row(self._database, file_id)
        if not row.names:
            raise ValidationError(_ELSEWHERE)
        ids = await ids_sharing(self._database, self._dialect, row.url)

        async def locked(unit: EntryUnit) -> ResultT:
            await unit.connection.lock(LOCK)
            await unit.connection.lock_all([file_lock(each) for each in ids])
            await self._row(unit.connection, file_id)
            return await work(unit, ids)

        async with self._leases(ids):
            try:
                if private:
                    names = [*row.names, *await objects_of(self._database, ids)]
                    await in_thread(partial(storage.set_private, names, private=True))
                return await self._writer.run(locked, grouped=False)
            finally:  # an error does not tell whether the transaction was committed
                for each in ids:
                    await self._mover.reconcile(each)

    async def _mark(
        self, unit: EntryUnit, ids: Sequence[int], actor_id: int | None, *, private: bool, by_folder: bool
    ) -> None:
        if private:
            for file_id in ids:
                await mark_private(unit.connection, self._dialect, file_id, by_folder=by_folder)
        else:
            await unmark_private(unit.connection, ids)
        names = set[str]()
        for file_id in ids:
            row = await self._row(unit.connection, file_id)
            names |= row.names
            await unit.update(self._type, file_id, {"name": row.name}, actor_id=actor_id)
        if private:
            await self.purge(unit, sorted(names))
        await self._cleanup.remove_with(unit, await delete_variants(unit.connection, ids))

    async def _any_in_private_folder(self, connection: Connection, ids: Sequence[int]) -> bool:
        paths = {(await self._row(connection, file_id)).folder_path for file_id in ids}
        return any([await is_private_path(connection, self._dialect, path) for path in sorted(paths)])

    async def _row(self, connection: Connection | Database, file_id: int) -> _Row:
        """Return a file. Raises NotFoundError."""
        row = await connection.fetch_row(*_ROW.bind(self._dialect, file=file_id))
        if row is None:
            raise NotFoundError(MISSING)
        name, path, *location, mark, by_folder = row
        names = frozenset(names_in_row(self._storage, *location))
        return _Row(name or "", path or "", location[1], names, mark is not None, by_folder == 1)

    @asynccontextmanager
    async def _leases(self, ids: Sequence[int]) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for file_id in ids:
                await stack.enter_async_context(lease(self._database, file_lock(file_id)))
            yield
