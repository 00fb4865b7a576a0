"""Components in dynamic zones that do not list them: written through v4, or listed once and no longer.

A zone is read with a branch for each component that it lists. In the place of any other component the statement
answers its kind, between control characters that no JSON holds: so reading costs nothing where there are none.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from octavo.query.plan.nodes import KindShape
from octavo.schema.attributes import DynamicZone
from octavo.schema.content_types import Definition

MARK: Final = "\x11"
_TOLD: Final = re.compile(f"{MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}".encode())


class Unlisted(NamedTuple):
    """A component in a zone that does not list it; `owner` is the UID of the zone's definition."""

    owner: str
    zone: str
    component: str


def kind_of_unlisted(definition: Definition, zone: DynamicZone) -> KindShape:
    """What stands in an answer for a component that has no branch."""
    return KindShape(f"{MARK}{definition.uid}{MARK}{zone.name}{MARK}", MARK)


def told_unlisted(answer: bytes) -> Iterator[Unlisted]:
    """The components that an answer tells of and does not show."""
    if MARK.encode() in answer:
        for owner, zone, component in _TOLD.findall(answer):
            yield Unlisted(owner.decode(), zone.decode(), component.decode())
