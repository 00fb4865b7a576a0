"""Remove from an entry loaded by a project's code what the actor cannot see, at any depth: private attributes,
passwords, fields without permission, and relations to content types the actor cannot `find`.

Octavo's own responses do not need this, because their queries only read what the actor can see. Keys that are not
attributes stay: the project's code added them.
"""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.ability import FIND, Ability, reads_always
from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, DynamicZone, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.json_values import NEVER_POPULATED, is_in_responses
from octavo.schema.registry import Registry

Place = FieldPlace | None
_TYPE_KEYS: Final = ("__type", "__component")
_REMOVED: Final = object()


@dataclass(frozen=True, slots=True)
class OutputSanitizer:
    """Sanitizes entries, as nested dictionaries without envelopes, for one ability."""

    registry: Registry
    ability: Ability

    def sanitize(self, entry: Mapping[str, Any], definition: Definition) -> dict[str, Any]:
        """Return a copy of an entry with only what the actor can see."""
        return self._entry(entry, definition, FieldPlace(definition.uid) if self.ability.limits_fields else None)

    def _entry(self, entry: Mapping[str, Any], definition: Definition, place: Place) -> dict[str, Any]:
        kept = {}
        for name, value in entry.items():
            attribute = definition.attributes.get(name)
            shown = value if attribute is None else self._attribute(value, definition, attribute, place)
            if shown is not _REMOVED:
                kept[name] = shown
        return kept

    def _attribute(self, value: Any, definition: Definition, attribute: AnyAttribute, place: Place) -> Any:
        withheld = place is not None and not reads_always(self.ability, place.uid, place.field(attribute.name))
        if withheld or not is_in_responses(attribute) or (definition.uid, attribute.name) in NEVER_POPULATED:
            return _REMOVED
        target = self.registry.target(attribute)
        if isinstance(attribute, Relation) and target is not None and not self._may_reach(target):
            return _REMOVED
        if isinstance(attribute, Scalar) or not isinstance(value, Mapping | list | tuple):
            return value
        if isinstance(value, Mapping):
            return self._target(value, attribute, place)
        shown = (self._target(item, attribute, place) for item in value)
        return [item for item in shown if item is not _REMOVED]

    def _target(self, value: Any, attribute: AnyAttribute, place: Place) -> Any:
        """Sanitize the target of an attribute: an entry, a file or a component."""
        target = self.registry.target(attribute) or self._named(value, attribute)
        if target is None or not isinstance(value, Mapping):
            return _REMOVED
        if isinstance(attribute, Relation) and not self._may_reach(target):
            return _REMOVED
        return self._entry(value, target, None if place is None else place.below(attribute, target))

    def _may_reach(self, target: Definition) -> bool:
        return target.uid.startswith("admin::") or self.ability.may(FIND, target.uid)

    def _named(self, value: Any, attribute: AnyAttribute) -> Definition | None:
        """Return the definition that an item of a dynamic zone or polymorphic relation names."""
        uid = next((value[key] for key in _TYPE_KEYS if key in value), None) if isinstance(value, Mapping) else None
        known: Mapping[str, Definition] = (
            self.registry.components if isinstance(attribute, DynamicZone) else self.registry.content_types
        )
        return known.get(uid) if isinstance(uid, str) else None
