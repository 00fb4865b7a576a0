"""Octavo's own tables for files."""

from typing import Final

from octavo.content.media import placeholder_rows, private_files, private_folders, storage_cleanup, variant_rows
from octavo.query.sql.ddl.tables import SystemTable

MEDIA_TABLES: Final[tuple[SystemTable, ...]] = (
    storage_cleanup.TABLE,
    variant_rows.TABLE,
    placeholder_rows.TABLE,
    private_files.TABLE,
    private_folders.TABLE,
)
