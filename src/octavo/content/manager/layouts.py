"""View configurations of a definition: settings, metadata of attributes, columns of lists, rows of edit views.

The format is v4's in the core store: `settings`, `metadatas`, `layouts`. Missing parts have defaults; configured parts
are adapted when the definition changes.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from octavo.content.manager.field_visibility import hidden_by_definition
from octavo.content.manager.type_schemas import attributes_of
from octavo.schema.attributes import CREATORS, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS
from octavo.schema.content_types import ADMIN_USER, USER, ContentType, Definition
from octavo.schema.registry import Registry

Raw = dict[str, Any]
Attributes = Mapping[str, Mapping[str, Any]]

COLUMNS: Final = 12
_WHOLE: Final = ("dynamiczone", "component", "json", "richtext", "blocks")
_NARROW: Final = ("checkbox", "boolean", "date", "time", "biginteger", "decimal", "float", "integer", "number")
_MIDDLE: Final = ("datetime", "email", "enumeration", "media", "password", "relation", "string", "text", "timestamp")
FIELD_SIZES: Mapping[str, Raw] = {
    **{name: {"default": COLUMNS, "isResizable": False} for name in _WHOLE},
    **{name: {"default": 4, "isResizable": True} for name in _NARROW},
    **{name: {"default": 6, "isResizable": True} for name in (*_MIDDLE, "uid")},
}
"""The width of a field, in twelfths, by attribute type."""

_LIST_LENGTH: Final = 4
_UNLISTED: Final = frozenset({"json", "password", "richtext", "dynamiczone", "blocks"})
_UNSORTED: Final = frozenset({"json", "richtext", "dynamiczone", "blocks", "component", "media"})
_AUTOMATIC: Final = frozenset({"id", *TIMESTAMPS, *CREATORS, PUBLISHED_AT, LOCALE, LOCALIZATIONS})
_INVISIBLE: Final = {
    USER: frozenset({"provider", "resetPasswordToken", "confirmationToken"}),
    ADMIN_USER: frozenset({"resetPasswordToken", "registrationToken"}),
}


def is_editable(definition: Definition, name: str) -> bool:
    """Return whether an attribute is in edit views: not automatic and not hidden."""
    if name in _AUTOMATIC:
        return False
    return name not in _INVISIBLE.get(definition.uid, ()) and name not in hidden_by_definition(definition)


def is_listed(definition: Definition, name: str, attributes: Attributes) -> bool:
    """Return whether an attribute can be a list column."""
    is_visible = name in _AUTOMATIC or is_editable(definition, name)
    return name in attributes and is_visible and attributes[name]["type"] not in _UNLISTED


def is_sorted(name: str, attributes: Attributes) -> bool:
    """Return whether lists can be sorted by an attribute."""
    attribute = attributes.get(name)
    if attribute is None or attribute["type"] in _UNSORTED:
        return False
    return attribute["type"] != "relation" or str(attribute.get("relation")).endswith("ToOne")


def main_field(definition: Definition) -> str:
    """Return the default title field of entries: the first text attribute."""
    attributes = attributes_of(definition)
    texts = (name for name, raw in attributes.items() if raw["type"] == "string" and name != "id")
    return next(texts, "id")


def default_configuration(definition: Definition, registry: Registry, *, is_editorial: bool = False) -> Raw:
    """Return the default configuration of a definition. Editorial lists show what editors look for (`_editorial`)."""
    attributes, main = attributes_of(definition), main_field(definition)
    editable = [name for name in attributes if is_editable(definition, name)]
    columns = _editorial(definition, attributes) if is_editorial else _columns(definition, attributes)
    return {
        "settings": _default_settings(main),
        "metadatas": {name: _metadata(definition, name, attributes, registry) for name in attributes},
        "layouts": {"list": columns, "edit": _with_rows([], editable, attributes)},
    }


def synchronized(
    stored: Mapping[str, Any], definition: Definition, registry: Registry, *, is_editorial: bool = False
) -> Raw:
    """Return a stored configuration adapted to the current definition.

    Removed attributes are left out. New ones are added: to lists with room, and at the end of the edit view.
    """
    default = default_configuration(definition, registry, is_editorial=is_editorial)
    attributes = attributes_of(definition)
    metadatas = stored.get("metadatas") if _is_object(stored.get("metadatas")) else None
    known = {name: one for name, one in metadatas.items() if name in attributes} if metadatas else {}
    new = [name for name in attributes if name not in known]
    return {
        "settings": _settings(stored.get("settings"), default["settings"], definition, attributes),
        "metadatas": {
            name: _kept_metadata(known.get(name), default["metadatas"][name], attributes[name], registry)
            for name in attributes
        },
        "layouts": _layouts(stored.get("layouts"), default["layouts"], definition, attributes, new),
    }


def _default_settings(main: str) -> Raw:
    return {
        "bulkable": True,
        "filterable": True,
        "searchable": True,
        "pageSize": 10,
        "mainField": main,
        "defaultSortBy": main,
        "defaultSortOrder": "ASC",
    }


def _metadata(definition: Definition, name: str, attributes: Attributes, registry: Registry) -> Raw:
    if name == "id":
        asked = isinstance(definition, ContentType)
        return {"edit": {}, "list": {"label": "id", "searchable": asked, "sortable": asked}}
    edit: Raw = {
        "label": name,
        "description": "",
        "placeholder": "",
        "visible": is_editable(definition, name),
        "editable": True,
    }
    target = registry.content_types.get(str(attributes[name].get("target")))
    if target is not None:
        edit["mainField"] = main_field(target)
    sorts = is_sorted(name, attributes)
    return {"edit": edit, "list": {"label": name, "searchable": sorts, "sortable": sorts}}


def _columns(definition: Definition, attributes: Attributes) -> list[str]:
    return [name for name in attributes if is_listed(definition, name, attributes)][:_LIST_LENGTH]


def _editorial(definition: Definition, attributes: Attributes) -> list[str]:
    """Return columns for editors: a thumbnail, the title, the first related entry and the last update.

    Other attributes fill the places of those that a definition does not have.
    """
    listed = [name for name in attributes if is_listed(definition, name, attributes)]
    pictures = [name for name in listed if attributes[name]["type"] == "media" and not attributes[name].get("multiple")]
    related = [name for name in listed if name not in _AUTOMATIC and _is_to_one(attributes[name])]
    wanted = [*pictures[:1], main_field(definition), *related[:1]]
    others = [name for name in listed if name not in {*_AUTOMATIC, *wanted}]
    updated = [name for name in ("updatedAt",) if name in listed]
    return [*wanted, *others[: _LIST_LENGTH - len(wanted) - 1], *updated]


def _is_to_one(raw: Mapping[str, Any]) -> bool:
    return raw["type"] == "relation" and str(raw.get("relation")) in ("oneToOne", "manyToOne")


def _with_rows(rows: list[list[Raw]], names: Iterable[str], attributes: Attributes) -> list[list[Raw]]:
    """Add fields to the rows of an edit view: to the last row if there is room."""
    rows = [[*row] for row in rows]
    for name in names:
        size = _size(attributes[name]["type"])["default"]
        if not rows or sum(_width(field) for field in rows[-1]) + size > COLUMNS:
            rows.append([])
        rows[-1].append({"name": name, "size": size})
    return rows


def _size(word: str) -> Raw:
    return FIELD_SIZES.get(word, FIELD_SIZES["string"])


def _width(field: Mapping[str, Any]) -> float:
    size = field.get("size")
    return size if isinstance(size, int | float) else COLUMNS


def _settings(stored: Any, default: Raw, definition: Definition, attributes: Attributes) -> Raw:
    settings = {**default, **(stored if _is_object(stored) else {})}
    if settings["mainField"] not in attributes or not is_listed(definition, settings["mainField"], attributes):
        settings["mainField"] = default["mainField"]
    if not is_sorted(settings["defaultSortBy"], attributes):
        settings["defaultSortBy"] = default["defaultSortBy"]
    return settings


def _kept_metadata(stored: Any, default: Raw, raw: Mapping[str, Any], registry: Registry) -> Raw:
    if not (_is_object(stored) and _is_object(stored.get("edit")) and _is_object(stored.get("list"))):
        return default
    edit = {name: value for name, value in stored["edit"].items() if name != "mainField"}
    if "mainField" in default["edit"]:
        chosen, target = stored["edit"].get("mainField"), registry.content_types[str(raw["target"])]
        known = attributes_of(target)
        edit["mainField"] = chosen if is_listed(target, str(chosen), known) else default["edit"]["mainField"]
    listed = dict(stored["list"])
    if not default["list"]["sortable"]:
        listed |= {"searchable": False, "sortable": False}
    return {**stored, "edit": edit, "list": listed}


def _layouts(stored: Any, default: Raw, definition: Definition, attributes: Attributes, new: list[str]) -> Raw:
    if not (_is_object(stored) and isinstance(stored.get("list"), list) and isinstance(stored.get("edit"), list)):
        return default
    columns = [name for name in stored["list"] if isinstance(name, str) and is_listed(definition, name, attributes)]
    if len(columns) < _LIST_LENGTH:
        added = [name for name in new if name not in columns and is_listed(definition, name, attributes)]
        columns = [*columns, *added[: _LIST_LENGTH - len(columns)]]
    rows: list[list[Raw]] = []
    again: list[str] = []
    for row in stored["edit"]:
        kept: list[Raw] = []
        for one in row if isinstance(row, list) else ():
            name = str(one.get("name")) if _is_object(one) else ""
            if name not in attributes or not is_editable(definition, name):
                continue
            size = _size(attributes[name]["type"])
            if size["isResizable"] or one.get("size") == size["default"]:
                kept.append(dict(one))
            else:
                again.append(name)
        if kept:
            rows.append(kept)
    fields = [*again, *(name for name in new if is_editable(definition, name))]
    return {"list": columns or default["list"], "edit": _with_rows(rows, fields, attributes)}


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)
