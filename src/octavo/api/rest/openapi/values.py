"""JSON Schema of scalars in responses and request bodies."""

from typing import Any, Final

import orjson

from octavo.api.rest.openapi.components import Json
from octavo.schema.attributes import UID, Enumeration, Scalar
from octavo.schema.json_values import SCALAR_JSON
from octavo.schema.json_values import Json as Kind
from octavo.schema.scalar_types import NUMBER_KINDS, SCALAR_TYPES, TEXT_KINDS

UID_PATTERN: Final = r"^[A-Za-z0-9-_.~]*$"

KINDS: Final[dict[Kind, Json]] = {
    Kind.TEXT: {"type": "string"},
    Kind.INTEGER: {"type": "integer"},
    Kind.NUMBER: {"type": "number"},
    Kind.DIGITS: {"type": "string", "pattern": r"^-?[0-9]+$"},
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.DATE: {"type": "string", "format": "date"},
    Kind.TIME: {"type": "string", "pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}$"},
    Kind.INSTANT: {"type": "string", "format": "date-time"},
    Kind.BLOCKS: {"type": "array", "items": {"type": "object", "required": ["type"]}},
    Kind.ANY: {},
}


def nullable(schema: Json) -> Json:
    """Return the schema with null as another type."""
    if not schema:
        return schema
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        return {**schema, "type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    return {"anyOf": [schema, {"type": "null"}]}


def default_text(value: Any) -> str:
    """Return the description of a default: with the keyword `default`, generators of types require the property."""
    return f"Default: {orjson.dumps(value).decode()}"


def scalar_schema(attribute: Scalar) -> Json:
    """Return the schema in responses. All values can be null: rows can be older than the definition's requirements."""
    schema = dict(KINDS[SCALAR_JSON[attribute.type].shown])
    if isinstance(attribute, Enumeration):
        schema["enum"] = list(attribute.values)
    return nullable(schema)


def taken_scalar(attribute: Scalar, *, required: bool) -> Json:
    """Return the schema in request bodies. As in v4, requests also accept values that can be converted: `"5"`."""
    row = SCALAR_JSON[attribute.type]
    schema = dict(KINDS[row.shown])
    if isinstance(attribute, Enumeration):
        schema["enum"] = list(attribute.values)
    elif attribute.type == "email":
        schema["format"] = "email"
    elif isinstance(attribute, UID):
        schema["pattern"] = UID_PATTERN
    schema |= _bounds(attribute)
    if row.also_taken:
        schema = {"anyOf": [schema, *(KINDS[kind] for kind in row.also_taken)]}
    if attribute.has_default and schema:
        schema["description"] = default_text(attribute.default)
    if attribute.type == "password":
        schema["writeOnly"] = True
    return schema if required else nullable(schema)


def _bounds(attribute: Scalar) -> dict[str, Any]:
    kind = SCALAR_TYPES[attribute.type].kind
    found: dict[str, Any] = {}
    if kind in TEXT_KINDS and not isinstance(attribute, Enumeration):
        found = {"minLength": attribute.min_length, "maxLength": attribute.max_length}
        if not isinstance(attribute, UID):
            found["pattern"] = attribute.regex
    elif kind in NUMBER_KINDS and SCALAR_JSON[attribute.type].shown in (Kind.INTEGER, Kind.NUMBER):
        found = {"minimum": attribute.minimum, "maximum": attribute.maximum}
    return {name: value for name, value in found.items() if value is not None}
