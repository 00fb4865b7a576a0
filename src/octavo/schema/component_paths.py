"""The paths to a component in entries of a type: fields, and components in between."""

from collections.abc import Iterable, Iterator

from octavo.schema.attributes import ComponentField, DynamicZone
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

ComponentPath = tuple[tuple[Definition, str, str], ...]
"""The steps from an entry to a component: the containing definition, the field, and the component's UID."""


def component_paths(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None = None
) -> tuple[ComponentPath, ...]:
    """Return the paths from a definition, through these fields (None: all), to a component."""
    return tuple(_walk(registry, definition, uid, fields, frozenset()))


def _walk(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None, passed: frozenset[str]
) -> Iterator[ComponentPath]:
    for name in definition.attributes if fields is None else fields:
        match definition.attributes[name]:
            case ComponentField(component=held):
                inside: Iterable[str] = (held,)
            case DynamicZone(components=listed):
                inside = dict.fromkeys((*listed, uid))  # in v4, a zone may contain components that it does not list
            case _:
                continue
        for one in inside:
            step = (definition, name, one)
            if one == uid:
                yield (step,)
            if one not in passed:
                for rest in _walk(registry, registry.components[one], uid, None, passed | {one}):
                    yield (step, *rest)
