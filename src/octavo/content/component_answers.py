"""Build the responses for components and dynamic zones in the content manager."""

from collections.abc import Callable

from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.query.answer import Answer, Fixed, Kinds, Nested, Object
from octavo.query.ast import EVERYTHING
from octavo.schema.attributes import ComponentField, DynamicZone


def components_answer(attribute: ComponentField | DynamicZone, inside: Callable[[str], Object | None]) -> Answer | None:
    """Return the response for an attribute with components. `inside` returns that of a component by UID, or None."""
    if isinstance(attribute, ComponentField):
        found = inside(attribute.component)
        return found and Nested(attribute.name, EVERYTHING, found, linked=True)
    kinds = ((uid, inside(uid)) for uid in attribute.components)
    branches = tuple((uid, _named(uid, kind)) for uid, kind in kinds if kind)
    return Kinds(attribute.name, EVERYTHING, branches, linked=True)


def _named(uid: str, component: Object) -> Object:
    return Object(((COMPONENT_KEY, Fixed(f'"{uid}"')), *component.members))
