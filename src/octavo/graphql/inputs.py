"""Inputs: what a create or update takes, of content-types, components and dynamic zones."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import (
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    ObjectValueNode,
    Undefined,
    ValueNode,
    value_from_ast_untyped,
)

from octavo.graphql.enums import enumeration
from octavo.graphql.filters import input_field
from octavo.graphql.meaning import AttributeField, Part, PartField, Shape, TypeMeaning, stands_for
from octavo.graphql.names import input_name, type_name, zone_input_name
from octavo.graphql.scalars import SCALARS, RefusedValue
from octavo.graphql.workshop import Workshop
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Enumeration, Media, Relation, Scalar
from octavo.schema.content_types import Component, Definition
from octavo.schema.values import SCALAR_TYPES

TYPE_KEY: Final = "__typename"
COMPONENT_KEY: Final = "__component"


def data_input(workshop: Workshop, definition: Definition) -> GraphQLInputObjectType:
    """What is written of a content-type or a component: `ArticleInput`. Nothing in it is required."""

    def make(name: str) -> GraphQLInputObjectType:
        meaning = stands_for(TypeMeaning(Shape.INPUT, definition))
        return GraphQLInputObjectType(name, lambda: _fields(workshop, definition), extensions=meaning)

    return workshop.once(input_name(definition), make)


def _fields(workshop: Workshop, definition: Definition) -> Mapping[str, GraphQLInputField]:
    fields: dict[str, GraphQLInputField] = {}
    if isinstance(definition, Component):
        fields["id"] = input_field(GraphQLID, PartField(Part.ID))
    for attribute in workshop.inputs(definition):
        value = _value(workshop, definition, attribute)
        fields[attribute.name] = input_field(value, AttributeField(definition, attribute))
    return fields


def _value(workshop: Workshop, definition: Definition, attribute: AnyAttribute) -> GraphQLInputType:
    match attribute:
        case Enumeration():
            return enumeration(workshop, definition, attribute)
        case Scalar():
            return SCALARS[SCALAR_TYPES[attribute.type].kind]
        case Relation() | Media():
            return GraphQLList(GraphQLID) if attribute.to_many else GraphQLID
        case ComponentField():
            part = data_input(workshop, workshop.registry.components[attribute.component])
            return GraphQLList(part) if attribute.repeatable else part
        case DynamicZone():
            return GraphQLList(GraphQLNonNull(zone_input(workshop, definition, attribute)))


def zone_input(workshop: Workshop, definition: Definition, zone: DynamicZone) -> GraphQLScalarType:
    """One component of a dynamic zone: an object that names its type. It is read as `__component` and the rest."""

    def make(name: str) -> GraphQLScalarType:
        allowed = [type_name(item) for item in workshop.zone_components(zone)]
        known = {type_name(item): uid for uid, item in workshop.registry.components.items()}

        def read(value: Any) -> dict[str, Any]:
            named = value.get(TYPE_KEY) if isinstance(value, Mapping) else None
            uid = known.get(named) if isinstance(named, str) else None
            if uid is None:
                raise RefusedValue(f"Component not found. expected one of: {', '.join(allowed)}")
            return {COMPONENT_KEY: uid, **{key: item for key, item in value.items() if key != TYPE_KEY}}

        def literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
            return read(value_from_ast_untyped(node, variables)) if isinstance(node, ObjectValueNode) else Undefined

        meaning = stands_for(TypeMeaning(Shape.INPUT, definition, zone))
        return GraphQLScalarType(name, parse_value=read, parse_literal=literal, extensions=meaning)

    return workshop.once(zone_input_name(definition, zone), make)
