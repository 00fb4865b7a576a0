"""Where in entries of a type a component can be: through which fields, and components in between."""

from collections.abc import Iterable, Iterator

from octavo.schema.attributes import ComponentField, DynamicZone
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

ComponentPath = tuple[tuple[Definition, str, str], ...]
"""Steps from an entry to a component: the definition that holds it, the field, and the uid of the component there."""


def component_paths(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None = None
) -> tuple[ComponentPath, ...]:
    """Return the paths from a definition, through these fields of it (None: through all), to a component."""
    return tuple(_walk(registry, definition, uid, fields, frozenset()))


def _walk(
    registry: Registry, definition: Definition, uid: str, fields: Iterable[str] | None, passed: frozenset[str]
) -> Iterator[ComponentPath]:
    for name in definition.attributes if fields is None else fields:
        match definition.attributes[name]:
            case ComponentField(component=held):
                inside: Iterable[str] = (held,)
            case DynamicZone(components=listed):
                inside = dict.fromkeys((*listed, uid))  # under v4 a zone may hold what it does not list
            case _:
                continue
        for one in inside:
            step = (definition, name, one)
            if one == uid:
                yield (step,)
            if one not in passed:
                for rest in _walk(registry, registry.components[one], uid, None, passed | {one}):
                    yield (step, *rest)
