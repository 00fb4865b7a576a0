"""Files in form-data bodies: map field names (`files.cover`, `files.blocks[0].image`) to positions in `data`.

Raises `BadRequestError` for a field name without the prefix `files.`. As with unknown names in a body, names that do
not match a media attribute or an existing component are ignored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from octavo.core.errors import BadRequestError
from octavo.query.ast import Branch, Populate, Query
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

Path = tuple[str, ...]
PREFIX: Final = "files"
_MESSAGE: Final = (
    "When using multipart/form-data you need to provide your files by prefixing them with the 'files'.\n"
    'For example, when a media file is named "avatar", make sure the form key name is "files.avatar"'
)
_IDS: Final = Query(fields=("id",))
_SEGMENT = re.compile(r"[^.\[\]]+")


def read_field(name: str) -> Path:
    """Return the path in a field's name, without the prefix.

    >>> read_field("files.cover"), read_field("files.blocks[0].image"), read_field("files[cover]")
    (('cover',), ('blocks', '0', 'image'), ('cover',))
    """
    if not name.startswith((f"{PREFIX}.", f"{PREFIX}[")):
        raise BadRequestError(_MESSAGE)
    return tuple(_SEGMENT.findall(name[len(PREFIX) :]))


def check_fields(names: Iterable[str]) -> None:
    """Raise BadRequestError for fields without the prefix, before anything is stored."""
    for name in names:
        read_field(name)


def place_files(
    data: Mapping[str, Any],
    ids_by_field: Mapping[str, Sequence[int]],
    definition: Definition,
    registry: Registry,
    current: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the data with the files' ids at their positions.

    `current` is the entry before an update, raw, as read by `current_query` (`{"gallery": [{"id": 1}], "seo":
    {"id": 2}}`). Files are added to a list, given or current, and replace a single file. A component that is not in
    the data is updated by its id.
    """
    placing = _Placing(registry)
    placed = dict(data)
    for field, ids in ids_by_field.items():
        if ids:
            placed = placing.entry(placed, current or {}, definition, read_field(field), list(ids))
    return placed


def current_query(fields: Iterable[str], definition: Definition, registry: Registry) -> Query:
    """Return the query for what `place_files` needs of the entry before an update: the ids along the paths."""
    query = _IDS
    for field in fields:
        query = _with_path(query, read_field(field), definition, registry)
    return query


def _with_path(query: Query, path: Path, definition: Definition, registry: Registry) -> Query:
    attribute = definition.attributes.get(path[0]) if path else None
    if attribute is None or isinstance(attribute, Scalar | Relation):
        return query
    if isinstance(attribute, Media) and not attribute.multiple:
        return query  # a single file is replaced in any case
    known = next((item for item in query.populate if item.name == attribute.name), None)
    populate = _extended(known or Populate(name=attribute.name, query=_IDS), attribute, path[1:], registry)
    others = tuple(item for item in query.populate if item.name != attribute.name)
    return replace(query, populate=(*others, populate))


def _extended(populate: Populate, attribute: AnyAttribute, rest: Path, registry: Registry) -> Populate:
    if isinstance(attribute, ComponentField):
        inside = rest[1:] if attribute.repeatable else rest
        component = registry.components[attribute.component]
        return replace(populate, query=_with_path(populate.query, inside, component, registry))
    if isinstance(attribute, DynamicZone):
        known = populate.branches or tuple(Branch(component=uid, query=_IDS) for uid in registry.components)
        return replace(populate, branches=tuple(_with_path_of(branch, rest[1:], registry) for branch in known))
    return populate


def _with_path_of(branch: Branch, path: Path, registry: Registry) -> Branch:
    component = registry.components[branch.component]
    return replace(branch, query=_with_path(branch.query, path, component, registry))


class _Placing:
    """Walks to one position. Values along the path are copied, not changed."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def entry(
        self, data: Mapping[str, Any], current: Mapping[str, Any], definition: Definition, path: Path, ids: list[int]
    ) -> dict[str, Any]:
        placed = dict(data)
        name, rest = (path[0], path[1:]) if path else ("", ())
        attribute = definition.attributes.get(name)
        before = current.get(name)
        match attribute:
            case Media(multiple=True) if not rest:
                placed[name] = [*_listed(placed.get(name, before)), *ids]
            case Media() if not rest:
                placed[name] = ids[-1]
            case ComponentField(repeatable=False):
                value = placed.get(name, _identity(before))
                if isinstance(value, Mapping):
                    placed[name] = self._component(value, before, attribute, rest, ids)
            case ComponentField() | DynamicZone():
                value = placed.get(name, [_identity(item) for item in _listed(before)])
                if isinstance(value, list) and value and rest:
                    placed[name] = self._items(value, _listed(before), attribute, rest, ids)
        return placed

    def _items(
        self, items: list[Any], before: list[Any], attribute: AnyAttribute, path: Path, ids: list[int]
    ) -> list[Any]:
        index = int(path[0]) if path[0].isdecimal() and len(path[0]) < 6 else len(items)
        if index >= len(items) or not isinstance(items[index], Mapping):
            return items
        stored = next((item for item in before if _same(item, items[index])), None)
        placed = self._component(items[index], stored, attribute, path[1:], ids)
        return [*items[:index], placed, *items[index + 1 :]]

    def _component(
        self, value: Mapping[str, Any], before: Any, attribute: AnyAttribute, path: Path, ids: list[int]
    ) -> dict[str, Any]:
        uid = attribute.component if isinstance(attribute, ComponentField) else value.get("__component")
        component = self._registry.components.get(uid) if isinstance(uid, str) else None
        if component is None or not path:
            return dict(value)
        stored = before if isinstance(before, Mapping) and _same(before, value) else {}
        return self.entry(value, stored, component, path, ids)


def _identity(component: Any) -> Any:
    """Return a stored component as a reference by id, which leaves its attributes unchanged."""
    if not isinstance(component, Mapping):
        return component
    return {key: component[key] for key in ("id", "__component") if key in component}


def _same(stored: Any, given: Any) -> bool:
    return (
        isinstance(stored, Mapping)
        and isinstance(given, Mapping)
        and "id" in given
        and str(stored.get("id")) == str(given["id"])
        and ("__component" not in given or given["__component"] == stored.get("__component"))
    )


def _listed(value: Any) -> list[Any]:
    """Return files or components, given in any format, as a list."""
    if isinstance(value, Mapping) and "id" not in value:
        value = value.get("set")
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]
