"""Statements on the rows of uploaded files (table `files`)."""

from typing import Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.scalar_types import ValueKind

_INTEGER, _TEXT, _JSON, _INSTANT = ParameterKind.INTEGER, ParameterKind.TEXT, ParameterKind.JSON, ParameterKind.INSTANT

FILE_COLUMNS: Final = {
    "name": _TEXT,
    "alternative_text": _TEXT,
    "caption": _TEXT,
    "width": _INTEGER,
    "height": _INTEGER,
    "formats": _JSON,
    "hash": _TEXT,
    "ext": _TEXT,
    "mime": _TEXT,
    "size": ParameterKind.NUMBER,
    "url": _TEXT,
    "preview_url": _TEXT,
    "provider": _TEXT,
    "provider_metadata": _JSON,
    "folder_path": _TEXT,
    "created_at": _INSTANT,
    "updated_at": _INSTANT,
    "created_by_id": _INTEGER,
    "updated_by_id": _INTEGER,
}
"""The columns written for a file, in the order of the parameters."""


def compile_insert_file(dialect: Dialect) -> str:
    """Return the INSERT of one file, which returns its id."""
    places = [dialect.parameter(Parameter(index, kind)) for index, kind in enumerate(FILE_COLUMNS.values())]
    return f"INSERT INTO files ({', '.join(FILE_COLUMNS)}) VALUES ({', '.join(places)}) {dialect.returning('id')}"


def compile_find_hash(dialect: Dialect) -> str:
    """Return the SELECT of the id of the file with a hash."""
    return f"SELECT id FROM files WHERE hash = {dialect.parameter(Parameter(0, _TEXT))}"


def compile_last_place(dialect: Dialect) -> str:
    """Return the SELECT of the highest order of an attribute's files: type, id and field of the entry."""
    kind, entry, field = (dialect.parameter(Parameter(index, of)) for index, of in enumerate((_TEXT, _INTEGER, _TEXT)))
    return (
        f"SELECT max({dialect.quote('order')}) FROM files_related_morphs"
        f" WHERE related_type = {kind} AND related_id = {entry} AND field = {field}"
    )


_API_FOLDER: Final = "'plugin_upload_api-folder'"


def compile_find_api_folder(dialect: Dialect) -> str:
    """Return the SELECT of id and path of the folder for API uploads, which v4 stores in its settings."""
    named = dialect.concat(["'{\"id\":'", dialect.text_of(ValueKind.INTEGER, "f.id"), "'}'"])
    return (
        f"SELECT f.id, f.path FROM strapi_core_store_settings s JOIN upload_folders f ON s.value = {named}"
        f" WHERE s.{dialect.quote('key')} = {_API_FOLDER}"
    )


def compile_next_folder() -> str:
    """Return the SELECT of the next folder's number and the names of the top-level folders, one per row."""
    return (
        "SELECT (SELECT coalesce(max(path_id), 0) + 1 FROM upload_folders), f.name"
        " FROM (SELECT 1) one LEFT JOIN upload_folders f"
        " ON NOT EXISTS (SELECT 1 FROM upload_folders_parent_links l WHERE l.folder_id = f.id)"
    )


def compile_insert_folder(dialect: Dialect) -> str:
    """Return the INSERT of a folder: name, number, path, now. It returns the id."""
    values = [dialect.parameter(Parameter(*each)) for each in enumerate((_TEXT, _INTEGER, _TEXT, _INSTANT))]
    columns = "name, path_id, path, created_at, updated_at"
    row = ", ".join((*values, values[-1]))
    return f"INSERT INTO upload_folders ({columns}) VALUES ({row}) {dialect.returning('id')}"


def compile_keep_api_folder(dialect: Dialect) -> tuple[str, str]:
    """Return the statements that replace the folder for API uploads in the settings: delete, then insert the value."""
    value, key = dialect.parameter(Parameter(0, _TEXT)), dialect.quote("key")
    return (
        f"DELETE FROM strapi_core_store_settings WHERE {key} = {_API_FOLDER}",
        f"INSERT INTO strapi_core_store_settings ({key}, value, type) VALUES ({_API_FOLDER}, {value}, 'object')",
    )


def compile_link_folder(dialect: Dialect) -> str:
    """Return the INSERT that adds a file at the end of a folder: file and folder."""
    file, folder = (dialect.parameter(Parameter(index, _INTEGER)) for index in (0, 1))
    last = f"SELECT file_order FROM files_folder_links WHERE folder_id = {folder} ORDER BY file_order DESC LIMIT 1"
    # MySQL reads the table that a statement changes only in a table of its own.
    values = f"{file}, {folder}, coalesce((SELECT l.file_order FROM ({last}) l), 0) + 1"
    return f"INSERT INTO files_folder_links (file_id, folder_id, file_order) VALUES ({values})"
