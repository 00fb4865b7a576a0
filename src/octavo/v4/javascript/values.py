"""The result of evaluation: a tree of values with their locations, and holes where a value is unknown."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place


class Undefined(Enum):
    """JavaScript's `undefined`, which is different from `null` (None)."""

    UNDEFINED = "undefined"

    def __bool__(self) -> bool:
        return False


UNDEFINED = Undefined.UNDEFINED


@dataclass(frozen=True, slots=True)
class Hole:
    """A value that is unknown without running code: its location, the shortened source text, and the reason. The text
    may be a secret in the code, so show it to the owner only."""

    place: Place
    excerpt: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}: {self.excerpt}"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that a value depends on. `fallback_used`: code has replaced it by a fallback."""

    name: str
    is_set: bool
    fallback_used: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression as written between the slashes, and its flags."""

    source: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Date:
    """A date created from `text`."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of a readable file. `scope` is for the evaluator."""

    node: Node
    module: Module
    scope: Any


@dataclass(frozen=True, slots=True)
class Native:
    """A supported object of Node or of a package, by its dotted name, such as `path.join`."""

    name: str


class Record(dict[str, "Value"]):
    """An object. `rest`, if set, is the reason why it may have further or different entries."""

    __slots__ = ("rest",)

    def __init__(self, entries: Iterable[tuple[str, "Value"]] = (), rest: Hole | None = None) -> None:
        super().__init__(entries)
        self.rest = rest

    def ordered(self) -> list[tuple[str, "Value"]]:
        """Return the entries in JavaScript's order of enumeration: integers first, sorted."""
        numbers = [key for key in self if key.isascii() and key.isdigit() and len(key) < 10 and str(int(key)) == key]
        if not numbers:
            return list(self.items())
        known = set(numbers)
        others = [key for key in self if key not in known]
        return [(key, self[key]) for key in (*sorted(numbers, key=int), *others)]


class Items(list["Value"]):
    """An array. `rest`, if set, is the reason why it may have further items."""

    __slots__ = ("rest",)

    def __init__(self, items: Iterable["Value"] = (), rest: Hole | None = None) -> None:
        super().__init__(items)
        self.rest = rest


Scalar = str | int | float | bool | None
Data = Scalar | Undefined | Record | Items | Hole | Regex | Date | Function | Native


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A value, the location of its expression, and the environment variables that it depends on.

    Read it with `at`, `plain`, `holes`; check `is_hole` before using a single value.
    """

    data: Data
    place: Place
    variables: tuple[Variable, ...] = ()

    @property
    def is_hole(self) -> bool:
        """Whether the value is unknown. An object or list that contains holes is not a hole itself."""
        return isinstance(self.data, Hole)

    @property
    def hole(self) -> Hole | None:
        return self.data if isinstance(self.data, Hole) else None

    @property
    def is_undefined(self) -> bool:
        return self.data is UNDEFINED

    @property
    def is_given(self) -> bool:
        """Whether it is neither `undefined` nor `null`. True for a hole."""
        return self.data is not UNDEFINED and self.data is not None

    @property
    def is_list(self) -> bool:
        return isinstance(self.data, Items)

    @property
    def is_function(self) -> bool:
        return isinstance(self.data, Function)

    @property
    def is_from_code(self) -> bool:
        """Whether it comes from the code, without any set variable. For a secret, this is a defect."""
        return self.is_given and not any(one.is_set for one in self.variables)

    @property
    def rest(self) -> Hole | None:
        """Why an object or list may have further entries, for example after a spread of a hole."""
        return self.data.rest if isinstance(self.data, Record | Items) else None

    def at(self, *keys: str | int) -> "Value":
        """Return a nested value, for example `at("connection", "ssl", "ca")` or `at(0, "name")`.

        `undefined` if it does not exist; a hole if the path contains one, or one may define it.
        """
        value = self
        for key in keys:
            value = value._entry(key)
        return value

    def _entry(self, key: str | int) -> "Value":
        data = self.data
        if isinstance(data, Hole):
            return self
        if isinstance(data, Record):
            entry = data.get(str(key))
            return entry if entry is not None else Value(data.rest or UNDEFINED, self.place)
        if isinstance(data, Items) and str(key).isdigit() and len(str(key)) < 10:
            index = int(key)
            if data.rest is None:
                return data[index] if index < len(data) else Value(UNDEFINED, self.place)
            return Value(data.rest, self.place)
        return Value(UNDEFINED, self.place)

    def keys(self) -> list[str]:
        """Return the keys of an object that have a value or a hole; none for anything else."""
        return [key for key, value in self.items() if not value.is_undefined]

    def items(self) -> list[tuple[str, "Value"]]:
        """Return the entries of an object."""
        return list(self.data.items()) if isinstance(self.data, Record) else []

    def each(self) -> list["Value"]:
        """Return the items of a list; none for anything else."""
        return list(self.data) if isinstance(self.data, Items) else []

    def plain(self) -> Any:
        """Return the Python value: dict, list, str, int, float, bool, None. Keys with the value `undefined` are left
        out; holes, functions, dates and regular expressions are returned unchanged."""
        data = self.data
        if isinstance(data, Record):
            return {key: value.plain() for key, value in data.items() if not value.is_undefined}
        if isinstance(data, Items):
            return [None if value.is_undefined else value.plain() for value in data]
        return None if data is UNDEFINED else data

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Value"]]:
        """Yield it and all nested values, with their paths."""
        yield path, self
        data = self.data
        below: Iterable[tuple[str, Value]] = ()
        if isinstance(data, Record):
            below = data.items()
        elif isinstance(data, Items):
            below = ((str(index), item) for index, item in enumerate(data))
        for key, value in below:
            yield from value.walk((*path, key))

    def holes(self) -> list[tuple[tuple[str, ...], Hole]]:
        """Return every hole with its path; that of an object with unknown further entries ends with `...`."""
        holes = []
        for path, value in self.walk():
            if isinstance(value.data, Hole):
                holes.append((path, value.data))
            elif value.rest is not None:
                holes.append(((*path, "..."), value.rest))
        return holes

    def with_fallback(self) -> tuple[Variable, ...]:
        """Return its variables for which code has provided a fallback."""
        return tuple(replace(one, fallback_used=True) for one in self.variables)


def joined_variables(values: Iterable[Value]) -> tuple[Variable, ...]:
    """Return the variables of several values without duplicates."""
    return tuple(dict.fromkeys(one for value in values for one in value.variables))


def number(found: float) -> int | float:
    """Return a number as JavaScript shows it: integers without a fraction."""
    if abs(found) < 2**53 and float(found).is_integer():
        return int(found)
    return found
