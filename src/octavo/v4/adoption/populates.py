"""Which content-types are large with everything below them: components in components, lists within lists."""

from collections.abc import Iterable, Iterator
from typing import Final

from octavo.schema.attributes import ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.v4.adoption.report import Populate

_SHOWN: Final = 10
_LARGE_TABLES: Final = 20
_LARGE_LISTS: Final = 3
_DEEPEST: Final = 10
_PASSED_OVER: Final = frozenset(("createdBy", "updatedBy", "localizations"))
_Size = tuple[int, int, tuple[str, ...]]
"""Tables, lists within lists, and the attributes that lead to the innermost list."""


def heaviest(registry: Registry) -> tuple[Populate, ...]:
    """The ten largest, as far as they are large: with all components, and relations one level deep."""
    known: dict[tuple[str, int], _Size] = {}
    sizes = (Populate(item.uid, *_size(registry, item, 0, known)) for item in registry.api_types())
    large = [item for item in sizes if item.tables >= _LARGE_TABLES or item.lists >= _LARGE_LISTS]
    return tuple(sorted(large, key=lambda item: (-item.tables, -item.lists, item.uid))[:_SHOWN])


def _size(registry: Registry, definition: Definition, depth: int, known: dict[tuple[str, int], _Size]) -> _Size:
    key = (definition.uid, depth)
    if key not in known:
        found = [*_parts(registry, definition, depth, known)] if depth < _DEEPEST else []
        deepest = max(found, key=lambda part: part[1], default=(0, 0, ()))
        known[key] = (sum(part[0] for part in found), deepest[1], deepest[2])
    return known[key]


def _parts(
    registry: Registry, definition: Definition, depth: int, known: dict[tuple[str, int], _Size]
) -> Iterator[_Size]:
    for name, attribute in definition.attributes.items():
        if name in _PASSED_OVER:
            continue
        match attribute:
            case Relation() | Media():
                yield 1, int(attribute.to_many), (name,) if attribute.to_many else ()
            case ComponentField(component=uid):
                yield _joined(registry, name, (uid,), attribute.to_many, depth, known)
            case DynamicZone(components=uids):
                yield _joined(registry, name, uids, True, depth, known)


def _joined(
    registry: Registry, name: str, uids: Iterable[str], many: bool, depth: int, known: dict[tuple[str, int], _Size]
) -> _Size:
    inner = [_size(registry, registry.components[uid], depth + 1, known) for uid in uids if uid in registry.components]
    deepest = max(inner, key=lambda size: size[1], default=(0, 0, ()))
    return len(inner) + sum(size[0] for size in inner), deepest[1] + many, (name, *deepest[2])
