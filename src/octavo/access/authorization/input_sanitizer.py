"""Remove from the data of a write what the actor cannot write, at any depth: fields without permission, and relations
to content types the actor cannot `find`.

Security promise 7: a write cannot link entries that the actor cannot read. Like Strapi, it removes them silently.
Names that no attribute allows to write (ids, creators, timestamps, unknown names) are left to
`content.validation.body_validator`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from octavo.access.authorization.ability import FIND, Ability
from octavo.access.authorization.actions import action_on
from octavo.core.errors import ForbiddenError, Problem
from octavo.core.values import dataclass
from octavo.query.ast import Filter
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import FILE, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry

Place = FieldPlace | None
_LINKING = ("set", "connect")
_FIND_FILES = (action_on(FILE, FIND), action_on(FILE, "findOne"))
_TYPE_KEY, _COMPONENT_KEY = "__type", "__component"
_REMOVED = object()


def _names_files(value: Any) -> bool:
    """Return whether a value links any file, in any input form. Null, empty lists and disconnects do not."""
    if isinstance(value, Mapping):
        return "id" in value or any(_names_files(value.get(key)) for key in _LINKING)
    return bool(value) if isinstance(value, list) else value is not None


@dataclass(frozen=True, slots=True)
class InputSanitizer:
    """Sanitizes write data for one ability."""

    registry: Registry
    ability: Ability
    action: str
    """`create` or `update`."""
    meets: Callable[[Filter], bool] = lambda _: False
    """Returns whether the entry matches a filter, for fields that can only be written in some entries."""
    find_files: bool = False
    """Whether linking files requires permission to find files; otherwise ForbiddenError is raised."""

    def sanitize(self, data: Any, definition: Definition) -> Any:
        """Return the data without what the actor cannot write. Data that is not an object is left to validation."""
        return self._object(data, definition, FieldPlace(definition.uid) if self.ability.limits_fields else None)

    def _object(self, data: Any, definition: Definition, place: Place) -> Any:
        """`place` is the path of the fields; None for abilities that can write every field."""
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
            case Media() if self.find_files:
                self._check_files(value, attribute.name)
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

    def _check_files(self, value: Any, name: str) -> None:
        """Raise ForbiddenError if a value links files and the actor cannot find any. Unlinking is allowed."""
        if self.ability.links_by_field or any(map(self.ability.allows, _FIND_FILES)) or not _names_files(value):
            return
        needed = f"{name}: to link files you need the permission {' or '.join(_FIND_FILES)}"
        raise ForbiddenError(needed, {"errors": [Problem((name,), needed, ForbiddenError.name).as_json()]})

    def _may_write(self, uid: str, field: str) -> bool:
        """Return whether a field of this entry can be written."""
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
        """Remove targets of a polymorphic relation by the type that each one names."""
        if isinstance(value, list):
            return [item for item in value if self._may_lead_to(item)]
        if isinstance(value, Mapping) and _TYPE_KEY not in value:
            return {key: self._morph(inside) if isinstance(inside, list) else inside for key, inside in value.items()}
        return value if self._may_lead_to(value) else _REMOVED

    def _may_lead_to(self, target: Any) -> bool:
        uid = target.get(_TYPE_KEY) if isinstance(target, Mapping) else None
        return not isinstance(uid, str) or uid not in self.registry.content_types or self.ability.may(FIND, uid)
