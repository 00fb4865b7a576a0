"""Where in a body a value stands, as a path and as the label that messages use."""

from dataclasses import dataclass

from octavo.errors import Problem


@dataclass(frozen=True, slots=True)
class InputPath:
    """A place. `label` is written like `links[0].text`."""

    path: tuple[str, ...] = ()
    label: str = ""

    def child(self, name: str) -> "InputPath":
        """The attribute of that name."""
        return InputPath((*self.path, name), f"{self.label}.{name}" if self.label else name)

    def item(self, index: int) -> "InputPath":
        """An item of a list."""
        return InputPath((*self.path, str(index)), f"{self.label}[{index}]")

    def problem(self, message: str) -> Problem:
        """What is wrong here."""
        return Problem(self.path, message)


TOP = InputPath()
