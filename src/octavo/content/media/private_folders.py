"""Private folders: the table that lists them, and the files that are not as their folder requires.

The files in a private folder and in its subfolders are private. The table `octavo_private_files` records which of them
are private only because of their folder: they become public with it, or when they are moved to a public folder.
"""

from collections.abc import Sequence
from typing import Final

from octavo.content.media import private_files
from octavo.database.connection import Connection, Database
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable("octavo_private_folders", ("folder_id integer PRIMARY KEY NOT NULL",))

_ADD: Final = RawStatement("""
INSERT INTO octavo_private_folders (folder_id) VALUES ({folder}) {folder_id:on_conflict}
folder_id = {folder_id:proposed}""")
_REMOVE: Final = RawStatement("DELETE FROM octavo_private_folders WHERE folder_id = {folder}")
_REMOVE_DELETED: Final = """
DELETE FROM octavo_private_folders WHERE folder_id NOT IN (SELECT id FROM upload_folders)"""
_ANY: Final = "SELECT 1 FROM octavo_private_folders LIMIT 1"
_ONE_OF: Final = """
SELECT 1 FROM octavo_private_folders q JOIN upload_folders d ON d.id = q.folder_id WHERE d.path IN ({}) LIMIT 1"""
_INSIDE: Final = """
EXISTS (SELECT 1 FROM octavo_private_folders q JOIN upload_folders d ON d.id = q.folder_id
WHERE {file}.folder_path = d.path OR {file}.folder_path LIKE {below})"""
_SHARES: Final = f"""
f.url IN (SELECT s.url FROM files s JOIN {private_files.TABLE.name} sp ON sp.file_id = s.id
WHERE s.url IS NOT NULL AND {{inside}})"""  # noqa: S608
_IDS: Final = """
SELECT q.folder_id FROM octavo_private_folders q JOIN upload_folders d ON d.id = q.folder_id ORDER BY q.folder_id"""


async def mark_folder(connection: Connection, dialect: Dialect, folder_id: int, *, private: bool) -> None:
    """Record that a folder is private or public."""
    await connection.execute(*(_ADD if private else _REMOVE).bind(dialect, folder=folder_id))


async def forget_deleted_folders(connection: Connection) -> None:
    """Remove folders that do not exist from the table."""
    await connection.execute(_REMOVE_DELETED)


async def has_private_folders(connection: Connection | Database) -> bool:
    """Return whether any folder is private."""
    return await connection.fetch_value(_ANY) is not None


async def private_ids(connection: Connection | Database) -> list[int]:
    """Return the ids of the folders in the table, sorted."""
    return [folder_id for (folder_id,) in await connection.fetch_all(_IDS)]


async def is_private_path(connection: Connection | Database, dialect: Dialect, path: str | None) -> bool:
    """Return whether the folder with this path or one that contains it is private."""
    paths = _path_and_parents(path or "")
    if not paths:
        return False
    marks = ", ".join(dialect.mark(number) for number in range(1, len(paths) + 1))
    return await connection.fetch_value(_ONE_OF.format(marks), paths) is not None


async def misplaced_files(connection: Connection | Database, dialect: Dialect, after: int, most: int) -> Sequence[int]:
    """Return the ids of files above `after` that are not as their folder requires, sorted.

    Rows that share the file of a row in a private folder stay private, so they are left out.
    """
    below = dialect.concat_or_null("d.path", "'/%'")
    is_private = _INSIDE.format(file="f", below=below)
    shares = _SHARES.format(inside=_INSIDE.format(file="s", below=below))
    statement = RawStatement(
        f"SELECT f.id FROM files f LEFT JOIN {private_files.TABLE.name} p ON p.file_id = f.id"  # noqa: S608
        f" WHERE f.id > {{after}} AND ((p.file_id IS NULL AND {is_private})"
        f" OR (p.by_folder = 1 AND NOT {is_private} AND NOT {shares})) ORDER BY f.id LIMIT {{most}}"
    )
    return [file_id for (file_id,) in await connection.fetch_all(*statement.bind(dialect, after=after, most=most))]


def _path_and_parents(path: str) -> tuple[str, ...]:
    """Return the path of a folder and of the folders that contain it.

    >>> _path_and_parents("/1/20")
    ('/1', '/1/20')
    """
    parts = [part for part in path.split("/") if part]
    return tuple(f"/{'/'.join(parts[:count])}" for count in range(1, len(parts) + 1))
