"""Shapes: the types of values in a form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from octavo.core.errors import Problem, ValidationError
from octavo.core.forms.printing import MISSING, ROOT, Place, print_number, type_message
from octavo.core.forms.rules import Rule
from octavo.core.forms.texts import is_storable

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
        found: list[tuple[str, list[Problem]]] = []
        for name in reversed([*self.members]):
            inside = place.member(name)
            listed = [*islice(self.members[name].problems(value.get(name, MISSING), inside), _MOST)]
            if listed:
                found.append((inside.label, listed))
        names = [*self.members]
        found.sort(key=lambda one: next(index for index, name in enumerate(names) if name in one[0]))
        for _, listed in found:
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
    found = problems_in(shape, value)
    if found:
        raise ValidationError.from_problems(found)


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
