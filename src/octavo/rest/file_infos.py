"""`fileInfo` of an upload: what a form or a JSON body says about files, to FileInfo.

A value may be JSON text, as forms send it. Refuses with ValidationError, in the words of the reference.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.content.input_path import TOP, InputPath
from octavo.errors import OctavoError, Problem, ValidationError
from octavo.forms.printing import MISSING, print_number, type_message
from octavo.http.json_text import parse_json
from octavo.media.library import FileInfo

FILE_INFO: Final = "fileInfo"
_DEPTH: Final = 32
_TEXTS: Final = {"name": "name", "alternativeText": "alternative_text", "caption": "caption"}


def read_info(value: Any = MISSING) -> FileInfo:
    """What is said about one file; MISSING: nothing is."""
    reading = _Reading()
    info = FileInfo() if value is MISSING else reading.info(value, TOP.child(FILE_INFO))
    reading.refuse()
    return info


def read_infos(value: Any = MISSING) -> tuple[FileInfo, ...]:
    """What is said about several files, in their order."""
    reading = _Reading()
    infos = () if value is MISSING else tuple(reading.infos(value))
    reading.refuse()
    return infos


class _Reading:
    """Reads, and gathers what is wrong."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def refuse(self) -> None:
        """Raise ValidationError if anything is wrong."""
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
        return FileInfo(**{field: self._text(said.get(name), trail.child(name)) for name, field in _TEXTS.items()})

    def _text(self, value: Any, trail: InputPath) -> str | None:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return print_number(value)
        if value is None or isinstance(value, str):
            return value
        self._problems.append(trail.problem(type_message(trail.label, "string", value)))
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
