"""Sentinels: an error deep in an answer is a null with white space before it, which stands nowhere else in our JSON.

The white space says which error it is. As often as a statement answers the sentinel, its error is shown: answers
need not be parsed to be counted.
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

_MARK: Final = re.compile(rb"\r([\t\n]+)\r")
_MARKED_NULL: Final = re.compile(rb"\r([\t\n]+)\rnull")
_TURNS: Final = ("STRAPI_PAGINATION_ERROR", "FORBIDDEN")
_TO_SPACE: Final = str.maketrans("01", "\t\n")
_TO_DIGITS: Final = bytes.maketrans(b"\t\n", b"01")


Path = tuple[str | int, ...]


class _Place(NamedTuple):
    """Where an error with a path is: the keys from its null to the field, and the levels from its null up to the value
    that becomes null because of it."""

    below: Path
    levels: int


@dataclass(frozen=True, slots=True)
class ErrorSentinels:
    """The errors that the answers of one operation may tell, each under its number.

    `places` are those of errors that have a path.
    """

    errors: list[dict[str, Any]] = field(default_factory=list)
    places: dict[int, _Place] = field(default_factory=dict)

    def null(self, error: OctavoError) -> Fixed:
        """What stands in the place of a value that could not be had."""
        told = render(error)
        if told not in self.errors:
            self.errors.append(told)
        return _marked_null(self.errors.index(told))

    def required_null(self, name: str, nodes: Iterable[Node], below: Path, levels: int) -> str:
        """The JSON in the place of an object whose field `below` is null and must not be (`name`: `Article.title`,
        selected by `nodes`).

        `levels` up from the object, that value becomes null.
        """
        told, place = render_null(name, nodes), _Place(below, levels)
        for number, known in self.places.items():
            if known == place and self.errors[number] == told:
                return _marked_null(number).json
        self.errors.append(told)
        self.places[len(self.errors) - 1] = place
        return _marked_null(len(self.errors) - 1).json

    def forbidden(self) -> Fixed:
        """What stands in the place of entries that the caller may not read."""
        return self.null(ForbiddenError())

    def take(self, answer: bytes, path: Path | None = None) -> tuple[bytes, list[dict[str, Any]]]:
        """The answer without its sentinels, and their errors: those of one kind in the order of the answer.

        `path` is that of the answer, if errors can have paths.
        """
        found = [int(mark.translate(_TO_DIGITS), 2) for mark in _MARK.findall(answer)] if b"\r" in answer else []
        if not found:
            return answer, []
        errors = [self.errors[number] for number in found]
        if not self.places.keys().isdisjoint(found):
            answer, errors = self._with_paths(answer, found, path)
        return _MARK.sub(b"", answer), sorted(errors, key=_turn)

    def _with_paths(self, answer: bytes, found: list[int], path: Path | None) -> tuple[bytes, list[dict[str, Any]]]:
        """Put paths into errors, and nulls into values that hold a null that must not be there."""
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
    """Yield the paths of texts that begin with a token, and the number behind it."""
    if isinstance(value, str):
        if value.startswith(token):
            yield path, int(value.removeprefix(token))
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _strings(item, token, (*path, key))


def _put_null(value: Any, path: Path) -> None:
    """Replace the value at a path, unless something above it is null already."""
    *above, last = path
    for key in above:
        if value is None:
            return
        value = value[key]
    if value is not None:
        value[last] = None


def is_marked(pieces: Iterable[bytes]) -> bool:
    """Whether an answer may tell of errors."""
    return any(b"\r" in piece for piece in pieces)


def is_error(answer: object) -> bool:
    """Whether an answer is a marked null."""
    return isinstance(answer, Fixed) and answer.json.startswith("\r")


def one_null(answers: Iterable[object]) -> Fixed:
    """One null for all: it has the marks of those that are marked."""
    marks = (answer.json.removesuffix("null") for answer in answers if isinstance(answer, Fixed) and is_error(answer))
    return Fixed(f"{''.join(marks)}null")


def _turn(error: dict[str, Any]) -> int:
    """When an error is told: contradictions at once, then what is forbidden, then values (observed)."""
    code = error["extensions"]["code"]
    return _TURNS.index(code) if code in _TURNS else len(_TURNS)


def _placed(error: dict[str, Any], path: list[str | int]) -> dict[str, Any]:
    """An error with a path, in the order of the reference's keys."""
    return {**{key: value for key, value in error.items() if key != "extensions"}, "path": path, **error}
