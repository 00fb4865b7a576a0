"""Input types for create and update: content types, components and dynamic zones."""

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

from octavo.api.graphql.schema.enums import enumeration
from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    Part,
    PartField,
    TypeMetadata,
    TypeRole,
    with_metadata,
)
from octavo.api.graphql.schema.filter_inputs import input_field
from octavo.api.graphql.schema.names import input_name, type_name, zone_input_name
from octavo.api.graphql.schema.scalars import SCALARS, RefusedValue
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Enumeration, Media, Relation, Scalar
from octavo.schema.content_types import Component, Definition
from octavo.schema.scalar_types import SCALAR_TYPES

TYPE_KEY: Final = "__typename"
COMPONENT_KEY: Final = "__component"


def data_input(types: TypeRegistry, definition: Definition) -> GraphQLInputObjectType:
    """Return the input type of a content type or a component, such as `ArticleInput`. No field is required."""

    def make(name: str) -> GraphQLInputObjectType:
        metadata = with_metadata(TypeMetadata(TypeRole.INPUT, definition))
        return GraphQLInputObjectType(name, lambda: _fields(types, definition), extensions=metadata)

    return types.once(input_name(definition), make)


def _fields(types: TypeRegistry, definition: Definition) -> Mapping[str, GraphQLInputField]:
    fields: dict[str, GraphQLInputField] = {}
    if isinstance(definition, Component):
        fields["id"] = input_field(GraphQLID, PartField(Part.ID))
    for attribute in types.inputs(definition):
        value = _value(types, definition, attribute)
        fields[attribute.name] = input_field(value, AttributeField(definition, attribute))
    return fields


def _value(types: TypeRegistry, definition: Definition, attribute: AnyAttribute) -> GraphQLInputType:
    match attribute:
        case Enumeration():
            return enumeration(types, definition, attribute)
        case Scalar():
            return SCALARS[SCALAR_TYPES[attribute.type].kind]
        case Relation() | Media():
            return GraphQLList(GraphQLID) if attribute.to_many else GraphQLID
        case ComponentField():
            part = data_input(types, types.registry.components[attribute.component])
            return GraphQLList(part) if attribute.repeatable else part
        case DynamicZone():
            return GraphQLList(GraphQLNonNull(zone_input(types, definition, attribute)))


def zone_input(types: TypeRegistry, definition: Definition, zone: DynamicZone) -> GraphQLScalarType:
    """Return the scalar for components of a dynamic zone: objects whose `__typename` becomes `__component`."""

    def make(name: str) -> GraphQLScalarType:
        allowed = [type_name(item) for item in types.zone_components(zone)]
        known = {type_name(item): uid for uid, item in types.registry.components.items()}

        def read(value: Any) -> dict[str, Any]:
            named = value.get(TYPE_KEY) if isinstance(value, Mapping) else None
            uid = known.get(named) if isinstance(named, str) else None
            if uid is None:
                raise RefusedValue(f"Component not found. expected one of: {', '.join(allowed)}")
            return {COMPONENT_KEY: uid, **{key: item for key, item in value.items() if key != TYPE_KEY}}

        def literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
            return read(value_from_ast_untyped(node, variables)) if isinstance(node, ObjectValueNode) else Undefined

        metadata = with_metadata(TypeMetadata(TypeRole.INPUT, definition, zone))
        return GraphQLScalarType(name, parse_value=read, parse_literal=literal, extensions=metadata)

    return types.once(zone_input_name(definition, zone), make)
