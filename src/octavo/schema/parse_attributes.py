"""Parse attribute definitions: one parser for each type."""

from collections.abc import Callable, Mapping
from typing import Any

from octavo.schema.attributes import (
    UID,
    AnyAttribute,
    ColumnOptions,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    RelationKind,
    Scalar,
)
from octavo.schema.definition_values import Reader, unknown
from octavo.schema.scalar_types import NUMBER_KINDS, SCALAR_TYPES

RELATION_KINDS: frozenset[str] = frozenset(RelationKind.__args__)  # type: ignore[attr-defined]
NUMBER_TYPES = frozenset(word for word, row in SCALAR_TYPES.items() if row.kind in NUMBER_KINDS)
TARGETLESS_KINDS = ("morphToOne", "morphToMany")

# The values of v4's `column.type` option, and Octavo's column types (`query.sql.ddl.tables`).
COLUMN_TYPES = {
    "string": "string",
    "text": "text",
    "integer": "integer",
    "bigInteger": "bigint",
    "float": "double",
    "double": "double",
    "decimal": "decimal",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "datetime": "datetime",
    "timestamp": "datetime",
    "json": "json",
    "jsonb": "json",
}


def parse_attribute(name: str, raw: Any, reader: Reader, path: str) -> AnyAttribute | None:
    """Parse an attribute. Returns None if it is invalid, after recording the reason."""
    if not isinstance(raw, Mapping):
        reader.note(path, "must be an object with a type")
        return None
    parser = PARSERS.get(str(raw.get("type")))
    if parser is None:
        reader.note(f"{path}.type", unknown("attribute type", raw.get("type"), PARSERS))
        return None
    return parser(name, raw, reader, path)


def _base(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> dict[str, Any]:
    plugin_options = reader.mapping(raw, "pluginOptions", path)
    i18n = reader.mapping(plugin_options, "i18n", f"{path}.pluginOptions")
    return {
        "name": name,
        "required": reader.flag(raw, "required"),
        "private": reader.flag(raw, "private"),
        "configurable": reader.flag(raw, "configurable", default=True),
        "writable": reader.flag(raw, "writable", default=True),
        "visible": reader.flag(raw, "visible", default=True),
        "localized": reader.flag(i18n, "localized"),
    }


def _scalar_options(raw: Mapping[str, Any], reader: Reader, path: str) -> dict[str, Any]:
    return {
        "unique": reader.flag(raw, "unique"),
        "default": raw.get("default"),
        "has_default": raw.get("default") is not None,
        "minimum": reader.number(raw, "min", path) if raw["type"] in NUMBER_TYPES else None,
        "maximum": reader.number(raw, "max", path) if raw["type"] in NUMBER_TYPES else None,
        "min_length": reader.whole(raw, "minLength", path),
        "max_length": reader.whole(raw, "maxLength", path),
        "regex": reader.text(raw, "regex", path),
        "column": _column_options(raw, reader, path),
    }


def _column_options(raw: Mapping[str, Any], reader: Reader, path: str) -> ColumnOptions | None:
    options = reader.mapping(raw, "column", path)
    if not options:
        return None
    default = options.get("defaultTo")
    return ColumnOptions(
        type=COLUMN_TYPES.get(str(options.get("type"))),
        unique=reader.flag(options, "unique"),
        nullable=not reader.flag(options, "notNullable"),
        default=default if isinstance(default, str | int | float) else None,
    )


def _scalar(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute:
    return Scalar(type=raw["type"], **_scalar_options(raw, reader, path), **_base(name, raw, reader, path))


def _enumeration(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute:
    values = reader.texts(raw, "enum", path, required=True)
    options = _scalar_options(raw, reader, path)
    named = reader.text(raw, "enumName", path)
    return Enumeration(type="enumeration", values=values, type_name=named, **options, **_base(name, raw, reader, path))


def _uid(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute:
    options = reader.mapping(raw, "options", path)
    return UID(
        type="uid",
        target_field=reader.text(raw, "targetField", path),
        separator=str(options.get("separator", "-")),
        lowercase=reader.flag(options, "lowercase", default=True),
        **_scalar_options(raw, reader, path),
        **_base(name, raw, reader, path),
    )


def _relation(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute | None:
    kind = raw.get("relation")
    if not isinstance(kind, str) or kind not in RELATION_KINDS:
        reader.note(f"{path}.relation", unknown("relation", kind, RELATION_KINDS))
        return None
    count = len(reader.problems)
    target = reader.text(raw, "target", path)
    if target is None and kind not in TARGETLESS_KINDS:
        if len(reader.problems) == count:
            reader.note(f"{path}.target", "is missing: set the UID of a content type, such as 'api::article.article'")
        return None
    return Relation(
        kind=kind,  # type: ignore[arg-type]  # one of RELATION_KINDS
        target=None if kind in TARGETLESS_KINDS else target,
        inversed_by=reader.text(raw, "inversedBy", path),
        mapped_by=reader.text(raw, "mappedBy", path),
        morph_by=reader.text(raw, "morphBy", path),
        **_base(name, raw, reader, path),
    )


def _media(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute:
    return Media(
        multiple=reader.flag(raw, "multiple"),
        allowed_types=reader.texts(raw, "allowedTypes", path),
        **_base(name, raw, reader, path),
    )


def _component(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute | None:
    return ComponentField(
        component=reader.required_text(raw, "component", path, ""),
        repeatable=reader.flag(raw, "repeatable"),
        minimum=reader.whole(raw, "min", path),
        maximum=reader.whole(raw, "max", path),
        **_base(name, raw, reader, path),
    )


def _dynamic_zone(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute:
    return DynamicZone(
        components=reader.texts(raw, "components", path, required=True),
        minimum=reader.whole(raw, "min", path),
        maximum=reader.whole(raw, "max", path),
        **_base(name, raw, reader, path),
    )


def _custom_field(name: str, raw: Mapping[str, Any], reader: Reader, path: str) -> AnyAttribute | None:
    return parse_attribute(name, {**raw, "type": reader.custom_field_type(raw, path)}, reader, path)


AttributeParser = Callable[[str, Mapping[str, Any], Reader, str], AnyAttribute | None]
PARSERS: dict[str, AttributeParser] = {
    **dict.fromkeys(SCALAR_TYPES, _scalar),
    "enumeration": _enumeration,
    "uid": _uid,
    "relation": _relation,
    "media": _media,
    "component": _component,
    "dynamiczone": _dynamic_zone,
    "customField": _custom_field,
}
