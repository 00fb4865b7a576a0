"""The media library folder for files uploaded over the content API, as in v4: "API Uploads", created on demand.

v4's settings store its id. If the folder was deleted, the next upload creates a new one.
"""

from collections.abc import Mapping
from typing import Any, Final

from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.hook_calls import create_row
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.write.files import (
    compile_find_api_folder,
    compile_insert_folder,
    compile_keep_api_folder,
    compile_link_folder,
    compile_next_folder,
)
from octavo.schema.content_types import FOLDER

NAME: Final = "API Uploads"
LOCK: Final = "octavo: folders"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the media library."""

    id: int
    path: str


class ApiFolder:
    """Finds the folder and adds files to it."""

    def __init__(self, dialect: Dialect) -> None:
        self._find = compile_find_api_folder(dialect)
        self._next = compile_next_folder()
        self._insert = compile_insert_folder(dialect)
        self._forget, self._keep = compile_keep_api_folder(dialect)
        self._link = compile_link_folder(dialect)

    async def find(self, unit: UnitOfWork) -> Folder:
        """Return the folder; create it if it is missing."""
        folder = await self._found(unit.connection)
        if folder is None:
            await unit.connection.lock(LOCK)
            folder = await self._found(unit.connection) or await self._make(unit)
        return folder

    async def path(self, connection: Connection) -> str | None:
        """Return the path of the folder; None if it is missing."""
        row = await connection.fetch_row(self._find)
        return None if row is None else str(row[1])

    async def put(self, connection: Transaction, folder: Folder, file_id: int) -> None:
        """Add a file to the folder."""
        await connection.execute(self._link, (file_id, folder.id))

    async def _found(self, connection: Transaction) -> Folder | None:
        row = await connection.fetch_row(self._find)
        return None if row is None else Folder(row[0], row[1])

    async def _make(self, unit: UnitOfWork) -> Folder:
        connection = unit.connection
        rows = await connection.fetch_all(self._next)
        number, taken = rows[0][0], {row[1] for row in rows}
        name = next(name for name in (NAME, *(f"{NAME} ({n})" for n in range(1, len(taken) + 2))) if name not in taken)
        path = f"/{number}"

        async def write(given: Mapping[str, Any]) -> int:
            folder_id = int(await connection.fetch_value(self._insert, (given["name"], number, path, this_moment())))
            await connection.execute(self._forget)
            await connection.execute(self._keep, (f'{{"id":{folder_id}}}',))
            unit.record(FOLDER, folder_id, ChangeKind.CREATE)
            return folder_id

        return Folder(await create_row(unit, FOLDER, {"name": name}, write), path)
