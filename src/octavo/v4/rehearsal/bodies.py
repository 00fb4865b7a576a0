"""Sample entries for a rehearsal, from the attributes of a content type."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Final

from octavo.schema.attributes import STAMPED, ComponentField, DynamicZone, Enumeration, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_DEEPEST: Final = 5
_LINKED: Final = ("manyToOne", "manyToMany")
_TEXTS: Final = ("string", "text", "richtext")


def sample_data(registry: Registry, definition: Definition, number: int, ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the values of an entry. `ids` has an existing entry by content type, which relations link.

    Relations to one entry at the other end stay empty, because linking would take the entry from another one.
    """
    return _values(registry, definition, number, ids, 0)


def changed_data(definition: Definition, number: int) -> dict[str, Any]:
    """Return one changed value of an entry, or nothing if there is no attribute for it."""
    for attribute in definition.attributes.values():
        if not isinstance(attribute, Scalar) or attribute.name in STAMPED or not attribute.writable:
            continue
        if attribute.type in (*_TEXTS, "integer") and not attribute.regex:
            return {attribute.name: _scalar(attribute, number)}
    return {}


def _values(
    registry: Registry, definition: Definition, number: int, ids: Mapping[str, int], depth: int
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, attribute in definition.attributes.items():
        if not attribute.writable or name in STAMPED:
            continue
        if isinstance(attribute, Scalar):
            values[name] = _scalar(attribute, number)
        elif isinstance(attribute, Relation):
            target = attribute.target or ""
            if attribute.kind in _LINKED and target in ids:
                values[name] = {"connect": [ids[target]]}
        elif isinstance(attribute, ComponentField) and depth < _DEEPEST:
            one = _values(registry, registry.components[attribute.component], number, ids, depth + 1)
            values[name] = [one] * max(attribute.minimum or 1, 1) if attribute.repeatable else one
        elif isinstance(attribute, DynamicZone) and attribute.components and depth < _DEEPEST:
            uid = attribute.components[0]
            one = _values(registry, registry.components[uid], number, ids, depth + 1)
            values[name] = [{"__component": uid, **one}] * max(attribute.minimum or 1, 1)
    return {name: value for name, value in values.items() if value is not None}


def _scalar(attribute: Scalar, number: int) -> Any:
    if attribute.regex:
        return None
    if isinstance(attribute, Enumeration):
        return attribute.values[0] if attribute.values else None
    if attribute.type in _TEXTS:
        return f"Rehearsal {number} ".ljust(attribute.min_length or 0, "x")[: attribute.max_length].rstrip()
    if attribute.type in ("integer", "biginteger", "decimal", "float"):
        lowest = ceil(attribute.minimum) if attribute.minimum is not None else number
        value = lowest if attribute.maximum is None else min(lowest, int(attribute.maximum))
        return str(value) if attribute.type == "biginteger" else value
    sample = _SAMPLES.get(attribute.type)
    return sample(number) if sample else None


_SAMPLES: Final[Mapping[str, Callable[[int], Any]]] = {
    "uid": lambda number: f"rehearsal-{number}",
    "email": lambda number: f"rehearsal{number}@example.org",
    "password": lambda number: f"Rehearsal-{number}",
    "boolean": lambda number: number % 2 == 0,
    "date": lambda number: f"2030-01-{number % 28 + 1:02}",
    "time": lambda number: f"10:{number % 60:02}:00.000",
    "datetime": lambda number: f"2030-01-{number % 28 + 1:02}T10:00:00.000Z",
    "json": lambda number: {"rehearsal": number},
    "blocks": lambda number: [{"type": "paragraph", "children": [{"type": "text", "text": f"Rehearsal {number}"}]}],
}
