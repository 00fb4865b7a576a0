"""Read and move folders of the media library: lookup by id, names, and paths in the tree.

Changes to the tree or its contents require a lock, because every row below stores its full path.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from octavo.content.media.private_folders import is_private_path
from octavo.content.media.upload_folder import LOCK, Folder
from octavo.core.errors import Problem, ValidationError
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.numbers import read_entry_id
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

LONGEST_PATH: Final = 255
"""The maximum length of a path, from the column's size."""
_ROWS: Final = (
    "SELECT f.id, f.path, f.name, l.inv_folder_id FROM upload_folders f"
    " LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
)
_FIND: Final = RawStatement(f"{_ROWS} WHERE f.id = {{id}}")
_FIND_MANY: Final = RawStatement(f"{_ROWS} ORDER BY f.id")
"""Reads all folders, because bulk changes need the whole tree."""
_NAMES: Final = RawStatement(
    "SELECT f.id, f.name FROM upload_folders f LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
    " WHERE coalesce(l.inv_folder_id, 0) = {parent}"
)
_NEXT: Final = RawStatement("SELECT coalesce(max(path_id), 0) + 1 FROM upload_folders")
_NAMED: Final = RawStatement(
    "SELECT f.id FROM upload_folders f LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
    " WHERE f.name = {name} AND coalesce(l.inv_folder_id, 0) = {parent}"
)
_LONGEST: Final = RawStatement("SELECT max(length(path)) FROM upload_folders WHERE path = {path} OR path LIKE {below}")
_PATHS: Final = (("files", "folder_path"), ("upload_folders", "path"))
"""The tables and columns that store folder paths."""
_PLACE: Final = ("fileInfo", "folder")


@dataclass(frozen=True, slots=True)
class FolderRow(Folder):
    """A folder with its name and its parent's id."""

    name: str
    parent: int | None


class FolderRows:
    """Reads and moves folders."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._moves = tuple(_move(dialect, *place) for place in _PATHS)

    async def find(self, connection: Connection, given: Any) -> FolderRow | None:
        """Return the folder with an id as given by the client; None if there is none."""
        folder_id = read_folder_id(given)
        if folder_id is None:
            return None
        row = await connection.fetch_row(*_FIND.bind(self._dialect, id=folder_id))
        return None if row is None else FolderRow(row[0], row[1] or "", row[2] or "", row[3])

    async def find_many(self, connection: Connection, ids: Sequence[int]) -> list[FolderRow]:
        """Return the folders with these ids; missing ones are left out."""
        rows = await connection.fetch_all(*_FIND_MANY.bind(self._dialect)) if ids else ()
        wanted = set(ids)
        return [FolderRow(row[0], row[1] or "", row[2] or "", row[3]) for row in rows if row[0] in wanted]

    async def names_in(self, connection: Connection, parent: int | None, besides: Collection[int]) -> set[str]:
        """Return the names of the subfolders of a folder, or at the top, except for some folders."""
        rows = await connection.fetch_all(*_NAMES.bind(self._dialect, parent=parent or 0))
        return {name for folder_id, name in rows if folder_id not in besides}

    async def next_number(self, connection: Transaction) -> int:
        """Return the number for a new folder's path."""
        return int(await connection.fetch_value(*_NEXT.bind(self._dialect)))

    async def ids_named(self, connection: Transaction, name: str, parent: int | None) -> set[int]:
        """Return the ids of folders with this name in a folder, or at the top."""
        rows = await connection.fetch_all(*_NAMED.bind(self._dialect, name=name, parent=parent or 0))
        return {row[0] for row in rows}

    async def move_paths(self, connection: Transaction, path: str, target: str) -> None:
        """Replace a path prefix in all rows. Raises ValidationError if a path becomes too long."""
        below = f"{path}/%"
        longest = await connection.fetch_value(*_LONGEST.bind(self._dialect, path=path, below=below))
        check_path_length((longest or 0) - len(path) + len(target))
        for statement in self._moves:
            moved = statement.bind(self._dialect, to=target, start=len(path) + 1, path=path, below=below)
            await connection.execute(*moved)

    async def check_places(self, connection: Connection, wanted: Sequence[Any]) -> list[bool]:
        """Return whether each folder is private, before files are processed.

        Raises ValidationError for folders that do not exist.
        """
        private: dict[Any, bool] = {}
        for given in dict.fromkeys(wanted):
            folder = await self._place(connection, given)
            private[given] = folder is not None and await is_private_path(connection, self._dialect, folder.path)
        return [private[given] for given in wanted]

    async def places(self, unit: UnitOfWork, wanted: Sequence[Any]) -> list[FolderRow | None]:
        """Return the folders for new files, locked until the unit ends; None for the top.

        Raises ValidationError.
        """
        if any(given is not None for given in wanted):
            await unit.connection.lock(LOCK)
        return [await self._place(unit.connection, given) for given in wanted]

    async def _place(self, connection: Connection, given: Any) -> FolderRow | None:
        if given is None:
            return None
        folder = await self.find(connection, given)
        if folder is None:
            raise ValidationError.from_problems([Problem(_PLACE, "the folder does not exist")])
        return folder


def _move(dialect: Dialect, table: str, column: str) -> RawStatement:
    """Return the statement that replaces the path prefix `path` by `to` in one column."""
    moved = dialect.concat_or_null(dialect.as_text("{to}"), f"substr({column}, {{start}})")
    return RawStatement(
        f"UPDATE {table} SET {column} = {moved} WHERE {column} = {{path}} OR {column} LIKE {{below}}"  # noqa: S608
    )


def read_folder_id(given: Any) -> int | None:
    """Return the folder id in a client's value; None if it is not a valid id."""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    return read_entry_id(given)


def check_path_length(length: int) -> None:
    """Raise ValidationError if folders are nested too deep."""
    if length > LONGEST_PATH:
        raise ValidationError.from_problems([Problem(("parent",), "folders cannot be nested so deep")])
