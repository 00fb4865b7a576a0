"""Shapes: the types of values in a form, and rules for values of the right type.

In messages of rules, `{path}` is the value's position.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from octavo.core.errors import Problem, ValidationError
from octavo.core.forms.printing import MISSING, ROOT, Place, print_number, type_message
from octavo.core.forms.texts import is_email, is_storable
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


_MOST: Final = 250
"""Maximum number of problems reported for one body, so that a response is not much larger than its request."""


class Shape:
    """A type of value, with its rules in order. `one_of`: the allowed values.

    `nullable`: null is allowed. A value is optional unless a rule requires it.
    """

    kind: ClassVar[str]

    def __init__(self, *rules: Rule, nullable: bool = False, one_of: Sequence[Any] | None = None) -> None:
        self._rules = rules
        self._nullable = nullable
        self._one_of = one_of

    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        """Yield the problems of a value, MISSING if there is none. Rules are checked for values of the right type
        only."""
        first = [*self._first_problems(value, place)]
        if first:
            yield from first
            return
        for rule in self._rules:
            yield from rule(value, place)

    def is_kind(self, value: Any) -> bool:
        """Return whether a value, neither missing nor null, is of this type."""
        raise NotImplementedError

    def _first_problems(self, value: Any, place: Place) -> Iterator[Problem]:
        if value is MISSING:
            return
        if not (self._nullable if value is None else self.is_kind(value)):
            yield place.problem(type_message(place.name, self.kind, value))
        if self._one_of is not None and not any(_same(value, one) for one in self._one_of):
            named = ", ".join(_printed(one) for one in self._one_of)
            yield place.problem(f"{place.name} must be one of the following values: {named}")


class Text(Shape):
    """A text of characters that every database can store."""

    kind = "string"

    def is_kind(self, value: Any) -> bool:
        return isinstance(value, str)

    def _first_problems(self, value: Any, place: Place) -> Iterator[Problem]:
        yield from super()._first_problems(value, place)
        if isinstance(value, str) and not is_storable(value):
            yield place.problem(f"{place.name} must not contain NUL characters or halves of surrogate pairs")


class Number(Shape):
    """A number."""

    kind = "number"

    def is_kind(self, value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)


class Flag(Shape):
    """True or false."""

    kind = "boolean"

    def is_kind(self, value: Any) -> bool:
        return isinstance(value, bool)


class Id(Shape):
    """An id: a text, or a non-negative integer."""

    kind = "strapiID"

    def is_kind(self, value: Any) -> bool:
        if isinstance(value, bool):
            return False
        return isinstance(value, str) or (isinstance(value, int | float) and value >= 0 and float(value).is_integer())


class Anything(Shape):
    """Any value; null only if `nullable`."""

    kind = "mixed"

    def is_kind(self, value: Any) -> bool:
        return True


class Items(Shape):
    """A list, optionally with a shape for its items."""

    kind = "array"

    def __init__(self, of: Shape | None = None, *rules: Rule, nullable: bool = False) -> None:
        super().__init__(*rules, nullable=nullable)
        self._of = of

    def is_kind(self, value: Any) -> bool:
        return isinstance(value, list)

    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        if self._of is not None and isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._of.problems(item, place.item(index))
        yield from super().problems(value, place)


class Record(Shape):
    """An object with named members. `closed`: no other members are allowed."""

    kind = "object"

    def __init__(
        self, members: Mapping[str, Shape], *rules: Rule, nullable: bool = False, closed: bool = False
    ) -> None:
        super().__init__(*rules, nullable=nullable)
        self.members = members
        self._closed = closed

    def is_kind(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        if isinstance(value, Mapping):
            yield from self._member_problems(value, place)
        yield from super().problems(value, place)
        if self._closed and isinstance(value, Mapping):
            others = [name for name in value if name not in self.members]
            if others:
                yield place.problem(f"{place.name} field has unspecified keys: {', '.join(others)}")

    def _member_problems(self, value: Mapping[str, Any], place: Place) -> Iterator[Problem]:
        """Yield problems in Strapi v4's order: by the first declared name that occurs in a member's position."""
        problems: list[tuple[str, list[Problem]]] = []
        for name in reversed([*self.members]):
            inside = place.member(name)
            listed = [*islice(self.members[name].problems(value.get(name, MISSING), inside), _MOST)]
            if listed:
                problems.append((inside.label, listed))
        names = [*self.members]
        problems.sort(key=lambda one: next(index for index, name in enumerate(names) if name in one[0]))
        for _, listed in problems:
            yield from listed


class Choice(Shape):
    """A shape that depends on the value."""

    def __init__(self, choose: Callable[[Any], Shape]) -> None:
        super().__init__()
        self._choose = choose

    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        return self._choose(value).problems(value, place)


def problems_in(shape: Shape, value: Any, place: Place = ROOT) -> list[Problem]:
    """Return the problems of a value, up to the maximum for one body."""
    return [*islice(shape.problems(value, place), _MOST)]


def check(shape: Shape, value: Any) -> None:
    """Raise ValidationError with all problems of a body."""
    problems = problems_in(shape, value)
    if problems:
        raise ValidationError.from_problems(problems)


def _same(value: Any, other: Any) -> bool:
    """Return whether two values are equal in JavaScript: true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _printed(value: Any) -> str:
    """Format an allowed value in the message that lists them: null is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else print_number(value)
