"""KeptFiles: the project's files in the storage, from before an import, and what the new rows must know of them."""

from collections.abc import Sequence
from typing import Any, Final

from octavo.content.media import private_files, storage_cleanup, variant_rows
from octavo.content.media.storage.base import Storage
from octavo.content.media.stored_parts import names_in_row
from octavo.database.connection import Connection
from octavo.database.synchronize import found_tables
from octavo.query.sql.dialects.base import Dialect

_ROWS: Final = "SELECT id, provider, url, provider_metadata, formats FROM files"
_MARKED: Final = f" WHERE id IN (SELECT file_id FROM {private_files.TABLE.name})"


class KeptFiles:
    """The files of one project, while an import replaces their rows. `read` before it, `restore` after it."""

    def __init__(self, connection: Connection, dialect: Dialect, storage: Storage) -> None:
        self._connection = connection
        self._dialect = dialect
        self._storage = storage
        self._private: set[str] = set()
        self._variants: set[str] = set()
        self._unneeded: set[str] = set()

    async def read(self) -> set[str]:
        """Return the names of all files: parts of the rows, image variants, and those that are to be removed."""
        tables = await found_tables(self._connection, self._dialect)
        if private_files.TABLE.name in tables:
            self._private = self._names(await self._rows(_MARKED))
        if variant_rows.TABLE.name in tables:
            self._variants = await variant_rows.stored_objects(self._connection)
        if storage_cleanup.TABLE.name in tables:
            self._unneeded = await storage_cleanup.objects_to_remove(self._connection)
        return self._names(await self._rows()) | self._variants | self._unneeded

    async def restore(self) -> None:
        """Keep private files private, and repeat pending removals, for an import without files.

        A file is private again if the new rows have one with its name. Image variants are removed.
        """
        rows = await self._rows()
        for row in rows:
            if self._private and self._private & self._names([row]):
                await private_files.mark_private(self._connection, self._dialect, row[0])
        unneeded = (self._variants | self._unneeded) - self._names(rows)
        await storage_cleanup.remove_later(self._connection, self._dialect, sorted(unneeded))

    async def _rows(self, condition: str = "") -> Sequence[Any]:
        return await self._connection.fetch_all(_ROWS + condition)

    def _names(self, rows: Sequence[Any]) -> set[str]:
        return {name for _, *columns in rows for name in names_in_row(self._storage, *columns)}
