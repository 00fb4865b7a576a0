"""The document's `components`: schemas by name, built when something refers to them, and those of scalars."""

from collections import deque
from collections.abc import Callable
from typing import Any, Final

import orjson

from octavo.schema.attributes import UID, Enumeration, Scalar
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.json_values import SCALAR_JSON
from octavo.schema.json_values import Json as Kind
from octavo.schema.naming import words
from octavo.schema.scalar_types import NUMBER_KINDS, SCALAR_TYPES, TEXT_KINDS

Json = dict[str, Any]
Make = Callable[[], Json]


class Components:
    """Schemas by readable names, which are stable for a project. If a name is in use, a number is appended."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._waiting: deque[tuple[str, Make]] = deque()

    def refer(self, key: object, name: str, make: Make) -> Json:
        """Return a reference to the schema of `key`. The schema is built once, after those that refer to it."""
        if key not in self._names:
            self._names[key] = self._claim(name)
            self._waiting.append((self._names[key], make))
        return reference(self._names[key])

    def complete(self) -> dict[str, Json]:
        """Return all schemas that are referred to, by name."""
        while self._waiting:
            name, make = self._waiting.popleft()
            self.schemas[name] = make()
        return dict(sorted(self.schemas.items()))

    def _claim(self, name: str) -> str:
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}{number}"
        self._taken.add(free)
        return free


def reference(name: str) -> Json:
    """Return a `$ref` to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def pascal_case(text: str) -> str:
    """Convert `shared.seo-image` to `SharedSeoImage`. Only ASCII letters and digits remain."""
    name = "".join(word[:1].upper() + word[1:] for word in words(text) if word.isascii())
    return name or "Schema"


def base_name(definition: Definition) -> str:
    """Return the prefix of a definition's schema names: `Article`, `UploadFile`, `SharedSeoComponent`."""
    if isinstance(definition, Component):
        return f"{pascal_case(definition.uid)}Component"
    if isinstance(definition, ContentType) and definition.is_api:
        return pascal_case(definition.singular_name)
    return pascal_case(definition.uid.partition("::")[2])


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
    bounds: dict[str, Any] = {}
    if kind in TEXT_KINDS and not isinstance(attribute, Enumeration):
        bounds = {"minLength": attribute.min_length, "maxLength": attribute.max_length}
        if not isinstance(attribute, UID):
            bounds["pattern"] = attribute.regex
    elif kind in NUMBER_KINDS and SCALAR_JSON[attribute.type].shown in (Kind.INTEGER, Kind.NUMBER):
        bounds = {"minimum": attribute.minimum, "maximum": attribute.maximum}
    return {name: value for name, value in bounds.items() if value is not None}
