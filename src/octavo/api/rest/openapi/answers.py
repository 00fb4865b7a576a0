"""Schemas of responses: entries with `data` and `attributes`, or flat; components, zones, files, relations.

They do not include private and secret attributes. Only `id` is required, because `fields` and `populate` select the
others. Results of `populate[x][count]` are omitted: they would turn every relation into a union.
"""

from typing import Final

from octavo.api.rest.openapi.components import Components, Json, Make, base_name, nullable, scalar_schema
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.json_values import attributes_in_responses, populatable_attributes
from octavo.schema.registry import Registry

ID: Final[Json] = {"type": "integer"}


class AnswerSchemas:
    """Refers to the schemas of definitions. `wraps_morphs`: the rule `morphRelations`."""

    def __init__(self, registry: Registry, components: Components, *, wraps_morphs: bool = False) -> None:
        self._registry = registry
        self._components = components
        self._wraps_morphs = wraps_morphs

    def entry_answer(self, content_type: ContentType) -> Json:
        """Return the schema of `{data: {id, attributes, meta}, meta: {}}`."""
        return self._refer(content_type, "Response", lambda: _envelope(self.entry(content_type), {"type": "object"}))

    def list_answer(self, content_type: ContentType) -> Json:
        """Return the schema of `{data: [...], meta: {pagination}}`."""
        return self._refer(content_type, "ListResponse", lambda: self._list(content_type))

    def entry(self, content_type: Definition) -> Json:
        """Return the schema of `{id, attributes, meta}`."""
        return self._refer(content_type, "ResponseDataObject", lambda: self._entry(content_type))

    def attributes(self, definition: Definition) -> Json:
        """Return the schema of an entry's `attributes`."""
        return self._refer(definition, "", lambda: {"type": "object", "properties": self._members(definition, False)})

    def flat(self, definition: Definition) -> Json:
        """Return the schema of `{id, ...}`, a plugin's entry with everything below it."""
        return self._refer(definition, "Flat", lambda: self._flat(definition, True))

    def component(self, component: Definition, *, flat: bool) -> Json:
        """Return the schema of `{id, ...}`. Below a flat entry, everything is flat."""
        return self._refer(component, "Flat" if flat else "", lambda: self._flat(component, flat))

    def _refer(self, definition: Definition, what: str, make: Make) -> Json:
        return self._components.refer((definition.uid, "answer", what), f"{base_name(definition)}{what}", make)

    def _list(self, content_type: ContentType) -> Json:
        pagination = self._components.refer("Pagination", "Pagination", _pagination)
        made = {"type": "object", "required": ["pagination"], "properties": {"pagination": pagination}}
        meta = self._components.refer("ListMeta", "ListMeta", lambda: made)
        return _envelope({"type": "array", "items": self.entry(content_type)}, meta)

    def _entry(self, content_type: Definition) -> Json:
        meta: Json = {"type": "object"}
        if isinstance(content_type, ContentType) and content_type.localized:
            locales = {"availableLocales": {"type": "array", "items": {"type": "string"}}}
            meta = self._components.refer(
                "LocalizedMeta", "LocalizedMeta", lambda: {"type": "object", "properties": locales}
            )
        properties = {"id": ID, "attributes": self.attributes(content_type), "meta": meta}
        return {"type": "object", "required": ["id", "attributes"], "properties": properties}

    def _flat(self, definition: Definition, flat: bool) -> Json:
        return {"type": "object", "required": ["id"], "properties": {"id": ID, **self._members(definition, flat)}}

    def _members(self, definition: Definition, flat: bool) -> Json:
        values = {item.name: scalar_schema(item) for item in attributes_in_responses(definition)}
        populated = {
            item.name: self._populated(item, flat) for item in populatable_attributes(definition, self._registry)
        }
        return {**values, **populated}

    def _populated(self, attribute: AnyAttribute, flat: bool) -> Json:
        match attribute:
            case ComponentField():
                one = self.component(self._registry.components[attribute.component], flat=flat)
                return {"type": "array", "items": one} if attribute.repeatable else nullable(one)
            case DynamicZone():
                return self._zone(attribute, flat)
            case Relation(target=None):
                return self._morph(attribute, flat)
            case Relation() | Media():
                return self._related(attribute, flat)
        raise TypeError(f"{attribute.name} cannot be populated")

    def _related(self, attribute: Relation | Media, flat: bool) -> Json:
        target = self._registry.target(attribute)
        assert target is not None, "else it is not shown"
        one = self.flat(target) if flat else self.entry(target)
        data = {"type": "array", "items": one} if attribute.to_many else one
        may_be_null = not attribute.to_many or isinstance(attribute, Media) or attribute.is_morph
        data = nullable(data) if may_be_null else data
        if flat:
            return data
        what = ("Nullable" if may_be_null else "") + ("Relations" if attribute.to_many else "Relation")
        return self._refer(target, what, lambda: _wrapped(data))  # generators could give an inline type a used name

    def _zone(self, zone: DynamicZone, flat: bool) -> Json:
        items = {uid: self._zone_item(self._registry.components[uid], flat) for uid in zone.components}
        mapping = {uid: item["$ref"] for uid, item in items.items()}
        variants: Json = {"oneOf": list(items.values())} if items else {}
        if items:
            variants["discriminator"] = {"propertyName": "__component", "mapping": mapping}
        return {"type": "array", "items": variants}

    def _zone_item(self, component: Component, flat: bool) -> Json:
        def make() -> Json:
            kind = {
                "type": "object",
                "required": ["__component"],
                "properties": {"__component": {"const": component.uid}},
            }
            return {"allOf": [self.component(component, flat=flat), kind]}

        return self._refer(component, "ZoneItemFlat" if flat else "ZoneItem", make)

    def _morph(self, attribute: Relation, flat: bool) -> Json:
        """Return the schema of related entries of any type, flat."""
        wrapped = self._wraps_morphs and not flat
        one = self._components.refer(
            ("morph", wrapped), "WrappedRelated" if wrapped else "Related", lambda: _related(wrapped)
        )
        data = {"type": "array", "items": one} if attribute.kind == "morphToMany" else nullable(one)
        return {"type": "object", "required": ["data"], "properties": {"data": data}} if wrapped else data


def _wrapped(data: Json) -> Json:
    return {"type": "object", "required": ["data"], "properties": {"data": data}}


def _related(wrapped: bool) -> Json:
    kind = {"__type": {"type": "string", "description": "The content type, for relations to several types"}}
    if not wrapped:
        return {"type": "object", "required": ["id"], "properties": {"id": ID, **kind}}
    attributes = {"type": "object", "properties": kind}
    return {"type": "object", "required": ["id", "attributes"], "properties": {"id": ID, "attributes": attributes}}


def _envelope(data: Json, meta: Json) -> Json:
    return {"type": "object", "required": ["data", "meta"], "properties": {"data": data, "meta": meta}}


def _pagination() -> Json:
    """Return the schema of pagination by page, by offset or with a cursor, depending on the request."""
    by_number, by_offset = _counted("page", "pageSize", "pageCount", "total"), _counted("start", "limit", "total")
    behind = _counted("limit", "after", "total")
    behind["properties"]["after"] = {"type": ["string", "null"]}
    return {"anyOf": [by_number, by_offset, behind]}


def _counted(*names: str) -> Json:
    properties: Json = {name: {"type": "integer"} for name in names}
    properties["isCapped"] = {"type": "boolean"}
    return {"type": "object", "required": list(names[:2]), "properties": properties}
