"""Removes from the data of a write what the actor may not write: relations to types it may not `find`, at any depth.

Security promise 7: links to what one may not read are not written either. Like the reference, it says nothing about
them. What no attribute allows to write (ids, creators, timestamps, unknown names) is left to `content.validation`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

MayFind = Callable[[str], bool]
_TYPE_KEY, _COMPONENT_KEY = "__type", "__component"
_REMOVED = object()


@dataclass(frozen=True, slots=True)
class WriteSanitizer:
    """Sanitizes data for one actor: `may_find` says whether it may read entries of a type (by UID)."""

    registry: Registry
    may_find: MayFind

    def sanitize(self, data: Any, definition: Definition) -> Any:
        """The same data less what may not be written. What is no object is left to validation."""
        if not isinstance(data, Mapping):
            return data
        kept = {}
        for name, value in data.items():
            attribute = definition.attributes.get(name)
            cleaned = value if attribute is None else self._attribute(value, attribute)
            if cleaned is not _REMOVED:
                kept[name] = cleaned
        return kept

    def _attribute(self, value: Any, attribute: AnyAttribute) -> Any:
        match attribute:
            case Relation(target=str() as uid):
                return value if self.may_find(uid) else _REMOVED
            case Relation():
                return self._morph(value)
            case ComponentField(component=uid):
                component = self.registry.components[uid]
                items = isinstance(value, list)
                return [self.sanitize(item, component) for item in value] if items else self.sanitize(value, component)
            case DynamicZone() if isinstance(value, list):
                return [self._zone_item(item) for item in value]
            case _:
                return value

    def _zone_item(self, item: Any) -> Any:
        uid = item.get(_COMPONENT_KEY) if isinstance(item, Mapping) else None
        component = self.registry.components.get(uid) if isinstance(uid, str) else None
        return item if component is None else self.sanitize(item, component)

    def _morph(self, value: Any) -> Any:
        """Targets name their types themselves: each is looked at."""
        if isinstance(value, list):
            return [item for item in value if self._may_lead_to(item)]
        if isinstance(value, Mapping) and _TYPE_KEY not in value:
            return {key: self._morph(inside) if isinstance(inside, list) else inside for key, inside in value.items()}
        return value if self._may_lead_to(value) else _REMOVED

    def _may_lead_to(self, target: Any) -> bool:
        uid = target.get(_TYPE_KEY) if isinstance(target, Mapping) else None
        return not isinstance(uid, str) or uid not in self.registry.content_types or self.may_find(uid)
