"""Object types: attributes, entities and their wrappers, components, and unions of them."""

from collections.abc import Mapping

from graphql import (
    GraphQLField,
    GraphQLID,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLString,
    GraphQLUnionType,
)

from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.arguments import Arguments, list_arguments
from octavo.api.graphql.schema.enums import enumeration
from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    FieldMetadata,
    Part,
    PartField,
    TypeMetadata,
    TypeRole,
    with_metadata,
)
from octavo.api.graphql.schema.scalars import SCALARS
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Enumeration, Media, Relation, Scalar
from octavo.schema.content_types import FILE, Component, Definition
from octavo.schema.scalar_types import SCALAR_TYPES

Fields = Mapping[str, GraphQLField]


def output_field(value: GraphQLOutputType, metadata: FieldMetadata, arguments: Arguments | None = None) -> GraphQLField:
    """Return a field with metadata."""
    return GraphQLField(value, args=arguments, extensions=with_metadata(metadata))


def _part(value: GraphQLOutputType, part: Part) -> tuple[str, GraphQLField]:
    return part.value, output_field(value, PartField(part))


def attributes_type(types: TypeRegistry, definition: Definition) -> GraphQLObjectType:
    """Return the type of a definition's attributes: `Article`, `ComponentSharedSeo`."""

    def make(name: str) -> GraphQLObjectType:
        role = TypeRole.COMPONENT if isinstance(definition, Component) else TypeRole.ATTRIBUTES
        metadata = with_metadata(TypeMetadata(role, definition))
        return GraphQLObjectType(name, lambda: _attributes(types, definition), extensions=metadata)

    return types.once(names.type_name(definition), make)


def _attributes(types: TypeRegistry, definition: Definition) -> Fields:
    fields: dict[str, GraphQLField] = {}
    if isinstance(definition, Component):
        fields.update([_part(GraphQLNonNull(GraphQLID), Part.ID)])
    for attribute in types.outputs(definition):
        value = _value(types, definition, attribute)
        value = GraphQLNonNull(value) if attribute.required else value
        arguments = _arguments(types, attribute)
        fields[attribute.name] = output_field(value, AttributeField(definition, attribute), arguments)
    return fields


def _value(types: TypeRegistry, definition: Definition, attribute: AnyAttribute) -> GraphQLOutputType:
    match attribute:
        case Enumeration():
            return enumeration(types, definition, attribute)
        case Scalar():
            return SCALARS[SCALAR_TYPES[attribute.type].kind]
        case Relation() | Media():
            return _related(types, attribute)
        case ComponentField():
            part = attributes_type(types, types.registry.components[attribute.component])
            return GraphQLList(part) if attribute.repeatable else part
        case DynamicZone():
            return GraphQLList(zone_union(types, definition, attribute))


def _related(types: TypeRegistry, attribute: Relation | Media) -> GraphQLOutputType:
    target = types.registry.target(attribute)
    if target is None:
        morph = generic_morph(types)
        return GraphQLList(morph) if attribute.to_many else morph
    return relation_collection(types, target) if attribute.to_many else response(types, target)


def _arguments(types: TypeRegistry, attribute: AnyAttribute) -> Arguments:
    """Return the arguments of an attribute. To-many relations, media and components have some."""
    if isinstance(attribute, Scalar | DynamicZone) or not attribute.to_many:
        return {}
    target = types.registry.target(attribute)
    return list_arguments(types, target) if target else {}


def entity(types: TypeRegistry, definition: Definition) -> GraphQLObjectType:
    """Return the type of entries, with `id` and `attributes`."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(GraphQLID, Part.ID), _part(attributes_type(types, definition), Part.ATTRIBUTES)])
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.ENTITY, definition)))

    return types.once(names.entity_name(definition), make)


def response(types: TypeRegistry, definition: Definition) -> GraphQLObjectType:
    """Return the wrapper of one entry or none."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(entity(types, definition), Part.DATA)])
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.RESPONSE, definition)))

    return types.once(names.response_name(definition), make)


def _entities(types: TypeRegistry, definition: Definition) -> GraphQLOutputType:
    return GraphQLNonNull(GraphQLList(GraphQLNonNull(entity(types, definition))))


def relation_collection(types: TypeRegistry, definition: Definition) -> GraphQLObjectType:
    """Return the wrapper of related entries."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(_entities(types, definition), Part.DATA)])
        metadata = with_metadata(TypeMetadata(TypeRole.RELATION_COLLECTION, definition))
        return GraphQLObjectType(name, fields, extensions=metadata)

    return types.once(names.relation_collection_name(definition), make)


def collection(types: TypeRegistry, definition: Definition) -> GraphQLObjectType:
    """Return the wrapper of a page of entries."""

    def make(name: str) -> GraphQLObjectType:
        data = _part(_entities(types, definition), Part.DATA)
        fields = dict([data, _part(GraphQLNonNull(_meta(types)), Part.META)])
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.COLLECTION, definition)))

    return types.once(names.collection_name(definition), make)


def _meta(types: TypeRegistry) -> GraphQLObjectType:
    def make_meta(name: str) -> GraphQLObjectType:
        page = types.once("Pagination", make_pagination)
        fields = dict([_part(GraphQLNonNull(page), Part.PAGINATION)])
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.META)))

    def make_pagination(name: str) -> GraphQLObjectType:
        counts = (Part.TOTAL, Part.PAGE, Part.PAGE_SIZE, Part.PAGE_COUNT)
        fields = dict(_part(GraphQLNonNull(GraphQLInt), part) for part in counts)
        if types.has_cursors:
            fields |= dict([_part(GraphQLString, Part.AFTER)])
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.PAGINATION)))

    return types.once("ResponseCollectionMeta", make_meta)


def generic_morph(types: TypeRegistry) -> GraphQLUnionType:
    """Return the union of all types that a morph relation can link to: content types and components."""

    def members() -> list[GraphQLObjectType]:
        components = (item for item in types.registry.components.values() if types.shows(item))
        return [attributes_type(types, item) for item in (*components, *types.content_types())]

    metadata = with_metadata(TypeMetadata(TypeRole.MORPH))
    return types.once(names.GENERIC_MORPH, lambda name: GraphQLUnionType(name, members, extensions=metadata))


def zone_union(types: TypeRegistry, definition: Definition, zone: DynamicZone) -> GraphQLUnionType:
    """Return the union of a dynamic zone's components, and of the error for one that no longer exists."""

    def members() -> list[GraphQLObjectType]:
        components = types.zone_components(zone)
        return [*(attributes_type(types, item) for item in components), _zone_error(types)]

    metadata = with_metadata(TypeMetadata(TypeRole.ZONE, definition, zone))
    return types.once(
        names.zone_name(definition, zone), lambda name: GraphQLUnionType(name, members, extensions=metadata)
    )


def _zone_error(types: TypeRegistry) -> GraphQLObjectType:
    def make(name: str) -> GraphQLObjectType:
        fields = {"code": GraphQLField(GraphQLNonNull(GraphQLString)), "message": GraphQLField(GraphQLString)}
        return GraphQLObjectType(name, fields, extensions=with_metadata(TypeMetadata(TypeRole.ERROR)))

    return types.once("Error", make)


def file_response(types: TypeRegistry) -> GraphQLObjectType:
    """Return the wrapper of an uploaded file."""
    return response(types, types.registry.content_types[FILE])
