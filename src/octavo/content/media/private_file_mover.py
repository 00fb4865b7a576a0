"""PrivateFileMover: move files to the private or public part of the storage, as the table of private files says.

A file is moved before or after the transaction that marks it. Afterwards `reconcile` compares it with the table, even
if the transaction failed. `reconcile_all` does this for the files that a killed process left behind, and after a
restore of the database.
"""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from octavo.content.media import private_files
from octavo.content.media.storage.base import PrivateStorage, ReadableStorage, Storage
from octavo.content.media.storage_cleanup import file_lock
from octavo.content.media.stored_parts import names_in_row
from octavo.core.errors import OctavoError
from octavo.core.outage_log import reason_of
from octavo.core.threads import in_thread
from octavo.database.connection import Database
from octavo.database.leases import LeaseTaken, lease
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.query.sql.raw_statement import RawStatement

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 100
_MOST_UNMARKED: Final = 10_000
"""How many private files without a mark are looked up. Each hundred of them needs a search of the table `files`."""

_COLUMNS: Final = "f.id, f.provider, f.url, f.provider_metadata, f.formats"
_MARKED: Final = RawStatement(f"""
SELECT {_COLUMNS} FROM files f JOIN {private_files.TABLE.name} p ON p.file_id = f.id
WHERE f.id > {{after}} ORDER BY f.id LIMIT {{most}}""")  # noqa: S608
_ONE: Final = RawStatement(f"""
SELECT {_COLUMNS}, p.file_id FROM files f LEFT JOIN {private_files.TABLE.name} p ON p.file_id = f.id
WHERE f.id = {{file}}""")  # noqa: S608


class PrivateFileMover:
    """The private files of one project. `storage` can have some."""

    def __init__(self, database: Database, storage: Storage) -> None:
        self._database = database
        self._storage = storage

    async def reconcile(self, file_id: int) -> None:
        """Make a file private or public, as in the table. The caller holds the file's lease.

        If the database or the folder cannot be used, the file stays where it is: `reconcile_all` repeats this.
        """
        try:
            await self._reconcile(file_id)
        except (OctavoError, OSError) as error:
            logger.warning("cannot check yet whether file %d is private: %s", file_id, reason_of(error))

    async def reconcile_all(self) -> int:
        """Move files that are not where the table says; return their number. Raises OctavoError and OSError."""
        storage = self._storage
        if not isinstance(storage, PrivateStorage) or not storage.hides_files:
            return 0
        hidden = await in_thread(lambda: set(storage.private_names()))
        misplaced, marked = await self._unhidden(storage)
        misplaced += await self._unmarked(sorted(hidden - marked)[:_MOST_UNMARKED])
        moved = 0
        for file_id in misplaced:
            try:
                async with lease(self._database, file_lock(file_id)):
                    await self._reconcile(file_id)
            except LeaseTaken:  # another process is changing it
                continue
            moved += 1
        return moved

    async def _reconcile(self, file_id: int) -> None:
        storage = self._storage
        assert isinstance(storage, PrivateStorage)

        async def work(unit: UnitOfWork) -> None:
            await unit.connection.lock(file_lock(file_id))
            rows = await unit.connection.fetch_all(*_ONE.bind(self._database.dialect, file=file_id))
            for _, *columns, mark in rows:
                names = names_in_row(self._storage, *columns)
                await in_thread(partial(storage.set_private, names, private=mark is not None))

        await run_unit(self._database, UnitOfWork, work, grouped=False, in_maintenance=True)

    async def _unhidden(self, storage: PrivateStorage) -> tuple[list[int], set[str]]:
        """Return the ids of marked files that are public, and the names of all marked files."""
        misplaced, marked, after = list[int](), set[str](), 0
        while rows := await self._database.fetch_all(*_MARKED.bind(self._database.dialect, after=after, most=_AT_ONCE)):
            parts = {file_id: names_in_row(self._storage, *columns) for file_id, *columns in rows}
            misplaced += await in_thread(partial(_public, storage, parts))
            marked.update(*parts.values())
            after = rows[-1][0]
        return misplaced, marked

    async def _unmarked(self, names: Sequence[str]) -> list[int]:
        """Return the ids of files with one of these names."""
        assert isinstance(self._storage, ReadableStorage)
        misplaced = list[int]()
        for start in range(0, len(names), _AT_ONCE):
            originals = (each for name in names[start : start + _AT_ONCE] for each in (name, _original_of(name)))
            urls = [self._storage.url_of(name) for name in dict.fromkeys(originals)]
            marks = ", ".join(self._database.dialect.mark(number) for number in range(1, len(urls) + 1))
            rows = await self._database.fetch_all(f"SELECT id FROM files WHERE url IN ({marks})", urls)  # noqa: S608
            misplaced += [file_id for (file_id,) in rows]
        return list(dict.fromkeys(misplaced))


def _public(storage: PrivateStorage, parts: Mapping[int, set[str]]) -> list[int]:
    """Return the ids of files with a part that is public."""
    return [file_id for file_id, names in parts.items() if any(map(storage.is_public, names))]


def _original_of(name: str) -> str:
    """Return the name of the file that a format with this name belongs to: `photo_1.jpg` of `small_photo_1.jpg`."""
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last.partition('_')[2]}"
