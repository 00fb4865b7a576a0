"""Find relations whose links are in the table of their other side, although they have no `mappedBy`.

v4 goes through plugins' content types, then those of APIs, by file, and their attributes in order. A relation with
`inversedBy` makes its other side use its table, so of two such sides, the last one's table holds the links. Measured on
the reference; the other table stays empty.
"""

from collections.abc import Iterator
from typing import Final

from octavo.schema.attributes import Relation
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_OTHER_SIDES: Final = {"oneToOne": "oneToOne", "manyToMany": "manyToMany", "manyToOne": "oneToMany"}
"""The kinds of relations that can have `inversedBy`, and those of their other sides."""

Side = tuple[str, str]
"""The UID of a content type, and the name of its relation."""


def shared_links(registry: Registry) -> dict[Side, str]:
    """Return such relations, each with the name of the target's relation that stores its links."""
    shared: dict[Side, str] = {}
    for definition, relation in _owning(registry):
        shared.pop((definition.uid, relation.name), None)
        if relation.inversed_by and _is_shared(registry, definition, relation):
            shared[str(relation.target), relation.inversed_by] = relation.name
    return shared


def _owning(registry: Registry) -> Iterator[tuple[ContentType, Relation]]:
    """Yield relations without `mappedBy` in v4's order."""
    for definition in sorted(registry.content_types.values(), key=lambda one: one.uid.startswith("api::")):
        for attribute in definition.attributes.values():
            if isinstance(attribute, Relation) and attribute.target and not attribute.mapped_by:
                yield definition, attribute


def _is_shared(registry: Registry, definition: ContentType, relation: Relation) -> bool:
    """Return whether the other side has neither `mappedBy` nor another target or kind."""
    target = registry.content_types[str(relation.target)]
    other = target.attributes.get(str(relation.inversed_by))
    return (
        isinstance(other, Relation)
        and (target.uid, other.name) != (definition.uid, relation.name)
        and other.target == definition.uid
        and other.mapped_by is None
        and other.kind == _OTHER_SIDES.get(relation.kind)
    )
