"""Parse uploads: the files, the file to replace, and `fileInfo` as FileInfo.

Values can be JSON text, as in forms. Raises ValidationError with the reference's messages.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.api.http.body import Body
from octavo.api.http.form_data import UploadedFile
from octavo.api.http.json_text import parse_json
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.content.input_path import TOP, InputPath
from octavo.content.media.library import FileInfo
from octavo.core.errors import NotFoundError, OctavoError, Problem, ValidationError
from octavo.core.forms import Id
from octavo.core.forms.printing import MISSING, print_number, type_message
from octavo.query.numbers import read_entry_id

_FILES: Final = "files"
FILE_INFO: Final = "fileInfo"
_FOLDER: Final = "folder"
_ID: Final = Id()
_DEPTH: Final = 32
_TEXTS: Final = {"name": "name", "alternativeText": "alternative_text", "caption": "caption"}


def sent_files(body: Body) -> tuple[UploadedFile, ...]:
    """Return the files in the field `files`. A single empty one does not count."""
    files = tuple(file for file in body.files if file.field == _FILES)
    return () if len(files) == 1 and not files[0].size else files


def replaced_file(request: Request) -> int | None:
    """Return the id of the file to replace from the query string, or None. Raises NotFoundError for an invalid id."""
    given = read_params(request).get("id")
    value = given[0] if isinstance(given, list) and given else given
    if value is None or value == "":
        return None
    file_id = read_entry_id(value, digits_only=request.options.digit_ids)
    if file_id is None:
        raise NotFoundError("Entity not found")
    return file_id


def read_info(value: Any = MISSING) -> FileInfo:
    """Parse the `fileInfo` of one file; MISSING if there is none."""
    reading = _Reading()
    info = FileInfo() if value is MISSING else reading.info(value, TOP.child(FILE_INFO))
    reading.refuse()
    return info


def read_infos(value: Any = MISSING) -> tuple[FileInfo, ...]:
    """Parse the `fileInfo` of several files, in order."""
    reading = _Reading()
    infos = () if value is MISSING else tuple(reading.infos(value))
    reading.refuse()
    return infos


class _Reading:
    """Parses values and collects problems."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def refuse(self) -> None:
        """Raise ValidationError if there are problems."""
        if self._problems:
            raise ValidationError.from_problems(self._problems)

    def infos(self, value: Any) -> Iterator[FileInfo]:
        trail = TOP.child(FILE_INFO)
        listed = _parsed(value)
        if not isinstance(listed, list):
            self._wrong_type(trail, "array", value)
            return
        for index, item in enumerate(listed):
            yield self.info(item, trail.item(index))

    def info(self, value: Any, trail: InputPath) -> FileInfo:
        said = _parsed(value)
        if not isinstance(said, Mapping):
            self._wrong_type(trail, "object", value)
            return FileInfo()
        texts = {field: self._text(said.get(name), trail.child(name)) for name, field in _TEXTS.items()}
        unsaid = frozenset(name for name in _TEXTS if name in said and said[name] is None)
        return FileInfo(**texts, unsaid=unsaid, folder=self._folder(said.get(_FOLDER, MISSING), trail))

    def _text(self, value: Any, trail: InputPath) -> str | None:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return print_number(value)
        if value is None or isinstance(value, str):
            return value
        self._problems.append(trail.problem(type_message(trail.label, "string", value)))
        return None

    def _folder(self, value: Any, trail: InputPath) -> Any:
        if value is MISSING or value is None or _ID.is_kind(value):
            return value
        inside = trail.child(_FOLDER)
        self._problems.append(inside.problem(type_message(inside.label, _ID.kind, value)))
        return None

    def _wrong_type(self, trail: InputPath, wanted: str, given: Any) -> None:
        cast = MISSING if given is None else given
        self._problems.append(trail.problem(type_message(trail.label, wanted, None, cast)))


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value.encode("utf-8", "surrogatepass"), _DEPTH)
    except OctavoError:
        return None
