"""Validation rules for values of the right type. In messages, `{path}` is the value's position."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.forms.printing import MISSING, Place
from octavo.core.forms.texts import is_email
from octavo.core.text_limits import MAX_EMAIL

Rule = Callable[[Any, Place], Iterator[Problem]]
"""Yields the problems of a value at a position. It is also called for missing values (MISSING) and null. A custom
rule may report problems at other positions."""


_MOST_SEARCHED: Final = 10_000
"""Maximum characters of a text that a pattern searches."""


def rule(says: str, holds: Callable[[Any], bool], *, of_absent: bool = False) -> Rule:
    """Return a rule with a message and a test. Missing values and null are tested only with `of_absent`."""

    def tell(value: Any, place: Place) -> Iterator[Problem]:
        if (of_absent or not _is_absent(value)) and not holds(value):
            yield place.problem(says.replace("{path}", place.name))

    return tell


def required(says: str = "{path} is a required field") -> Rule:
    """Require a value that is not missing, null or an empty text."""
    return rule(says, lambda value: not _is_absent(value) and value != "", of_absent=True)


REQUIRED: Final = required()
DEFINED: Final = rule("{path} must be defined", lambda value: value is not MISSING, of_absent=True)
"""Require a value that is not missing; null is allowed."""
EMAIL: Final = rule(
    "{path} must be a valid email",
    lambda text: not text or (len(text) <= MAX_EMAIL and is_email(text.lower())),
)
LOWERCASE: Final = rule("{path} must be a lowercase string", lambda text: text == text.lower())
TRIMMED: Final = rule("{path} must be a trimmed string", lambda text: text == text.strip())
INTEGER: Final = rule("{path} must be an integer", lambda number: float(number).is_integer())


def at_least(least: int, says: str | None = None) -> Rule:
    """Require at least so many characters or items, or a number that is not smaller."""
    words = ("at least {0} characters", "field must have at least {0} items", "greater than or equal to {0}")
    return _measured(least, words, says, lambda size: size >= least)


def at_most(most: int) -> Rule:
    """Allow at most so many characters or items, or a number that is not larger."""
    words = ("at most {0} characters", "field must have less than or equal to {0} items", "less than or equal to {0}")
    return _measured(most, words, None, lambda size: size <= most)


def matches(pattern: str, says: str | None = None, *, or_empty: bool = False) -> Rule:
    """Require a text that contains a pattern (valid in Python and JavaScript, without nested repetition)."""
    compiled = re.compile(pattern, re.ASCII)
    message = says if says is not None else f'{{path}} must match the following: "/{pattern}/"'
    return rule(message, lambda text: (or_empty and not text) or _is_found(compiled, text))


def _is_found(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text contains a pattern and is not too long to be searched."""
    return len(text) <= _MOST_SEARCHED and pattern.search(text) is not None


def _measured(bound: int, words: tuple[str, str, str], says: str | None, holds: Callable[[float], bool]) -> Rule:
    text, items, number = (f"{{path}} {'' if 'field' in one else 'must be '}{one.format(bound)}" for one in words)

    def tell(value: Any, place: Place) -> Iterator[Problem]:
        if isinstance(value, str):
            size, message = js_length(value), text
        elif isinstance(value, list):
            size, message = len(value), items
        elif _is_absent(value):
            return
        else:
            size, message = value, number
        if not holds(size):
            yield place.problem((says or message).replace("{path}", place.name))

    return tell


def js_length(text: str) -> int:
    """Return the length of a text in JavaScript, where characters above U+FFFF count twice.

    >>> js_length("a"), js_length("\N{GRINNING FACE}")
    (1, 2)
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_absent(value: Any) -> bool:
    return value is MISSING or value is None
