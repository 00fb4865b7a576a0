"""Parse the indexes that a content type declares in `pluginOptions.octavo.indexes`, for sorting and `$containsi`.
Problems are recorded with their paths."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from octavo.schema.attributes import AnyAttribute, Scalar
from octavo.schema.content_types import CONTAINS, ORDER, DeclaredIndex, IndexKey
from octavo.schema.definition_values import Reader, unknown
from octavo.schema.problems import did_you_mean
from octavo.schema.scalar_types import SCALAR_TYPES, TEXT_KINDS, ValueKind

PLACE: Final = "pluginOptions.octavo"
_KINDS: Final = frozenset({ORDER, CONTAINS})
_KEYS: Final = frozenset({"attributes", "kind"})
_MOST_INDEXES: Final = 32
_MOST_ATTRIBUTES: Final = 8
_DIRECTIONS: Final = {"": False, "asc": False, "desc": True}


def read_declared_indexes(
    plugin_options: Mapping[str, Any], attributes: Mapping[str, AnyAttribute], reader: Reader
) -> tuple[DeclaredIndex, ...]:
    """Return the indexes declared in `pluginOptions.octavo`, without invalid ones, which are recorded as problems."""
    own = reader.mapping(plugin_options, "octavo", "pluginOptions")
    for key in own.keys() - {"indexes"}:
        reader.note(f"{PLACE}.{key}", unknown("key", key, frozenset({"indexes"})))
    listed = own.get("indexes")
    if listed is None:
        return ()
    place = f"{PLACE}.indexes"
    if not isinstance(listed, list) or len(listed) > _MOST_INDEXES:
        reader.note(place, f"must be a list of at most {_MOST_INDEXES} indexes")
        return ()
    indexes: dict[DeclaredIndex, str] = {}
    for number, raw in enumerate(listed):
        here = f"{place}.{number}"
        declared = _read_index(raw, attributes, reader, here)
        if declared is not None and indexes.setdefault(declared, here) != here:
            reader.note(here, f"is already declared at {indexes[declared]}")
    return tuple(indexes)


def with_parts_indexes(
    collection: str, attributes: Mapping[str, AnyAttribute], declared: Iterable[DeclaredIndex]
) -> dict[str, AnyAttribute]:
    """Return the attributes, with those in a substring index marked."""
    looked_into = {key.attribute for index in declared if index.kind == CONTAINS for key in index.keys}
    return {
        name: replace(attribute, parts_index_of=collection)
        if isinstance(attribute, Scalar) and name in looked_into
        else attribute
        for name, attribute in attributes.items()
    }


def renamed_keys(raw: Mapping[str, Any], old: str, new: str) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where the indexes of a valid definition use the attribute `old`: the path, and the value with `new`."""
    place = ("pluginOptions", "octavo", "indexes")
    listed = raw.get("pluginOptions", {}).get("octavo", {}).get("indexes") or ()
    for number, index in enumerate(listed):
        inner = ("attributes",) if isinstance(index, Mapping) else ()
        for position, text in enumerate(index["attributes"] if isinstance(index, Mapping) else index):
            name, colon, direction = text.removeprefix("-").partition(":")
            if name == old:
                sign = "-" if text.startswith("-") else ""
                yield (*place, number, *inner, position), f"{sign}{new}{colon}{direction}"


def _read_index(raw: Any, attributes: Mapping[str, AnyAttribute], reader: Reader, place: str) -> DeclaredIndex | None:
    before = len(reader.problems)
    kind, names = ORDER, raw
    if isinstance(raw, Mapping):
        for key in raw.keys() - _KEYS:
            reader.note(f"{place}.{key}", unknown("key", key, _KEYS))
        kind, names = raw.get("kind", ORDER), raw.get("attributes")
        if not isinstance(kind, str) or kind not in _KINDS:
            reader.note(f"{place}.kind", unknown("kind", kind, _KINDS))
            return None
        place = f"{place}.attributes"
    if (
        not isinstance(names, list)
        or not 0 < len(names) <= _MOST_ATTRIBUTES
        or not all(isinstance(n, str) for n in names)
    ):
        reader.note(place, f"must be a list of 1 to {_MOST_ATTRIBUTES} attribute names")
        return None
    keys = tuple(_read_key(name, kind, attributes, reader, f"{place}.{number}") for number, name in enumerate(names))
    if len({key.attribute for key in keys}) < len(keys):
        reader.note(place, "names an attribute twice")
    return DeclaredIndex(keys, kind) if len(reader.problems) == before else None


def _read_key(text: str, kind: str, attributes: Mapping[str, AnyAttribute], reader: Reader, place: str) -> IndexKey:
    """Parse a key: `title`, `-views` or `views:desc`."""
    name, _, direction = text.removeprefix("-").partition(":")
    if direction not in _DIRECTIONS or (text.startswith("-") and direction):
        reader.note(place, f"{text!r} has an invalid direction; write -{name} or {name}:desc")
    descending = text.startswith("-") or _DIRECTIONS.get(direction, False)
    for message in _faults(name, descending, kind, attributes):
        reader.note(place, message)
    return IndexKey(name, descending)


def _faults(name: str, descending: bool, kind: str, attributes: Mapping[str, AnyAttribute]) -> Iterator[str]:
    attribute = attributes.get(name)
    if name == "id":
        yield "remove the id; every index ends with it automatically"
    elif attribute is None:
        yield f"unknown attribute {name!r}; {did_you_mean(name, attributes, 'define it, or remove this index')}"
    elif not isinstance(attribute, Scalar):
        yield f"{name!r} has no column. Relations, components and files already have indexes"
    elif kind == CONTAINS and (descending or not _holds_text(attribute)):
        yield f"{name!r} cannot have an index of this kind: it requires text attributes without a direction"
    elif kind == ORDER and not _has_bounds(attribute):
        yield f'{name!r} may be too long for an index; to search for substrings, set "kind": "{CONTAINS}"'


def _holds_text(attribute: Scalar) -> bool:
    return attribute.type != "password" and SCALAR_TYPES[attribute.type].kind in TEXT_KINDS


def _has_bounds(attribute: Scalar) -> bool:
    kind = SCALAR_TYPES[attribute.type].kind
    return attribute.type != "password" and kind not in (ValueKind.TEXT, ValueKind.JSON)
