"""Folders of the media library as rows: found by what callers give as an id, their names, their places in the tree.

Whoever changes the tree, or what is in it, holds one lock: paths are kept in all rows below.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from octavo.content.media.folders import LOCK, Folder
from octavo.core.errors import Problem, ValidationError
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.numbers import read_entry_id
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.system_table_statement import OwnStatement

LONGEST_PATH: Final = 255
"""Characters of a path, which stands in a column of so many."""
_ROWS: Final = (
    "SELECT f.id, f.path, f.name, l.inv_folder_id FROM upload_folders f"
    " LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
)
_FIND: Final = OwnStatement(f"{_ROWS} WHERE f.id = {{id}}")
_FIND_MANY: Final = OwnStatement(f"{_ROWS} ORDER BY f.id")
"""All of them: whoever moves several has seen the tree."""
_NAMES: Final = OwnStatement(
    "SELECT f.id, f.name FROM upload_folders f LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
    " WHERE coalesce(l.inv_folder_id, 0) = {parent}"
)
_NEXT: Final = OwnStatement("SELECT coalesce(max(path_id), 0) + 1 FROM upload_folders")
_NAMED: Final = OwnStatement(
    "SELECT f.id FROM upload_folders f LEFT JOIN upload_folders_parent_links l ON l.folder_id = f.id"
    " WHERE f.name = {name} AND coalesce(l.inv_folder_id, 0) = {parent}"
)
_LONGEST: Final = OwnStatement("SELECT max(length(path)) FROM upload_folders WHERE path = {path} OR path LIKE {below}")
_PATHS: Final = (("files", "folder_path"), ("upload_folders", "path"))
"""Where paths of folders stand."""
_PLACE: Final = ("fileInfo", "folder")


@dataclass(frozen=True, slots=True)
class FolderRow(Folder):
    """A folder with its name, and the id of the one that it is in."""

    name: str
    parent: int | None


class FolderRows:
    """Asks for folders, and moves them."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._moves = tuple(_move(dialect, *place) for place in _PATHS)

    async def find(self, connection: Connection, given: Any) -> FolderRow | None:
        """The folder that an id, as a caller has given it, means."""
        folder_id = read_folder_id(given)
        if folder_id is None:
            return None
        row = await connection.fetch_row(*_FIND.bind(self._dialect, id=folder_id))
        return None if row is None else FolderRow(row[0], row[1] or "", row[2] or "", row[3])

    async def find_many(self, connection: Connection, ids: Sequence[int]) -> list[FolderRow]:
        """Those of some folders that are there."""
        rows = await connection.fetch_all(*_FIND_MANY.bind(self._dialect)) if ids else ()
        wanted = set(ids)
        return [FolderRow(row[0], row[1] or "", row[2] or "", row[3]) for row in rows if row[0] in wanted]

    async def names_in(self, connection: Connection, parent: int | None, besides: Collection[int]) -> set[str]:
        """The names of the folders in a folder, or at the top, besides some."""
        rows = await connection.fetch_all(*_NAMES.bind(self._dialect, parent=parent or 0))
        return {name for folder_id, name in rows if folder_id not in besides}

    async def next_number(self, connection: Transaction) -> int:
        """The number of a new folder, of which its path is made."""
        return int(await connection.fetch_value(*_NEXT.bind(self._dialect)))

    async def ids_named(self, connection: Transaction, name: str, parent: int | None) -> set[int]:
        """The folders of that name in a folder, or at the top."""
        found = await connection.fetch_all(*_NAMED.bind(self._dialect, name=name, parent=parent or 0))
        return {row[0] for row in found}

    async def move_paths(self, connection: Transaction, path: str, target: str) -> None:
        """Let all paths that begin with one begin with another. Raises ValidationError where they become too long."""
        below = f"{path}/%"
        longest = await connection.fetch_value(*_LONGEST.bind(self._dialect, path=path, below=below))
        check_path_length((longest or 0) - len(path) + len(target))
        for statement in self._moves:
            moved = statement.bind(self._dialect, to=target, start=len(path) + 1, path=path, below=below)
            await connection.execute(*moved)

    async def check_places(self, connection: Connection, wanted: Iterable[Any]) -> None:
        """Refuse folders for files that are not there, before files are worked on. Raises ValidationError."""
        for given in dict.fromkeys(wanted):
            await self._place(connection, given)

    async def places(self, unit: UnitOfWork, wanted: Sequence[Any]) -> list[FolderRow | None]:
        """The folders into which files go, which stay as they are until the unit ends; None for the top.

        Raises ValidationError.
        """
        if any(given is not None for given in wanted):
            await unit.connection.lock(LOCK)
        return [await self._place(unit.connection, given) for given in wanted]

    async def _place(self, connection: Connection, given: Any) -> FolderRow | None:
        if given is None:
            return None
        found = await self.find(connection, given)
        if found is None:
            raise ValidationError.from_problems([Problem(_PLACE, "the folder does not exist")])
        return found


def _move(dialect: Dialect, table: str, column: str) -> OwnStatement:
    """Lets the paths in one column that begin with `path` begin with `to`."""
    rest = f"substr({column}, CAST({{start}} AS integer))"
    moved = dialect.concat_or_null(dialect.as_text("{to}"), rest)
    return OwnStatement(
        f"UPDATE {table} SET {column} = {moved} WHERE {column} = {{path}} OR {column} LIKE {{below}}"  # noqa: S608
    )


def read_folder_id(given: Any) -> int | None:
    """The id that a caller means; None for what can be none."""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    return read_entry_id(given)


def check_path_length(length: int) -> None:
    """Refuse folders that lie too deep. Raises ValidationError."""
    if length > LONGEST_PATH:
        raise ValidationError.from_problems([Problem(("parent",), "folders cannot be nested so deep")])
