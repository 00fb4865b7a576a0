"""UnlistedComponents: which dynamic zones were seen to hold components that they do not list; reads of them then do."""

from collections.abc import Iterable

from octavo.query.plan.unlisted_marks import Unlisted
from octavo.schema.attributes import DynamicZone
from octavo.schema.content_types import Definition


class UnlistedComponents:
    """What this process has met so far. `version` counts how often something was new."""

    def __init__(self) -> None:
        self.version = 0
        self._met: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, definition: Definition, zone: DynamicZone) -> Iterable[str]:
        """The UIDs of components that the zone holds and does not list."""
        return self._met.get((definition.uid, zone.name), ())

    def add(self, met: Iterable[Unlisted]) -> bool:
        """Remember what an answer told; whether it told anything."""
        told = False
        for owner, zone, component in met:
            told, known = True, self._met.get((owner, zone), ())
            if component not in known:
                self._met[owner, zone] = (*known, component)
                self.version += 1
        return told
