"""Object types: attributes, entities and their wrappers, components, and the unions that rows decide on."""

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

from octavo.graphql import names
from octavo.graphql.arguments import Arguments, list_arguments
from octavo.graphql.enums import enumeration
from octavo.graphql.meaning import AttributeField, FieldMeaning, Part, PartField, Shape, TypeMeaning, stands_for
from octavo.graphql.scalars import SCALARS
from octavo.graphql.workshop import Workshop
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Enumeration, Media, Relation, Scalar
from octavo.schema.content_types import Component, Definition
from octavo.schema.registry import FILE_UID
from octavo.schema.values import SCALAR_TYPES

Fields = Mapping[str, GraphQLField]


def output_field(value: GraphQLOutputType, meaning: FieldMeaning, arguments: Arguments | None = None) -> GraphQLField:
    """A field that says what it stands for."""
    return GraphQLField(value, args=arguments, extensions=stands_for(meaning))


def _part(value: GraphQLOutputType, part: Part) -> tuple[str, GraphQLField]:
    return part.value, output_field(value, PartField(part))


def attributes_type(workshop: Workshop, definition: Definition) -> GraphQLObjectType:
    """A definition's attributes: `Article`, `ComponentSharedSeo`."""

    def make(name: str) -> GraphQLObjectType:
        shape = Shape.COMPONENT if isinstance(definition, Component) else Shape.ATTRIBUTES
        meaning = stands_for(TypeMeaning(shape, definition))
        return GraphQLObjectType(name, lambda: _attributes(workshop, definition), extensions=meaning)

    return workshop.once(names.type_name(definition), make)


def _attributes(workshop: Workshop, definition: Definition) -> Fields:
    fields: dict[str, GraphQLField] = {}
    if isinstance(definition, Component):
        fields.update([_part(GraphQLNonNull(GraphQLID), Part.ID)])
    for attribute in workshop.outputs(definition):
        value = _value(workshop, definition, attribute)
        value = GraphQLNonNull(value) if attribute.required else value
        arguments = _arguments(workshop, attribute)
        fields[attribute.name] = output_field(value, AttributeField(definition, attribute), arguments)
    return fields


def _value(workshop: Workshop, definition: Definition, attribute: AnyAttribute) -> GraphQLOutputType:
    match attribute:
        case Enumeration():
            return enumeration(workshop, definition, attribute)
        case Scalar():
            return SCALARS[SCALAR_TYPES[attribute.type].kind]
        case Relation() | Media():
            return _related(workshop, attribute)
        case ComponentField():
            part = attributes_type(workshop, workshop.registry.components[attribute.component])
            return GraphQLList(part) if attribute.repeatable else part
        case DynamicZone():
            return GraphQLList(zone_union(workshop, definition, attribute))


def _related(workshop: Workshop, attribute: Relation | Media) -> GraphQLOutputType:
    target = workshop.registry.target(attribute)
    if target is None:
        morph = generic_morph(workshop)
        return GraphQLList(morph) if attribute.to_many else morph
    return relation_collection(workshop, target) if attribute.to_many else response(workshop, target)


def _arguments(workshop: Workshop, attribute: AnyAttribute) -> Arguments:
    """The arguments of an attribute: of relations, files and components to many."""
    if isinstance(attribute, Scalar | DynamicZone) or not attribute.to_many:
        return {}
    target = workshop.registry.target(attribute)
    return list_arguments(workshop, target) if target else {}


def entity(workshop: Workshop, definition: Definition) -> GraphQLObjectType:
    """An entry: `id` and `attributes`."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(GraphQLID, Part.ID), _part(attributes_type(workshop, definition), Part.ATTRIBUTES)])
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.ENTITY, definition)))

    return workshop.once(names.entity_name(definition), make)


def response(workshop: Workshop, definition: Definition) -> GraphQLObjectType:
    """One entry or none, wrapped."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(entity(workshop, definition), Part.DATA)])
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.RESPONSE, definition)))

    return workshop.once(names.response_name(definition), make)


def _entities(workshop: Workshop, definition: Definition) -> GraphQLOutputType:
    return GraphQLNonNull(GraphQLList(GraphQLNonNull(entity(workshop, definition))))


def relation_collection(workshop: Workshop, definition: Definition) -> GraphQLObjectType:
    """A list of related entries."""

    def make(name: str) -> GraphQLObjectType:
        fields = dict([_part(_entities(workshop, definition), Part.DATA)])
        meaning = stands_for(TypeMeaning(Shape.RELATION_COLLECTION, definition))
        return GraphQLObjectType(name, fields, extensions=meaning)

    return workshop.once(names.relation_collection_name(definition), make)


def collection(workshop: Workshop, definition: Definition) -> GraphQLObjectType:
    """A list of entries with its page."""

    def make(name: str) -> GraphQLObjectType:
        data = _part(_entities(workshop, definition), Part.DATA)
        fields = dict([data, _part(GraphQLNonNull(_meta(workshop)), Part.META)])
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.COLLECTION, definition)))

    return workshop.once(names.collection_name(definition), make)


def _meta(workshop: Workshop) -> GraphQLObjectType:
    def make_meta(name: str) -> GraphQLObjectType:
        page = workshop.once("Pagination", make_pagination)
        fields = dict([_part(GraphQLNonNull(page), Part.PAGINATION)])
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.META)))

    def make_pagination(name: str) -> GraphQLObjectType:
        counts = (Part.TOTAL, Part.PAGE, Part.PAGE_SIZE, Part.PAGE_COUNT)
        fields = dict(_part(GraphQLNonNull(GraphQLInt), part) for part in counts)
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.PAGINATION)))

    return workshop.once("ResponseCollectionMeta", make_meta)


def generic_morph(workshop: Workshop) -> GraphQLUnionType:
    """Whatever a morph relation's row names: every content-type and component."""

    def members() -> list[GraphQLObjectType]:
        components = (item for item in workshop.registry.components.values() if workshop.shows(item))
        return [attributes_type(workshop, item) for item in (*components, *workshop.content_types())]

    meaning = stands_for(TypeMeaning(Shape.MORPH))
    return workshop.once(names.GENERIC_MORPH, lambda name: GraphQLUnionType(name, members, extensions=meaning))


def zone_union(workshop: Workshop, definition: Definition, zone: DynamicZone) -> GraphQLUnionType:
    """A dynamic zone's components, and the error that stands for one that is gone."""

    def members() -> list[GraphQLObjectType]:
        components = workshop.zone_components(zone)
        return [*(attributes_type(workshop, item) for item in components), _zone_error(workshop)]

    meaning = stands_for(TypeMeaning(Shape.ZONE, definition, zone))
    return workshop.once(
        names.zone_name(definition, zone), lambda name: GraphQLUnionType(name, members, extensions=meaning)
    )


def _zone_error(workshop: Workshop) -> GraphQLObjectType:
    def make(name: str) -> GraphQLObjectType:
        fields = {"code": GraphQLField(GraphQLNonNull(GraphQLString)), "message": GraphQLField(GraphQLString)}
        return GraphQLObjectType(name, fields, extensions=stands_for(TypeMeaning(Shape.ERROR)))

    return workshop.once("Error", make)


def file_response(workshop: Workshop) -> GraphQLObjectType:
    """One uploaded file, wrapped."""
    return response(workshop, workshop.registry.content_types[FILE_UID])
