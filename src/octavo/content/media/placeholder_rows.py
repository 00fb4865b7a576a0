"""The table of image placeholders, as JSON texts."""

from collections.abc import Sequence
from typing import Any, Final

from octavo.database.connection import Connection, Database
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_image_placeholders",
    ("file_id integer PRIMARY KEY NOT NULL", "placeholder varchar(2048) NOT NULL"),
)

_STORE: Final = RawStatement("""
INSERT INTO octavo_image_placeholders (file_id, placeholder) VALUES ({file}, {placeholder})
{file_id:on_conflict} placeholder = {placeholder:proposed}""")
_DELETE: Final = "DELETE FROM octavo_image_placeholders WHERE file_id IN ({})"
_TOUCH: Final = RawStatement("UPDATE files SET mime = mime WHERE id = {file}")
_MISSING: Final = RawStatement("""
SELECT id, name, url, mime, provider, provider_metadata, formats, coalesce({updated_at:milliseconds}, 0) FROM files
WHERE id > {after} AND (mime LIKE 'image/%' OR mime LIKE 'video/%')
AND NOT EXISTS (SELECT 1 FROM octavo_image_placeholders p WHERE p.file_id = files.id) ORDER BY id LIMIT 100""")
_COLUMNS: Final = ("id", "name", "url", "mime", "provider", "provider_metadata", "formats", "version")
_AT_ONCE: Final = 500


async def store_placeholder(connection: Connection, dialect: Dialect, file_id: int, placeholder: str | None) -> None:
    """Store the placeholder of a new or replaced file; None deletes it."""
    if placeholder is None:
        await delete_placeholders(connection, [file_id])
    else:
        await connection.execute(*_STORE.bind(dialect, file=file_id, placeholder=placeholder))


async def add_placeholder(connection: Connection, dialect: Dialect, file_id: int, placeholder: str) -> None:
    """Store the placeholder of a stored file.

    The row of the file is written without a change, so that cached responses become invalid.
    """
    await connection.execute(*_TOUCH.bind(dialect, file=file_id))
    await store_placeholder(connection, dialect, file_id, placeholder)


async def find_missing(database: Database, after: int) -> list[dict[str, Any]]:
    """Return up to 100 images and videos without a placeholder, with ids above `after`.

    `version` is as in `variant_rows`.
    """
    rows = await database.fetch_all(*_MISSING.bind(database.dialect, after=after))
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


async def delete_placeholders(connection: Connection, file_ids: Sequence[int]) -> None:
    """Delete the placeholders of files."""
    for start in range(0, len(file_ids), _AT_ONCE):
        ids = ", ".join(str(int(file_id)) for file_id in file_ids[start : start + _AT_ONCE])
        await connection.execute(_DELETE.format(ids))
