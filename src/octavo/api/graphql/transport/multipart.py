"""Operations with files: forms of `operations` (JSON), `map` (which file goes where) and the files.

As of the GraphQL multipart request specification. Refuses with BadRequestError.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from octavo.api.http.form_data import UploadedFile
from octavo.api.http.json_text import parse_json
from octavo.core.errors import BadRequestError

_DEPTH: Final = 32


def read_operations(values: Mapping[str, Any], files: Iterable[UploadedFile]) -> Any:
    """The operation, or the batch of them, with the files in their places."""
    operations, places = _parsed(values, "operations"), _parsed(values, "map")
    if not isinstance(places, dict):
        raise BadRequestError("map must be an object of lists of places")
    by_name = {file.field: file for file in files}
    for name, paths in places.items():
        if name not in by_name:
            raise BadRequestError(f"map names {name!r}, a file that is not there")
        if not isinstance(paths, list):
            raise BadRequestError(f"map.{name} must be a list of places")
        for path in paths:
            _put(operations, str(path), by_name[name])
    return operations


def _parsed(values: Mapping[str, Any], name: str) -> Any:
    text = values.get(name)
    if not isinstance(text, str):
        raise BadRequestError(f"{name} must be given once, as JSON")
    return parse_json(text.encode("utf-8", "surrogatepass"), _DEPTH)


def _put(operations: Any, path: str, file: UploadedFile) -> None:
    """Put a file where `variables.files.0` or the like says, if there is null."""
    *steps, last = path.split(".")
    try:
        inside = operations
        for step in steps:
            inside = inside[_key(inside, step)]
        key = _key(inside, last)
        if inside[key] is not None:
            raise BadRequestError(f"{path} is not null: no file can go there")
        inside[key] = file
    except (LookupError, TypeError, ValueError):
        raise BadRequestError(f"map names {path!r}, which is no place in operations") from None


def _key(inside: Any, step: str) -> Any:
    """A member's name or a place in a list, counted from its beginning only."""
    if not isinstance(inside, list):
        return step
    if not (step.isascii() and step.isdecimal()):
        raise ValueError
    return int(step)
