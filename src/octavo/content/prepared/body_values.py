"""BodyReaders: the values of a plain body in a row, and the shape that they have.

The shape is whatever decides which statements a body comes to, and whether anything is wrong with it besides the values
themselves: the names, how many targets and components there are and of which kind. Two bodies of one shape differ in
their values alone. Targets are written as ids, each once; whatever else is said of relations goes the long way.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple

from octavo.content.prepared.plain_values import NotPlain, Take, is_plain_id, taker
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.content.validation.scalar_rules import Mode, is_unique
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind
from octavo.sql.dialects.base import Dialect

MOST_VALUES: Final = 256
"""Values of a plain body: what is larger is worth the long way."""
_MOST_READERS: Final = 1024
_BOUND_OTHERWISE: Final = (ValueKind.DATETIME, ValueKind.TIMESTAMP)
"""What is locked as a unique value is the stored one, which may be another than the one that is bound."""

Read = Callable[[Any, list[Any]], Hashable]
"""Puts the values of an attribute behind others; what they add to the shape."""


class _Reader(NamedTuple):
    """How objects with the same keys are read: values that add nothing to the shape, and those that do."""

    scalars: tuple[tuple[str, Take], ...]
    others: tuple[tuple[str, Read], ...]


class BodyReaders:
    """Reads bodies in one mode, by readers that are made once for objects with the same keys."""

    def __init__(self, registry: Registry, dialect: Dialect, mode: Mode) -> None:
        self._registry = registry
        self._dialect = dialect
        self._mode = mode
        self._readers: dict[tuple[Definition, tuple[str, ...]], _Reader | None] = {}

    def read(self, definition: Definition, data: Mapping[str, Any], values: list[Any]) -> Hashable:
        """The shape of an object; its values are put behind others. Raises NotPlain."""
        names = tuple(data)
        key = (definition, names)
        reader = self._readers[key] if key in self._readers else self._make(definition, names)
        if reader is None or len(values) > MOST_VALUES:
            raise NotPlain
        for name, take in reader.scalars:
            values.append(take(data[name]))
        if not reader.others:
            return names
        return names, *[read(data[name], values) for name, read in reader.others]

    def order(self, definition: Definition, data: Mapping[str, Any]) -> tuple[str, ...]:
        """The attributes of an object that was read, in the order of their values."""
        reader = self._readers.get((definition, tuple(data)))
        return () if reader is None else tuple(name for name, _ in (*reader.scalars, *reader.others))

    def _make(self, definition: Definition, names: tuple[str, ...]) -> _Reader | None:
        if len(self._readers) >= _MOST_READERS:
            self._readers.clear()
        scalars: list[tuple[str, Take]] = []
        others: list[tuple[str, Read]] = []
        reader: _Reader | None = None
        for name in names:
            attribute = definition.attributes.get(name)
            if name == COMPONENT_KEY and attribute is None:
                continue
            if attribute is None or not attribute.writable:
                break
            if isinstance(attribute, Scalar):
                take = taker(attribute, self._mode, self._dialect)
                if take is None:
                    break
                if is_unique(attribute):
                    if SCALAR_TYPES[attribute.type].kind in _BOUND_OTHERWISE:
                        break
                    others.append((name, _unique(take)))
                else:
                    scalars.append((name, take))
                continue
            read = self._of(attribute)
            if read is None:
                break
            others.append((name, read))
        else:
            reader = _Reader(tuple(scalars), tuple(others))
        self._readers[definition, names] = reader
        return reader

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


def _unique(take: Take) -> Read:
    """A value that may occur once only is asked about, unless it is null."""

    def read(value: Any, values: list[Any]) -> Hashable:
        values.append(take(value))
        return value is None

    return read


def _target(value: Any, values: list[Any]) -> Hashable:
    if value is None:
        return None
    if not is_plain_id(value):
        raise NotPlain
    values.append(value)
    return 1


def _targets(value: Any, values: list[Any]) -> Hashable:
    if value is None:
        return None
    if value.__class__ is not list or len(value) > MOST_VALUES:
        raise NotPlain
    for target in value:
        if not is_plain_id(target):
            raise NotPlain
    if len(set(value)) < len(value):
        raise NotPlain
    values.extend(value)
    return len(value)
