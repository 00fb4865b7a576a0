"""Removes from the data of a write what the actor may not write: at any depth, fields that its ability does not write
and relations to types it may not `find`.

Security promise 7: links to what one may not read are not written either. Like the reference, it says nothing about
them. What no attribute allows to write (ids, creators, timestamps, unknown names) is left to
`content.validation.body_validator`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from octavo.authorization.ability import FIND, Ability
from octavo.query.ast import Filter
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from octavo.values import dataclass

Place = FieldPlace | None
_TYPE_KEY, _COMPONENT_KEY = "__type", "__component"
_REMOVED = object()


@dataclass(frozen=True, slots=True)
class InputSanitizer:
    """Sanitizes data for those with one ability."""

    registry: Registry
    ability: Ability
    action: str
    """`create` or `update`."""
    meets: Callable[[Filter], bool] = lambda _: False
    """Whether the entry is one of those in which a field may be written that is not writable in all of them."""

    def sanitize(self, data: Any, definition: Definition) -> Any:
        """The same data less what may not be written. What is no object is left to validation."""
        return self._object(data, definition, FieldPlace(definition.uid) if self.ability.limits_fields else None)

    def _object(self, data: Any, definition: Definition, place: Place) -> Any:
        """`place` is where the fields are; None for abilities that write all of them."""
        if not isinstance(data, Mapping):
            return data
        kept = {}
        for name, value in data.items():
            attribute = definition.attributes.get(name)
            if attribute is None or (place is None and isinstance(attribute, Scalar)):
                kept[name] = value
                continue
            cleaned = self._attribute(value, attribute, place)
            if cleaned is not _REMOVED:
                kept[name] = cleaned
        return kept

    def _attribute(self, value: Any, attribute: AnyAttribute, place: Place) -> Any:
        if place is not None and not self._may_write(place.uid, place.field(attribute.name)):
            return _REMOVED
        match attribute:
            case Relation() if self.ability.links_by_field:
                return value
            case Relation(target=str() as uid):
                return value if self.ability.may(FIND, uid) else _REMOVED
            case Relation():
                return self._morph(value)
            case ComponentField(component=uid):
                component = self.registry.components[uid]
                inside = None if place is None else place.below(attribute, component)
                if isinstance(value, list):
                    return [self._object(item, component, inside) for item in value]
                return self._object(value, component, inside)
            case DynamicZone() if isinstance(value, list):
                return [self._zone_item(item, attribute, place) for item in value]
            case _:
                return value

    def _may_write(self, uid: str, field: str) -> bool:
        """Whether a field may be written, of the entry that this is about."""
        if not self.ability.writes(uid, field, self.action):
            return False
        condition = self.ability.field_scope(uid, field, self.action)
        return condition is None or self.meets(condition)

    def _zone_item(self, item: Any, zone: DynamicZone, place: Place) -> Any:
        uid = item.get(_COMPONENT_KEY) if isinstance(item, Mapping) else None
        component = self.registry.components.get(uid) if isinstance(uid, str) else None
        if component is None:
            return item
        return self._object(item, component, None if place is None else place.below(zone, component))

    def _morph(self, value: Any) -> Any:
        """Targets name their types themselves: each is looked at."""
        if isinstance(value, list):
            return [item for item in value if self._may_lead_to(item)]
        if isinstance(value, Mapping) and _TYPE_KEY not in value:
            return {key: self._morph(inside) if isinstance(inside, list) else inside for key, inside in value.items()}
        return value if self._may_lead_to(value) else _REMOVED

    def _may_lead_to(self, target: Any) -> bool:
        uid = target.get(_TYPE_KEY) if isinstance(target, Mapping) else None
        return not isinstance(uid, str) or uid not in self.registry.content_types or self.ability.may(FIND, uid)
