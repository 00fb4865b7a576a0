"""What a configuration file says: values with their places, and holes where only running code could tell."""

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands: the file as its owner would name it, and the line, from 1."""

    file: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text, a number, true, false or nothing.

    `from_code`: no variable of the environment had a part in it; `unset` is one that would have had, were it set.
    """

    value: str | float | bool | None
    place: Place
    from_code: bool = True
    unset: str | None = None


@dataclass(frozen=True, slots=True)
class Hole:
    """What cannot be known; `what` says why, for people."""

    what: str
    place: Place


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `rest` is why it may hold more."""

    items: tuple["Node", ...]
    place: Place
    rest: Hole | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Values by name; `rest` is why there may be more."""

    members: Mapping[str, "Node"]
    place: Place
    rest: Hole | None = None


Node = Leaf | Hole | Items | Table


class HoleFound(Exception):
    """A value has a hole in it."""

    def __init__(self, hole: Hole) -> None:
        self.hole = hole
        super().__init__(hole.what)


def plain(node: Node) -> Any:
    """The value without places. Raises HoleFound."""
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
    """Everything in a table that is no table, with its path; an empty table, too."""
    if isinstance(node, Table) and node.members:
        for name, member in node.members.items():
            yield from leaves(member, (*path, name))
    else:
        yield path, node
