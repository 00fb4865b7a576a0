"""The position of a value in a body, as a path and as the label in messages."""

from octavo.core.errors import Problem


class InputPath:
    """A position, stored as its parent and the last step.

    Path and label are computed on demand, because few values have errors.
    """

    __slots__ = ("_above", "_step")

    def __init__(self, above: "InputPath | None" = None, step: str | int = "") -> None:
        self._above = above
        self._step = step

    @property
    def path(self) -> tuple[str, ...]:
        """The steps from the top; list positions as text."""
        return () if self._above is None else (*self._above.path, str(self._step))

    @property
    def label(self) -> str:
        """The position as in messages: `links[0].text`."""
        if self._above is None:
            return ""
        above, step = self._above.label, self._step
        if isinstance(step, int):
            return f"{above}[{step}]"
        return f"{above}.{step}" if above else step

    def child(self, name: str) -> "InputPath":
        """Return the path of an attribute."""
        return InputPath(self, name)

    def item(self, index: int) -> "InputPath":
        """Return the path of a list item."""
        return InputPath(self, index)

    def problem(self, message: str) -> Problem:
        """Return a problem at this position."""
        return Problem(self.path, message)


TOP = InputPath()
