"""What an expression comes to: a tree of values, each with its place, and holes where it cannot be known."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place


class Undefined(Enum):
    """JavaScript's `undefined`, which is not `null` (here None)."""

    UNDEFINED = "undefined"

    def __bool__(self) -> bool:
        return False


UNDEFINED = Undefined.UNDEFINED


@dataclass(frozen=True, slots=True)
class Hole:
    """What cannot be known without running code: where, the text there, shortened, and why. The text may be a secret
    that somebody wrote into the code: it is for the owner's eyes."""

    place: Place
    excerpt: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}: {self.excerpt}"


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that a value was made of. `fallback_used` says that code gave a value in its stead."""

    name: str
    is_set: bool
    fallback_used: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression as it is written between the slashes, and its flags."""

    source: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Date:
    """A date made of `text`."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of a readable file; `scope` is for the evaluator."""

    node: Node
    module: Module
    scope: Any


@dataclass(frozen=True, slots=True)
class Native:
    """Something of Node or of a package that the evaluator knows, by its dotted name, as `path.join`."""

    name: str


class Record(dict[str, "Value"]):
    """An object. `rest`, if any, is why it may hold more, and others, than it seems to."""

    __slots__ = ("rest",)

    def __init__(self, entries: Iterable[tuple[str, "Value"]] = (), rest: Hole | None = None) -> None:
        super().__init__(entries)
        self.rest = rest

    def ordered(self) -> list[tuple[str, "Value"]]:
        """The entries as JavaScript enumerates them: whole numbers first, by size."""
        numbers = [key for key in self if key.isascii() and key.isdigit() and len(key) < 10 and str(int(key)) == key]
        if not numbers:
            return list(self.items())
        known = set(numbers)
        others = [key for key in self if key not in known]
        return [(key, self[key]) for key in (*sorted(numbers, key=int), *others)]


class Items(list["Value"]):
    """An array. `rest`, if any, is why it may hold more than it seems to."""

    __slots__ = ("rest",)

    def __init__(self, items: Iterable["Value"] = (), rest: Hole | None = None) -> None:
        super().__init__(items)
        self.rest = rest


Scalar = str | int | float | bool | None
Data = Scalar | Undefined | Record | Items | Hole | Regex | Date | Function | Native


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One value, the place of the expression that made it, and the environment variables that it was made of.

    Read it with `at`, `plain`, `holes`; ask `is_hole` before trusting a single one.
    """

    data: Data
    place: Place
    variables: tuple[Variable, ...] = ()

    @property
    def is_hole(self) -> bool:
        """Whether nothing is known about it. An object or list that holds holes is none itself."""
        return isinstance(self.data, Hole)

    @property
    def hole(self) -> Hole | None:
        return self.data if isinstance(self.data, Hole) else None

    @property
    def is_undefined(self) -> bool:
        return self.data is UNDEFINED

    @property
    def is_given(self) -> bool:
        """Whether it says something: neither `undefined` nor `null`. A hole does."""
        return self.data is not UNDEFINED and self.data is not None

    @property
    def is_list(self) -> bool:
        return isinstance(self.data, Items)

    @property
    def is_function(self) -> bool:
        return isinstance(self.data, Function)

    @property
    def is_from_code(self) -> bool:
        """Whether what it says stands in the code: no variable that is set had a part in it. Of a secret, a defect."""
        return self.is_given and not any(one.is_set for one in self.variables)

    @property
    def rest(self) -> Hole | None:
        """Why an object or list may hold more than it seems to, as after a spread of a hole."""
        return self.data.rest if isinstance(self.data, Record | Items) else None

    def at(self, *keys: str | int) -> "Value":
        """What lies below, as `at("connection", "ssl", "ca")` or `at(0, "name")`.

        `undefined` where there is nothing; a hole where the way leads through one, or may be hidden behind one.
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
            found = data.get(str(key))
            return found if found is not None else Value(data.rest or UNDEFINED, self.place)
        if isinstance(data, Items) and str(key).isdigit() and len(str(key)) < 10:
            index = int(key)
            if data.rest is None:
                return data[index] if index < len(data) else Value(UNDEFINED, self.place)
            return Value(data.rest, self.place)
        return Value(UNDEFINED, self.place)

    def keys(self) -> list[str]:
        """The keys of an object that have a value or a hole; none of anything else."""
        return [key for key, value in self.items() if not value.is_undefined]

    def items(self) -> list[tuple[str, "Value"]]:
        """The entries of an object."""
        return list(self.data.items()) if isinstance(self.data, Record) else []

    def each(self) -> list["Value"]:
        """The items of a list; none of anything else."""
        return list(self.data) if isinstance(self.data, Items) else []

    def plain(self) -> Any:
        """It as Python has it: dict, list, str, int, float, bool, None. Keys whose value is `undefined` are left out;
        holes, functions, dates and regular expressions stay what they are here."""
        data = self.data
        if isinstance(data, Record):
            return {key: value.plain() for key, value in data.items() if not value.is_undefined}
        if isinstance(data, Items):
            return [None if value.is_undefined else value.plain() for value in data]
        return None if data is UNDEFINED else data

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Value"]]:
        """It and everything below it, with the way there."""
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
        """Every hole with the way there; that of an object which may hold more is named with `...`."""
        found = []
        for path, value in self.walk():
            if isinstance(value.data, Hole):
                found.append((path, value.data))
            elif value.rest is not None:
                found.append(((*path, "..."), value.rest))
        return found

    def with_fallback(self) -> tuple[Variable, ...]:
        """Its variables, when code gives a value instead of it."""
        return tuple(replace(one, fallback_used=True) for one in self.variables)


def joined_variables(values: Iterable[Value]) -> tuple[Variable, ...]:
    """The variables of several values, each once."""
    return tuple(dict.fromkeys(one for value in values for one in value.variables))


def number(found: float) -> int | float:
    """A number as JavaScript shows it: whole ones without a fraction."""
    if abs(found) < 2**53 and float(found).is_integer():
        return int(found)
    return found
