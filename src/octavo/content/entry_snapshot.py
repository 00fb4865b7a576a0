"""The content of an entry, read in order to validate it, copy it, or share values with its localizations.

It has the format of write data: components with their ids, relations and media as ids. Passwords and polymorphic
relations are left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from octavo.access.authorization.ability import CREATE, FIND, Ability
from octavo.content.input.relation_input import StoredId
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed, Guarded, Kinds, Nested, Object, Plain
from octavo.query.ast import EVERYTHING
from octavo.schema.attributes import STAMPED, AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES
from octavo.schema.shared_values import is_unique

_ID: Final = ("id", Plain(None))
_BY_ID: Final = Object((_ID,))


def components_answer(attribute: ComponentField | DynamicZone, inside: Callable[[str], Object | None]) -> Answer | None:
    """Return the response for an attribute with components. `inside` returns that of a component by UID, or None."""
    if isinstance(attribute, ComponentField):
        members = inside(attribute.component)
        return members and Nested(attribute.name, EVERYTHING, members, linked=True)
    kinds = ((uid, inside(uid)) for uid in attribute.components)
    branches = tuple((uid, _named(uid, kind)) for uid, kind in kinds if kind)
    return Kinds(attribute.name, EVERYTHING, branches, linked=True)


def _named(uid: str, component: Object) -> Object:
    return Object(((COMPONENT_KEY, Fixed(f'"{uid}"')), *component.members))


def held(
    registry: Registry,
    content_type: ContentType,
    *,
    includes: Callable[[AnyAttribute], bool] = lambda _: True,
    copied_by: Ability | None = None,
) -> Object:
    """Return the response with the attributes that `includes` accepts and that `copied_by` can read and create."""
    place = FieldPlace(content_type.uid)
    return _SnapshotWalk(registry, includes, copied_by, place).object(content_type)


@dataclass(frozen=True, slots=True)
class _SnapshotWalk:
    """Walks a definition. A component inside of itself is read once."""

    registry: Registry
    includes: Callable[[AnyAttribute], bool]
    copied_by: Ability | None
    place: FieldPlace
    around: tuple[str, ...] = ()

    def object(self, definition: Definition) -> Object:
        return Object((_ID, *self._members(definition)))

    def _members(self, definition: Definition) -> Iterator[tuple[str, Answer | Guarded]]:
        for name in definition.writable_names:
            attribute = definition.attributes[name]
            if name not in STAMPED and self._is_copied(attribute) and (self.around or self.includes(attribute)):
                answer = self._answer(attribute)
                if answer is not None:
                    yield name, self._guarded(attribute, answer)

    def _is_copied(self, attribute: AnyAttribute) -> bool:
        if self.copied_by is None:
            return True
        uid, field = self.place.uid, self.place.field(attribute.name)
        return self.copied_by.reads(uid, field) and self.copied_by.writes(uid, field, CREATE)

    def _guarded(self, attribute: AnyAttribute, answer: Answer) -> Answer | Guarded:
        if self.copied_by is None:
            return answer
        condition = self.copied_by.field_scope(self.place.uid, self.place.field(attribute.name), FIND)
        return answer if condition is None else Guarded(condition, answer)

    def _answer(self, attribute: AnyAttribute) -> Answer | None:
        match attribute:
            case Scalar():
                return None if SCALAR_TYPES[attribute.type].secret else Plain(attribute.name)
            case Relation(is_morph=True):
                return None
            case Relation() | Media():
                return Nested(attribute.name, EVERYTHING, _BY_ID, linked=True)
            case ComponentField() | DynamicZone():
                return components_answer(attribute, partial(self._inside, attribute))

    def _inside(self, attribute: AnyAttribute, uid: str) -> Object | None:
        component = self.registry.components.get(uid)
        if component is None or uid in self.around:
            return None
        below = replace(self, place=self.place.below(attribute, component), around=(*self.around, uid))
        return below.object(component)


def as_data(registry: Registry, definition: Definition, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry, as read, as write data: relations and media as ids, components with their ids."""
    data: dict[str, Any] = {}
    for name, value in found.items():
        attribute = definition.attributes.get(name)
        match attribute:
            case Relation() | Media():
                targets = (value or ()) if attribute.to_many else filter(None, [value])
                ids = [StoredId(one["id"]) for one in targets]
                data[name] = ids if attribute.to_many else ids[0] if ids else None
            case ComponentField(component=uid, repeatable=True):
                data[name] = [_component(registry, uid, item) for item in value or ()]
            case ComponentField(component=uid):
                data[name] = value and _component(registry, uid, value)
            case DynamicZone():
                data[name] = [_component(registry, item[COMPONENT_KEY], item) for item in value or ()]
            case Scalar():
                data[name] = value
    return data


def without_unique(registry: Registry, definition: Definition, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data for a second entry with the same components, without their unique values.

    Components that require a unique value are left out.
    """
    return _copied(registry, definition, data, unique=False)


def without_ids(registry: Registry, definition: Definition, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data without component ids, so that components are created again."""
    return _copied(registry, definition, data)


def _copied(
    registry: Registry, definition: Definition, data: Mapping[str, Any], *, unique: bool = True
) -> dict[str, Any]:
    kept = {}
    for name, value in data.items():
        attribute = definition.attributes.get(name)
        if isinstance(attribute, ComponentField | DynamicZone):
            is_list = isinstance(value, list)
            given = value if is_list else [value]
            items = [
                _new(registry, attribute, item, unique=unique)
                for item in given
                if unique or not _needs_unique(component_of(registry, attribute, item))
            ]
            kept[name] = items if is_list else items[0] if items else None
        else:
            kept[name] = value
    return kept


def component_of(registry: Registry, attribute: ComponentField | DynamicZone, item: Any) -> Definition | None:
    """Return the component of an item in write data; None if it is not valid."""
    if not isinstance(item, Mapping):
        return None
    uid = attribute.component if isinstance(attribute, ComponentField) else item.get(COMPONENT_KEY)
    return registry.components.get(uid) if isinstance(uid, str) else None


def _component(registry: Registry, uid: str, found: Mapping[str, Any]) -> dict[str, Any]:
    named = {key: found[key] for key in (COMPONENT_KEY, "id") if key in found}
    return {**named, **as_data(registry, registry.components[uid], found)}


def _new(registry: Registry, attribute: ComponentField | DynamicZone, item: Any, *, unique: bool) -> Any:
    component = component_of(registry, attribute, item)
    if component is None:
        return item
    data = {name: value for name, value in item.items() if name != "id"}
    if not unique:
        data = {name: value for name, value in data.items() if not _is_once(component, name)}
    return _copied(registry, component, data, unique=unique)


def _needs_unique(component: Definition | None) -> bool:
    """Return whether a component has a required unique attribute."""
    return component is not None and any(is_unique(one) and one.required for one in component.scalars)


def _is_once(component: Definition, name: str) -> bool:
    """Return whether an attribute of a component is unique."""
    attribute = component.attributes.get(name)
    return isinstance(attribute, Scalar) and is_unique(attribute)
