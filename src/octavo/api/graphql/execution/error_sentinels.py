"""Sentinels: an error in a nested value is a null preceded by white space that occurs nowhere else in Octavo's JSON.

The white space encodes the error's number. An error is reported as often as its sentinel occurs in the response, which
need not be parsed.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, Final, NamedTuple

from graphql import Node

from octavo.api.graphql.execution.error_format import render, render_null
from octavo.core.errors import ForbiddenError, OctavoError
from octavo.core.values import dataclass
from octavo.query.answer import Fixed

EDGE: Final = b"\r"
"""The first and last byte of each sentinel."""
_MARK: Final = re.compile(rb"\r([\t\n]+)\r")
_MARKED_NULL: Final = re.compile(rb"\r([\t\n]+)\rnull")
_TURNS: Final = ("STRAPI_PAGINATION_ERROR", "FORBIDDEN")
_TO_SPACE: Final = str.maketrans("01", "\t\n")
_TO_DIGITS: Final = bytes.maketrans(b"\t\n", b"01")


Path = tuple[str | int, ...]


class _Place(NamedTuple):
    """The location of an error with a path: the keys from its null to the field, and how many levels up is null."""

    below: Path
    levels: int


@dataclass(frozen=True, slots=True)
class ErrorSentinels:
    """The possible errors in the response of one operation, by number.

    `places` has the locations of errors with a path.
    """

    errors: list[dict[str, Any]] = field(default_factory=list)
    places: dict[int, _Place] = field(default_factory=dict)

    def null(self, error: OctavoError) -> Fixed:
        """Return the JSON for a value that could not be read."""
        rendered = render(error)
        if rendered not in self.errors:
            self.errors.append(rendered)
        return _marked_null(self.errors.index(rendered))

    def required_null(self, name: str, nodes: Iterable[Node], below: Path, levels: int) -> str:
        """Return the JSON for an object whose required field `below` is null.

        `name` is the field, such as `Article.title`, selected by `nodes`. The value `levels` above the object becomes
        null.
        """
        rendered, place = render_null(name, nodes), _Place(below, levels)
        for number, known in self.places.items():
            if known == place and self.errors[number] == rendered:
                return _marked_null(number).json
        self.errors.append(rendered)
        self.places[len(self.errors) - 1] = place
        return _marked_null(len(self.errors) - 1).json

    def forbidden(self) -> Fixed:
        """Return the JSON for entries that the caller cannot read."""
        return self.null(ForbiddenError())

    def take(self, answer: bytes, path: Path | None = None) -> tuple[bytes, list[dict[str, Any]]]:
        """Return the response without sentinels, and their errors. Those of one kind are in the response's order.

        `path` is the path of the response, if errors can have paths.
        """
        numbers = [int(mark.translate(_TO_DIGITS), 2) for mark in _MARK.findall(answer)] if b"\r" in answer else []
        if not numbers:
            return answer, []
        errors = [self.errors[number] for number in numbers]
        if not self.places.keys().isdisjoint(numbers):
            answer, errors = self._with_paths(answer, numbers, path)
        return _MARK.sub(b"", answer), sorted(errors, key=_turn)

    def _with_paths(self, answer: bytes, found: list[int], path: Path | None) -> tuple[bytes, list[dict[str, Any]]]:
        """Set the paths of errors, and replace values with an invalid null by null."""
        token = secrets.token_hex(16)
        named = iter(range(len(found)))
        text = _MARKED_NULL.sub(lambda _: b'"%b%d"' % (token.encode(), next(named)), answer)
        value: Any = {"": json.loads(text)}
        errors = [self.errors[number] for number in found]
        gone: list[Path] = []
        for at, mark in list(_strings(value, token, ())):
            place = self.places.get(found[mark])
            if place is None:
                continue
            if path is not None:
                errors[mark] = _placed(errors[mark], [*path, *at[1:], *place.below])
            if place.levels:
                gone.append(at[: max(1, len(at) - place.levels)])
        if not gone:
            return answer, errors
        for at, _ in list(_strings(value, token, ())):
            _put_null(value, at)
        for at in gone:
            _put_null(value, at)
        return json.dumps(value[""], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), errors


def _marked_null(number: int) -> Fixed:
    return Fixed(f"\r{f'{number:b}'.translate(_TO_SPACE)}\rnull")


def _strings(value: Any, token: str, path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the path of each text that begins with a token, and the number after it."""
    if isinstance(value, str):
        if value.startswith(token):
            yield path, int(value.removeprefix(token))
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _strings(item, token, (*path, key))


def _put_null(value: Any, path: Path) -> None:
    """Replace the value at a path by null, unless a value above it is null already."""
    *above, last = path
    for key in above:
        if value is None:
            return
        value = value[key]
    if value is not None:
        value[last] = None


def is_marked(pieces: Iterable[bytes]) -> bool:
    """Return whether an answer can contain errors."""
    for piece in pieces:  # noqa: SIM110 - `any` takes a call for each piece
        if EDGE in piece:
            return True
    return False


def is_error(answer: object) -> bool:
    """Return whether an answer is a null with an error."""
    return isinstance(answer, Fixed) and answer.json.startswith("\r")


def one_null(answers: Iterable[object]) -> Fixed:
    """Merge nulls: the result has the errors of all."""
    marks = (answer.json.removesuffix("null") for answer in answers if isinstance(answer, Fixed) and is_error(answer))
    return Fixed(f"{''.join(marks)}null")


def _turn(error: dict[str, Any]) -> int:
    """Return the sort key of an error: contradictions first, then forbidden, then values (observed)."""
    code = error["extensions"]["code"]
    return _TURNS.index(code) if code in _TURNS else len(_TURNS)


def _placed(error: dict[str, Any], path: list[str | int]) -> dict[str, Any]:
    """Return an error with a path, with keys in the reference's order."""
    return {**{key: value for key, value in error.items() if key != "extensions"}, "path": path, **error}
