"""Hash the passwords of a body before the unit of work that stores them starts.

A hash takes as long as hundreds of statements, and on SQLite all other writers wait for the unit to end.
"""

from collections.abc import Iterable, Mapping, Set
from functools import partial
from typing import Any, Final

from octavo.access.authentication.passwords import HashedPassword, hash_password, prepare_default, prepare_password
from octavo.content.input.column_values import plain
from octavo.content.input.input_tree import InputNode
from octavo.content.validation.body_validator import COMPONENT_KEY, Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.core.threads import MOST_COMPUTED_HERE, in_computing_thread
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry


def without_passwords(registry: Registry, definition: Definition, data: Any) -> Any:
    """Return the JSON data of an entry or component without passwords. Other values are returned unchanged."""
    if not isinstance(data, Mapping):
        return data
    attributes = {name: definition.attributes.get(name) for name in data}
    return {
        name: _kept(registry, attribute, data[name])
        for name, attribute in attributes.items()
        if not (isinstance(attribute, Scalar) and attribute.type == "password")
    }


def _kept(registry: Registry, attribute: AnyAttribute | None, value: Any) -> Any:
    if not isinstance(attribute, ComponentField | DynamicZone):
        return plain(value)
    if isinstance(value, list | tuple):
        return [_kept(registry, attribute, item) for item in value]
    if not isinstance(value, Mapping):
        return None
    uid = attribute.component if isinstance(attribute, ComponentField) else value[COMPONENT_KEY]
    return without_passwords(registry, registry.components[uid], value)


_MOST_LENIENT: Final = Mode(creating=False, draft=True)


class PasswordHasher:
    """Hashes passwords in bodies for one registry's types."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._holders = _holders(registry)
        self._places = {
            definition.uid: _places(definition, self._holders)
            for definition in registry.definitions()
            if definition.uid in self._holders
        }
        self._defaults = tuple(_defaults(registry))

    async def prepare(self, content_type: ContentType, data: Any, *, complete: bool = True, size: int = 0) -> Any:
        """Return the data with its passwords hashed.

        Data that will be refused is returned unchanged, to save the work, unless `complete` is False. `size` is the
        data's size in bytes.
        """
        if content_type.uid not in self._holders or not isinstance(data, Mapping):
            return data
        for text in self._defaults:
            await prepare_default(text)
        looking = partial(self._is_to_hash, content_type, data, complete)
        if looking() if size <= MOST_COMPUTED_HERE else await in_computing_thread(looking):
            return await self.hash(content_type, data)
        return data

    async def hash(self, definition: Definition, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data with its passwords hashed, including those in components."""
        hashed = dict(data)
        for name, value in data.items():
            if _is_plain(definition, name, value):
                hashed[name] = await prepare_password(value)
            elif isinstance(definition.attributes.get(name), ComponentField | DynamicZone):
                items = value if isinstance(value, list) else [value]
                done = [await self._hash_component(definition, name, item) for item in items]
                hashed[name] = done if isinstance(value, list) else done[0]
        return hashed

    async def _hash_component(self, definition: Definition, name: str, item: Any) -> Any:
        component = self._component(definition, name, item)
        return item if component is None else await self.hash(component, item)

    def _is_to_hash(self, content_type: ContentType, data: Mapping[str, Any], complete: bool) -> bool:
        if not self._has_plain(content_type, data):
            return False
        return not (complete and Validator(self._registry, _MOST_LENIENT).entry(content_type, data).problems)

    def _has_plain(self, definition: Definition, data: Mapping[str, Any]) -> bool:
        for name in self._places[definition.uid]:
            value = data.get(name)
            if value is None:
                continue
            if _is_plain(definition, name, value):
                return True
            for item in value if isinstance(value, list) else (value,):
                component = self._component(definition, name, item)
                if component is not None and self._has_plain(component, item):
                    return True
        return False

    def _component(self, definition: Definition, name: str, item: Any) -> Definition | None:
        """Return the definition of a component in an attribute if it can contain passwords."""
        if not isinstance(item, Mapping):
            return None
        match definition.attributes.get(name):
            case ComponentField(component=uid):
                return self._registry.components[uid] if uid in self._holders else None
            case DynamicZone():
                named = item.get(COMPONENT_KEY)
                is_holder = isinstance(named, str) and named in self._holders
                return self._registry.components.get(str(named)) if is_holder else None
            case _:
                return None


def plain_passwords(body: InputNode) -> list[tuple[InputNode, str]]:
    """Return passwords that are not hashed yet: objects of the body and attributes. Octavo's own callers leave none."""
    return [
        (node, name)
        for node in body.walk()
        for name in node.definition.passwords
        if _is_plain(node.definition, name, node.scalars.get(name))
    ]


async def hash_passwords(places: Iterable[tuple[InputNode, str]]) -> None:
    """Hash the passwords at these places in a body."""
    for node, name in places:
        node.scalars[name] = await hash_password(node.scalars[name])


def _is_plain(definition: Definition, name: str, value: Any) -> bool:
    if not isinstance(value, str) or isinstance(value, HashedPassword):
        return False
    attribute = definition.attributes.get(name)
    return isinstance(attribute, Scalar) and attribute.type == "password"


def _holders(registry: Registry) -> frozenset[str]:
    """Return the UIDs of definitions that contain passwords, directly or in components at any depth."""
    inside = {definition.uid: _components_inside(definition, registry) for definition in registry.definitions()}
    uids = {definition.uid for definition in registry.definitions() if definition.passwords}
    grown = True
    while grown:
        more = {uid for uid, components in inside.items() if not components.isdisjoint(uids)} - uids
        uids |= more
        grown = bool(more)
    return frozenset(uids)


def _places(definition: Definition, holders: Set[str]) -> tuple[str, ...]:
    """Return the attributes that can contain a password or a component with one."""
    return tuple(
        name
        for name, attribute in definition.attributes.items()
        if isinstance(attribute, DynamicZone)
        or (isinstance(attribute, Scalar) and attribute.type == "password")
        or (isinstance(attribute, ComponentField) and attribute.component in holders)
    )


def _components_inside(definition: Definition, registry: Registry) -> set[str]:
    """Return the components that a definition can contain. A dynamic zone can contain all components."""
    if any(isinstance(attribute, DynamicZone) for attribute in definition.attributes.values()):
        return set(registry.components)
    return {item.component for item in definition.attributes.values() if isinstance(item, ComponentField)}


def _defaults(registry: Registry) -> set[str]:
    """Return the default passwords in the definitions."""
    scalars = (scalar for definition in registry.definitions() for scalar in definition.scalars)
    return {scalar.default for scalar in scalars if scalar.type == "password" and isinstance(scalar.default, str)}
