"""Where in a body a value stands, as a path and as the label that messages use."""

from octavo.core.errors import Problem


class InputPath:
    """A place: the step that leads there from another one. What it is called is found out when somebody asks, which
    few do: most values have nothing wrong with them."""

    __slots__ = ("_above", "_step")

    def __init__(self, above: "InputPath | None" = None, step: str | int = "") -> None:
        self._above = above
        self._step = step

    @property
    def path(self) -> tuple[str, ...]:
        """The steps from the top, positions as text."""
        return () if self._above is None else (*self._above.path, str(self._step))

    @property
    def label(self) -> str:
        """The same, written like `links[0].text`."""
        if self._above is None:
            return ""
        above, step = self._above.label, self._step
        if isinstance(step, int):
            return f"{above}[{step}]"
        return f"{above}.{step}" if above else step

    def child(self, name: str) -> "InputPath":
        """The attribute of that name."""
        return InputPath(self, name)

    def item(self, index: int) -> "InputPath":
        """An item of a list."""
        return InputPath(self, index)

    def problem(self, message: str) -> Problem:
        """What is wrong here."""
        return Problem(self.path, message)


TOP = InputPath()
