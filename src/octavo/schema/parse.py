"""Parse definition files (v4's `schema.json`) to ContentType and Component. Problems are collected with their paths.

The automatic attributes are added here: timestamps, `publishedAt`, creators, `locale`, `localizations`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from octavo.schema.attributes import (
    CREATORS,
    LOCALE,
    LOCALIZATIONS,
    PUBLISHED_AT,
    TIMESTAMPS,
    AnyAttribute,
    Relation,
    Scalar,
)
from octavo.schema.content_types import ADMIN_USER, Component, ContentType, Index
from octavo.schema.definition_values import Reader, unknown
from octavo.schema.naming import singular_of, snake_case
from octavo.schema.parse_attributes import parse_attribute
from octavo.schema.parse_indexes import PLACE, read_declared_indexes, with_parts_indexes

KINDS = frozenset({"collectionType", "singleType"})
RESERVED = frozenset({"id"})


def parse_content_type(uid: str, raw: Mapping[str, Any], reader: Reader) -> ContentType:
    """Parse a content type's definition, and add the automatic attributes."""
    info, options = reader.mapping(raw, "info"), reader.mapping(raw, "options")
    plugin_options = reader.mapping(raw, "pluginOptions")
    singular = reader.required_text(info, "singularName", "info", singular_of(uid))
    localized = reader.flag(reader.mapping(plugin_options, "i18n", "pluginOptions"), "localized")
    draft_and_publish = reader.flag(options, "draftAndPublish")
    creators = reader.flag(options, "populateCreatorFields")
    automatic = _automatic(uid, draft_and_publish=draft_and_publish, localized=localized, creators=creators)
    content_type = ContentType(
        uid=uid,
        kind=_kind(raw, reader),
        collection_name=reader.text(raw, "collectionName") or singular,
        singular_name=singular,
        plural_name=reader.required_text(info, "pluralName", "info", f"{singular}s"),
        display_name=_display_name(info, reader, singular),
        description=reader.text(info, "description", "info") or "",
        draft_and_publish=draft_and_publish,
        populate_creator_fields=creators,
        localized=localized,
        attributes=_attributes(raw, reader, automatic, reader.texts(options, "privateAttributes", "options")),
        options=options,
        plugin_options=plugin_options,
        indexes=_indexes(raw, reader),
        source=reader.source,
        raw=raw,
    )
    declared = read_declared_indexes(plugin_options, content_type.attributes, reader)
    if not declared:
        return content_type
    attributes = with_parts_indexes(content_type.collection_name, content_type.attributes, declared)
    return replace(content_type, attributes=attributes, declared_indexes=declared)


def parse_component(uid: str, raw: Mapping[str, Any], reader: Reader) -> Component:
    """Parse a component's definition."""
    category, _, name = uid.partition(".")
    info, options = reader.mapping(raw, "info"), reader.mapping(raw, "options")
    plugin_options = reader.mapping(raw, "pluginOptions")
    if "octavo" in plugin_options:
        reader.note(PLACE, "is only for content types, because components have no lists")
    default_name = f"components_{snake_case(category)}_{snake_case(name)}"
    return Component(
        uid=uid,
        category=category,
        collection_name=reader.text(raw, "collectionName") or default_name,
        display_name=_display_name(info, reader, name),
        attributes=_attributes(raw, reader, (), reader.texts(options, "privateAttributes", "options")),
        options=options,
        plugin_options=plugin_options,
        indexes=_indexes(raw, reader),
        source=reader.source,
        raw=raw,
    )


def _kind(raw: Mapping[str, Any], reader: Reader) -> str:
    kind = raw.get("kind", "collectionType")
    if isinstance(kind, str) and kind in KINDS:
        return kind
    reader.note("kind", unknown("kind", kind, KINDS))
    return "collectionType"


def _display_name(info: Mapping[str, Any], reader: Reader, default: str) -> str:
    return reader.text(info, "displayName", "info") or reader.text(info, "name", "info") or default


def _attributes(
    raw: Mapping[str, Any], reader: Reader, automatic: Iterable[AnyAttribute], hidden: tuple[str, ...]
) -> dict[str, AnyAttribute]:
    """Return the listed attributes, then the automatic ones. A listed automatic attribute only sets its position."""
    parsed: dict[str, AnyAttribute] = {}
    ours = {attribute.name: attribute for attribute in automatic}
    for name, definition in reader.mapping(raw, "attributes").items():
        path = f"attributes.{name}"
        if name.lower() in RESERVED or not snake_case(name):
            reader.note(path, "this name is reserved; choose another")
            continue
        attribute = ours.get(name) or parse_attribute(name, definition, reader, path)
        if attribute is not None:
            parsed[name] = attribute
    parsed |= ours
    _check_columns(parsed.values(), reader)
    for name in hidden:
        if name in parsed:
            parsed[name] = replace(parsed[name], private=True)
    return parsed


def _check_columns(attributes: Iterable[AnyAttribute], reader: Reader) -> None:
    columns: dict[str, str] = {"id": "id"}
    for attribute in attributes:
        if isinstance(attribute, Scalar):
            other = columns.setdefault(snake_case(attribute.name), attribute.name)
            if other != attribute.name:
                path = f"attributes.{attribute.name}"
                reader.note(path, f"is stored in the same column as attribute {other!r}; rename one")


def _automatic(uid: str, *, draft_and_publish: bool, localized: bool, creators: bool) -> Iterator[AnyAttribute]:
    for name in TIMESTAMPS:
        yield Scalar(name=name, type="datetime", writable=False)
    if draft_and_publish:
        yield Scalar(name=PUBLISHED_AT, type="datetime")
    for name in CREATORS:
        yield Relation(name=name, kind="oneToOne", target=ADMIN_USER, writable=False, private=not creators)
    if localized:
        yield Relation(name=LOCALIZATIONS, kind="oneToMany", target=uid, writable=False, localized=True)
        yield Scalar(name=LOCALE, type="string", writable=False, localized=True)


def _indexes(raw: Mapping[str, Any], reader: Reader) -> tuple[Index, ...]:
    listed = raw.get("indexes")
    if listed is not None and not isinstance(listed, list):
        reader.note("indexes", "must be a list")
        return ()
    return tuple(_index(item, reader, f"indexes.{position}") for position, item in enumerate(listed or ()))


def _index(raw: Any, reader: Reader, path: str) -> Index:
    if not isinstance(raw, Mapping):
        reader.note(path, "must be an object with a name and columns")
        return Index(name="", columns=())
    return Index(
        name=reader.required_text(raw, "name", path, ""),
        columns=reader.texts(raw, "columns", path, required=True),
        unique=raw.get("type") == "unique",
    )
