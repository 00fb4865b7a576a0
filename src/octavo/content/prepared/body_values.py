"""BodyReaders: extract the values of a simple body, and its shape.

The shape is everything that determines the statements for a body, and whether it is valid apart from its values: the
names, and the number and kinds of targets and components. Two bodies of the same shape only differ in their values.
Targets must be ids without duplicates, as numbers or as texts of digits; all other bodies take the regular path.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple

from octavo.content.prepared.plain_values import NotPlain, Take, plain_id, taker
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.content.validation.scalar_rules import Mode
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.attributes import PUBLISHED_AT, AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind
from octavo.schema.shared_values import is_unique

MOST_VALUES: Final = 256
"""The maximum number of values in a simple body; larger ones take the regular path."""
_MOST_READERS: Final = 512
_BOUND_OTHERWISE: Final = (ValueKind.DATETIME, ValueKind.TIMESTAMP)
"""The stored form of these unique values is locked, which can differ from the bound one."""

Read = Callable[[Any, list[Any]], Hashable]
"""Appends the values of an attribute; returns what they add to the shape."""


class _Way(NamedTuple):
    """How to read an attribute: its value only, or with a part of the shape."""

    take: Take | None = None
    read: Read | None = None


class _Reader(NamedTuple):
    """How to read objects with the same keys: values without an effect on the shape, and values with one."""

    scalars: tuple[tuple[str, Take], ...]
    others: tuple[tuple[str, Read], ...]


class BodyReaders:
    """Reads bodies in one mode, with cached readers per set of keys."""

    def __init__(self, registry: Registry, dialect: Dialect, mode: Mode) -> None:
        self._registry = registry
        self._dialect = dialect
        self._mode = mode
        self._readers: dict[tuple[Definition, tuple[str, ...]], _Reader] = {}
        self._ways: dict[tuple[Definition, str], _Way | None] = {}

    def read(self, definition: Definition, data: Mapping[str, Any], values: list[Any]) -> Hashable:
        """Append an object's values and return its shape. Raises NotPlain."""
        names = tuple(data)
        reader = self._readers.get((definition, names)) or self._make(definition, names)
        if reader is None or len(values) > MOST_VALUES:
            raise NotPlain
        for name, take in reader.scalars:
            values.append(take(data[name]))
        if not reader.others:
            return names
        return names, *[read(data[name], values) for name, read in reader.others]

    def order(self, definition: Definition, data: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the attributes of an object that was read, in the order of their values."""
        reader = self._readers.get((definition, tuple(data)))
        return () if reader is None else tuple(name for name, _ in (*reader.scalars, *reader.others))

    def _make(self, definition: Definition, names: tuple[str, ...]) -> _Reader | None:
        """Build and cache a reader if all keys are attributes. Unknown keys are not cached: clients can invent many."""
        scalars: list[tuple[str, Take]] = []
        others: list[tuple[str, Read]] = []
        known: list[str] = []
        for name in names:
            attribute = definition.attributes.get(name)
            if attribute is None and name == COMPONENT_KEY:
                known.append(COMPONENT_KEY)
                continue
            way = None if attribute is None else self._way(definition, attribute)
            if attribute is None or way is None:
                return None
            known.append(attribute.name)
            if way.take is not None:
                scalars.append((attribute.name, way.take))
            elif way.read is not None:
                others.append((attribute.name, way.read))
        if len(self._readers) >= _MOST_READERS:
            self._readers.clear()
        reader = self._readers[definition, tuple(known)] = _Reader(tuple(scalars), tuple(others))
        return reader

    def _way(self, definition: Definition, attribute: AnyAttribute) -> _Way | None:
        """Return how to read an attribute; None if it always takes the regular path."""
        key = (definition, attribute.name)
        if key not in self._ways:
            self._ways[key] = self._find_way(attribute) if attribute.writable else None
        return self._ways[key]

    def _find_way(self, attribute: AnyAttribute) -> _Way | None:
        if attribute.name == PUBLISHED_AT:  # publishing, unpublishing and scheduling have their own events
            return _Way(take=_nothing) if self._mode.creating else None
        if not isinstance(attribute, Scalar):
            read = self._of(attribute)
            return None if read is None else _Way(read=read)
        take = taker(attribute, self._mode, self._dialect)
        if take is None or not is_unique(attribute):
            return None if take is None else _Way(take=take)
        if SCALAR_TYPES[attribute.type].kind in _BOUND_OTHERWISE:
            return None
        return _Way(read=_unique(take))

    def _of(self, attribute: AnyAttribute) -> Read | None:
        match attribute:
            case Relation() if attribute.is_morph:
                return None
            case Relation() | Media():
                return _targets if attribute.to_many else _target
            case ComponentField(component=uid, repeatable=repeatable):
                component = self._registry.components[uid]
                return self._list_of(component) if repeatable else self._one_of(component)
            case DynamicZone():
                return self._zone
            case _:
                return None

    def _one_of(self, component: Definition) -> Read:
        def read(value: Any, values: list[Any]) -> Hashable:
            if value is None:
                return None
            if value.__class__ is not dict or COMPONENT_KEY in value:
                raise NotPlain
            return self.read(component, value, values)

        return read

    def _list_of(self, component: Definition) -> Read:
        read_one = self._one_of(component)

        def read(value: Any, values: list[Any]) -> Hashable:
            if value.__class__ is not list or None in value:
                raise NotPlain
            return tuple([read_one(item, values) for item in value])

        return read

    def _zone(self, value: Any, values: list[Any]) -> Hashable:
        if value.__class__ is not list:
            raise NotPlain
        return tuple([self._zone_item(item, values) for item in value])

    def _zone_item(self, item: Any, values: list[Any]) -> Hashable:
        uid = item.get(COMPONENT_KEY) if item.__class__ is dict else None
        component = self._registry.components.get(uid) if uid.__class__ is str else None
        if component is None:
            raise NotPlain
        return uid, self.read(component, item, values)


def _nothing(value: Any) -> None:
    """Accept only null."""
    if value is not None:
        raise NotPlain


def _unique(take: Take) -> Read:
    """Return a reader for a unique attribute, which is looked up unless it is null."""

    def read(value: Any, values: list[Any]) -> Hashable:
        values.append(take(value))
        return value is None

    return read


def _target(value: Any, values: list[Any]) -> Hashable:
    if value is None:
        return None
    values.append(plain_id(value))
    return value.__class__, 1


def _targets(value: Any, values: list[Any]) -> Hashable:
    """A list of ids, all as numbers or all as texts: an id in both forms is not the same target (observed)."""
    if value is None:
        return None
    if value.__class__ is not list or len(value) > MOST_VALUES:
        raise NotPlain
    targets = [plain_id(target) for target in value]
    forms = {target.__class__ for target in value}
    if len(forms) > 1 or len(set(targets)) < len(targets):
        raise NotPlain
    values.extend(targets)
    return *forms, len(targets)
