"""Places in a body: as messages name them, and as the path of a problem."""

from typing import Final

from octavo.core.errors import Problem
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value lies: `permissions[0].action`, and the path `("permissions", "0", "action")`."""

    label: str = ""
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What messages call it; the body itself is `this`."""
        return self.label or "this"

    def member(self, name: str) -> "Place":
        """A member of the object here."""
        plain = f"{self.label}.{name}" if self.label else name
        label = f'{self.label}["{name}"]' if "." in name else plain
        return Place(label, (*self.path, name))

    def item(self, index: int) -> "Place":
        """An item of the list here."""
        return Place(f"{self.label}[{index}]", (*self.path, str(index)))

    def problem(self, message: str) -> Problem:
        """Something wrong here."""
        return Problem(self.path, message)


ROOT: Final = Place()
