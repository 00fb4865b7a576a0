"""The content of a configuration file: values with locations, and holes where only running code would give a value."""

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A location: the file as its owner would name it, and the line, from 1."""

    file: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text, a number, a boolean or null.

    `from_code`: it does not depend on environment variables; `unset` is a variable that it would depend on if it were
    set.
    """

    value: str | float | bool | None
    place: Place
    from_code: bool = True
    unset: str | None = None


@dataclass(frozen=True, slots=True)
class Hole:
    """An unknown value. `what` is the reason, for messages."""

    what: str
    place: Place


@dataclass(frozen=True, slots=True)
class Items:
    """A list. `rest` is the reason if it may contain more items."""

    items: tuple["Node", ...]
    place: Place
    rest: Hole | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Values by name. `rest` is the reason if there may be more."""

    members: Mapping[str, "Node"]
    place: Place
    rest: Hole | None = None


Node = Leaf | Hole | Items | Table


class HoleFound(Exception):
    """A value contains a hole."""

    def __init__(self, hole: Hole) -> None:
        self.hole = hole
        super().__init__(hole.what)


def plain(node: Node) -> Any:
    """Return the value without locations. Raises HoleFound."""
    match node:
        case Leaf(value=value):
            return value
        case Items(rest=Hole() as hole) | Table(rest=Hole() as hole):
            raise HoleFound(hole)
        case Items(items=items):
            return [plain(item) for item in items]
        case Table(members=members):
            return {name: plain(member) for name, member in members.items()}
        case Hole():
            raise HoleFound(node)


def leaves(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield everything in a table that is not a table, with its path; also empty tables."""
    if isinstance(node, Table) and node.members:
        for name, member in node.members.items():
            yield from leaves(member, (*path, name))
    else:
        yield path, node
