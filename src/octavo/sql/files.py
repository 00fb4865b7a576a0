"""The statements that write the rows of uploaded files (table `files`)."""

from typing import Final

from octavo.plan.nodes import Parameter, ParameterKind
from octavo.sql.dialect import Dialect

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
    "provider": _TEXT,
    "folder_path": _TEXT,
    "created_at": _INSTANT,
    "updated_at": _INSTANT,
}
"""What is written of a file, in the order of the parameters."""


def compile_insert_file(dialect: Dialect) -> str:
    """One new row; answers its id."""
    places = [dialect.parameter(Parameter(index, kind)) for index, kind in enumerate(FILE_COLUMNS.values())]
    return f"INSERT INTO files ({', '.join(FILE_COLUMNS)}) VALUES ({', '.join(places)}) RETURNING id"


def compile_find_hash(dialect: Dialect) -> str:
    """The id of the file with a hash."""
    return f"SELECT id FROM files WHERE hash = {dialect.parameter(Parameter(0, _TEXT))}"


def compile_last_place(dialect: Dialect) -> str:
    """The last order among the files of a place: type, id and field of the entry."""
    kind, entry, field = (dialect.parameter(Parameter(index, of)) for index, of in enumerate((_TEXT, _INTEGER, _TEXT)))
    return (
        'SELECT max("order") FROM files_related_morphs'
        f" WHERE related_type = {kind} AND related_id = {entry} AND field = {field}"
    )
