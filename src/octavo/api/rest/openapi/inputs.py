"""Schemas of request bodies: attributes of entries, relations by id, components, zones, files.

They describe only the form of values. Uniqueness and the existence of related entries are checked by requests.
"""

from collections.abc import Iterator
from typing import Final

from octavo.api.rest.openapi.answers import ID
from octavo.api.rest.openapi.components import Components, Json, Make, base_name, nullable, reference, taken_scalar
from octavo.schema.attributes import (
    LOCALE,
    LOCALIZATIONS,
    PUBLISHED_AT,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Media,
    Relation,
    Scalar,
    components_of,
)
from octavo.schema.content_types import FILE, USER, Component, ContentType, Definition
from octavo.schema.json_values import Given, with_drafts, written
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

_BINARY: Final[Json] = {"type": "string", "contentMediaType": "application/octet-stream"}
_REFERENCE: Final = reference("RelationReference")
_REFERENCES: Final[Json] = {"type": "array", "items": {"anyOf": [ID, _REFERENCE]}}
_CONNECTED: Final[Json] = {"type": "array", "items": {"anyOf": [ID, reference("RelationConnection")]}}
_CHANGE: Final = reference("RelationChange")
_BOOLEAN: Final[Json] = {"type": "boolean"}
_SHARED: Final[dict[str, Json]] = {
    "RelationReference": {"type": "object", "required": ["id"], "properties": {"id": ID}},
    "RelationPosition": {
        "type": "object",
        "properties": {"before": ID, "after": ID, "start": _BOOLEAN, "end": _BOOLEAN},
    },
    "RelationConnection": {
        "type": "object",
        "required": ["id"],
        "properties": {"id": ID, "position": reference("RelationPosition")},
    },
    "RelationChange": {
        "type": "object",
        "properties": {"connect": _CONNECTED, "disconnect": _REFERENCES, "set": _REFERENCES},
        "additionalProperties": False,
    },
    "RelationToOneInput": {"anyOf": [ID, _REFERENCE, _CHANGE, {"type": "null"}]},
    "RelationToManyInput": {"anyOf": [_REFERENCES, _CHANGE, {"type": "null"}]},
    "FileInput": {"description": "The id of an uploaded file", **nullable(ID)},
    "FilesInput": {"description": "The ids of uploaded files", **nullable({"type": "array", "items": ID})},
}
_RELATION: Final = ("RelationReference", "RelationPosition", "RelationConnection", "RelationChange")
_BELOW: Final = {"RelationToOneInput": _RELATION, "RelationToManyInput": _RELATION}


class InputSchemas:
    """Refers to the schemas of bodies of definitions."""

    def __init__(self, registry: Registry, components: Components) -> None:
        self._registry = registry
        self._components = components
        self._with_drafts = with_drafts(registry)

    def body(self, content_type: ContentType, *, creating: bool) -> Json:
        """Return the schema of `{data: {...}}` for a POST or a PUT."""
        what = "Request" if creating else "UpdateRequest"

        def make() -> Json:
            data = self.data(content_type, creating=creating)
            return {"type": "object", "required": ["data"], "properties": {"data": data}}

        return self._refer(content_type, what, make)

    def form(self, content_type: ContentType, *, creating: bool) -> Json | None:
        """Return the schema of the form with files for a POST or a PUT, or None if an entry cannot have files."""
        if not self._has_files(content_type, set()):
            return None
        files = {
            f"files.{item.attribute.name}": {"type": "array", "items": _BINARY} if item.attribute.multiple else _BINARY
            for item in written(content_type, private=False)
            if isinstance(item.attribute, Media)
        }
        data = self.data(content_type, creating=creating)
        made = {
            "type": "object",
            "required": ["data"],
            "properties": {"data": data, **files},
            "patternProperties": {r"^files[.\[]": {"anyOf": [_BINARY, {"type": "array", "items": _BINARY}]}},
        }
        return self._refer(content_type, "Form" if creating else "UpdateForm", lambda: made)

    def data(self, definition: Definition, *, creating: bool) -> Json:
        """Return the schema of the attributes. Required ones are required for new entries of types without drafts."""
        what = "Input" if creating else "Update"
        return self._refer(definition, what, lambda: self._data(definition, creating))

    def _data(self, definition: Definition, creating: bool) -> Json:
        given = [item for item in _given(definition) if item.attribute.name != LOCALIZATIONS]
        strict = definition.uid not in self._with_drafts
        properties = {item.attribute.name: self._taken(item, strict) for item in given}
        if isinstance(definition, ContentType) and definition.localized and creating:
            properties[LOCALE] = {
                "type": "string",
                "description": "A locale of the project; defaults to the default locale",
            }
            properties[LOCALIZATIONS] = self._shared("RelationToManyInput")
        required = [item.attribute.name for item in given if item.required and creating]
        return {"type": "object", **_requiring(required, strict, definition), "properties": properties}

    def properties(self, definition: Definition) -> Json:
        """Return the properties that can be set, by name."""
        properties: Json = self._data(definition, False)["properties"]
        return properties

    def localization(self, content_type: ContentType) -> Json:
        """Return the schema of a new localization, without an envelope."""

        def make() -> Json:
            data = self._data(content_type, True)
            del data["properties"][LOCALIZATIONS]
            return {**data, "required": [LOCALE]} | ({"else": {}} if "if" in data else {})

        return self._refer(content_type, "LocalizationInput", make)

    def component(self, component: Component) -> Json:
        """Return the schema of a component. With an `id` it is updated, without it is created."""

        def make() -> Json:
            data = self._data(component, True)
            data["properties"] = {"id": ID, **data["properties"]}
            return data

        return self._refer(component, "Input", make)

    def _refer(self, definition: Definition, what: str, make: Make) -> Json:
        return self._components.refer((definition.uid, "input", what), f"{base_name(definition)}{what}", make)

    def _shared(self, name: str) -> Json:
        """Refer to a schema that all types share.

        Objects below it have own schemas, from which clients derive type names.
        """
        for below in _BELOW.get(name, ()):
            self._shared(below)
        return self._components.refer(name, name, lambda: _SHARED[name])

    def _morph_input(self) -> Json:
        uids = [*(item.uid for item in self._registry.api_types()), USER, FILE]
        kind = {"type": "string", "enum": uids}
        made = {"type": "object", "required": ["__type", "id"], "properties": {"__type": kind, "id": ID}}
        return self._components.refer("MorphInput", "MorphInput", lambda: made)

    def _taken(self, given: Given, strict: bool) -> Json:
        attribute, required = given.attribute, given.attribute.required and strict
        match attribute:
            case Scalar():
                return taken_scalar(attribute, required=required)
            case Media():
                return self._shared("FilesInput" if attribute.multiple else "FileInput")
            case ComponentField():
                return self._component_field(attribute, required)
            case DynamicZone():
                return self._zone(attribute)
            case Relation():
                return self._relation(attribute)

    def _component_field(self, attribute: ComponentField, required: bool) -> Json:
        one = self.component(self._registry.components[attribute.component])
        if not attribute.repeatable:
            return one if required else nullable(one)
        return {"type": "array", "items": one, **_count(attribute)}

    def _zone(self, zone: DynamicZone) -> Json:
        items = {uid: self._zone_item(self._registry.components[uid]) for uid in zone.components}
        mapping = {uid: item["$ref"] for uid, item in items.items()}
        discriminator = {"propertyName": "__component", "mapping": mapping}
        variants = {"oneOf": list(items.values()), "discriminator": discriminator} if items else False
        return {"type": "array", "items": variants, **_count(zone)}

    def _zone_item(self, component: Component) -> Json:
        def make() -> Json:
            kind = {
                "type": "object",
                "required": ["__component"],
                "properties": {"__component": {"const": component.uid}},
            }
            return {"allOf": [self.component(component), kind]}

        return self._refer(component, "ZoneItemInput", make)

    def _relation(self, relation: Relation) -> Json:
        if relation.target is None:
            one = self._morph_input()
            return {"type": "array", "items": one} if relation.to_many else nullable(one)
        return self._shared("RelationToManyInput" if relation.to_many else "RelationToOneInput")

    def _has_files(self, definition: Definition, seen: set[str]) -> bool:
        seen.add(definition.uid)
        return any(self._brings_files(item.attribute, seen) for item in written(definition, private=False))

    def _brings_files(self, attribute: AnyAttribute, seen: set[str]) -> bool:
        if isinstance(attribute, Media):
            return True
        below = [uid for uid in components_of(attribute) if uid not in seen]
        return any(self._has_files(self._registry.components[uid], seen) for uid in below)


def _given(definition: Definition) -> Iterator[Given]:
    """Yield the attributes to describe, including passwords, which can only be set."""
    for item in written(definition, private=True):
        if not item.attribute.private or (
            isinstance(item.attribute, Scalar) and SCALAR_TYPES[item.attribute.type].secret
        ):
            yield item


def _requiring(required: list[str], strict: bool, definition: Definition) -> Json:
    """Return the required attributes. Types with drafts require them unless the entry is a draft; components do not."""
    if not required or (not strict and not isinstance(definition, ContentType)):
        return {}
    if strict:
        return {"required": required}
    draft = {"required": [PUBLISHED_AT], "properties": {PUBLISHED_AT: {"type": "null"}}}
    return {"if": draft, "else": {"required": required}}


def _count(attribute: ComponentField | DynamicZone) -> Json:
    bounds = {"minItems": attribute.minimum, "maxItems": attribute.maximum}
    return {name: value for name, value in bounds.items() if value is not None}
