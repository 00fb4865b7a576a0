"""FormerNames: what rows still call a component that the definitions call otherwise now."""

from collections.abc import Mapping


class FormerNames:
    """Names by place, a definition's UID and an attribute that holds a component.

    v4 gives a component another name (UID) in its definition and leaves rows as they are, and reads them by attribute
    alone. What rows say is known once the database is reached (`database/component_names`), before anything is read.
    """

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: Mapping[tuple[str, str], tuple[str, ...]] = {}

    def know(self, names: Mapping[tuple[str, str], tuple[str, ...]]) -> None:
        """Take what was found."""
        self._names = names

    def of(self, uid: str, attribute: str) -> tuple[str, ...]:
        """The names at a place besides that of the definition: none, almost always."""
        return self._names.get((uid, attribute), ())

    def at(self, uid: str) -> dict[str, tuple[str, ...]]:
        """The attributes of a definition that have such names, with them."""
        return {attribute: names for (holder, attribute), names in self._names.items() if holder == uid}
