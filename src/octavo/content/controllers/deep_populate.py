"""`populate=deep`, as in the v4 plugin `strapi-plugin-populate-deep`: populate everything, some levels deep.

It expands to the Populates that a client could have written, so permissions and limits apply as usual.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.errors import ValidationError
from octavo.query.ast import EVERYTHING, Populate, Query
from octavo.query.numbers import js_number
from octavo.query.populate import merge
from octavo.schema.attributes import LOCALIZATIONS, AnyAttribute, ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import ADMIN_USER, FILE, ContentType, Definition
from octavo.schema.registry import Registry

DEEP: Final = "deep"
MOST_LEVELS: Final = 20
"""The maximum number of levels, even if more are requested."""


def deep_levels(given: Mapping[str, Any], default: int) -> int | None:
    """Return how many levels a request selects; None if it does not use `populate=deep`.

    Raises ValidationError if the number is not valid.
    """
    names = given.get("populate")
    if isinstance(names, str):
        names = names.split(",")
    if not isinstance(names, list) or not names or names[0] != DEEP:
        return None
    asked = js_number(names[1]) if len(names) > 1 else default
    if math.isnan(asked):
        raise ValidationError("Invalid populate: expected a number of levels behind deep")
    return min(math.ceil(min(asked, MOST_LEVELS)), MOST_LEVELS)


def deep_populate(registry: Registry, content_type: ContentType, levels: int, most: int) -> tuple[Populate, ...]:
    """Return everything that can be populated. `levels` includes the entry's own level.

    Raises ValidationError if there are more than `most` populates, before permissions are applied.
    """
    return _Expansion(registry, most).level(content_type, levels, [])


class _Expansion:
    """Walks the definitions. Stops at cycles and at the limit."""

    def __init__(self, registry: Registry, most: int) -> None:
        self._registry = registry
        self._left = most

    def level(self, definition: Definition, levels: int, passed: list[str] | None) -> tuple[Populate, ...]:
        """Return what to populate of a definition.

        `passed` are the tables visited so far, in order: a relation named like one of them is not followed, as in the
        plugin, to avoid cycles. It is None within components, where all relations are followed.
        """
        if levels <= 1:
            return ()
        if passed is not None:
            passed.append(definition.collection_name)
        return tuple(self._followed(definition, levels - 1, passed))

    def _followed(self, definition: Definition, levels: int, passed: list[str] | None) -> Iterator[Populate]:
        for name, attribute in definition.attributes.items():
            if isinstance(attribute, Scalar) or name in (passed or ()) or _is_left_out(definition, attribute, levels):
                continue
            self._left -= 1
            if self._left < 0:
                raise ValidationError(
                    "Invalid populate: deep needs too many joins. Their limit follows from `reads.maxCost` in "
                    "config/api.toml. Request fewer levels, such as deep,3"
                )
            below = self._below(attribute, levels, passed)
            yield Populate(name=name, query=Query(populate=below) if below else EVERYTHING)

    def _below(self, attribute: AnyAttribute, levels: int, passed: list[str] | None) -> tuple[Populate, ...]:
        match attribute:
            case ComponentField(component=uid):
                return self.level(self._registry.components[uid], levels, None)
            case DynamicZone(components=uids):
                kinds = [self.level(self._registry.components[uid], levels, None) for uid in uids]
                return merge(item for kind in kinds for item in kind)
            case Relation(target=str() as uid) if attribute.name != LOCALIZATIONS:
                return self.level(self._registry.content_types[uid], levels, passed)
        return ()


def _is_left_out(definition: Definition, attribute: AnyAttribute, levels: int) -> bool:
    """Return whether to skip an attribute: a file's owners, and creators except on the last level, as in the plugin."""
    if definition.uid == FILE and attribute.name == "related":
        return True
    return isinstance(attribute, Relation) and attribute.target == ADMIN_USER and levels > 1
