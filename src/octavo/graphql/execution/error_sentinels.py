"""Sentinels: an error deep in an answer is a null with white space before it, which stands nowhere else in our JSON.

The white space says which error it is. As often as a statement answers the sentinel, its error is shown: answers
need not be parsed to be counted.
"""

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Any, Final

from octavo.errors import ForbiddenError, OctavoError
from octavo.graphql.execution.error_format import render
from octavo.query.answer import Fixed
from octavo.values import dataclass

_MARK: Final = re.compile(rb"\r([\t\n]+)\r")
_TURNS: Final = ("STRAPI_PAGINATION_ERROR", "FORBIDDEN")
_TO_SPACE: Final = str.maketrans("01", "\t\n")
_TO_DIGITS: Final = bytes.maketrans(b"\t\n", b"01")


@dataclass(frozen=True, slots=True)
class ErrorSentinels:
    """The errors that the answers of one operation may tell, each under its number."""

    errors: list[dict[str, Any]] = field(default_factory=list)

    def null(self, error: OctavoError) -> Fixed:
        """What stands in the place of a value that could not be had."""
        told = render(error)
        if told not in self.errors:
            self.errors.append(told)
        number = f"{self.errors.index(told):b}".translate(_TO_SPACE)
        return Fixed(f"\r{number}\rnull")

    def forbidden(self) -> Fixed:
        """What stands in the place of entries that the caller may not read."""
        return self.null(ForbiddenError())

    def take(self, answer: bytes) -> tuple[bytes, list[dict[str, Any]]]:
        """The answer without its sentinels, and their errors: those of one kind in the order of the answer."""
        found = _MARK.findall(answer) if b"\r" in answer else []
        if not found:
            return answer, []
        errors = [self.errors[int(mark.translate(_TO_DIGITS), 2)] for mark in found]
        return _MARK.sub(b"", answer), sorted(errors, key=_turn)


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
