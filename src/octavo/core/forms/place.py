"""Positions in a body, for messages and for the path of a problem."""

from typing import Final

from octavo.core.errors import Problem
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a value: `permissions[0].action`, or as a path `("permissions", "0", "action")`."""

    label: str = ""
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The position in messages; the body itself is `this`."""
        return self.label or "this"

    def member(self, name: str) -> "Place":
        """Return the position of an object's member."""
        plain = f"{self.label}.{name}" if self.label else name
        label = f'{self.label}["{name}"]' if "." in name else plain
        return Place(label, (*self.path, name))

    def item(self, index: int) -> "Place":
        """Return the position of a list's item."""
        return Place(f"{self.label}[{index}]", (*self.path, str(index)))

    def problem(self, message: str) -> Problem:
        """Return a problem at this position."""
        return Problem(self.path, message)


ROOT: Final = Place()
