"""Filter inputs: one for each scalar, content type and component."""

from collections.abc import Mapping
from typing import Final, Literal

from graphql import (
    GraphQLBoolean,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLScalarType,
    GraphQLString,
)

from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    FieldMetadata,
    LogicField,
    OperatorField,
    Part,
    PartField,
    TypeMetadata,
    TypeRole,
    with_metadata,
)
from octavo.api.graphql.schema.names import filters_name
from octavo.api.graphql.schema.scalars import SCALARS
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.query.operators import OPERATORS, Operand, Operator
from octavo.schema.attributes import AnyAttribute, Enumeration, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.scalar_types import SCALAR_TYPES

LOGIC: Final[tuple[Literal["and", "or", "not"], ...]] = ("and", "or", "not")
_ORDER: Final = (
    *("$eq", "$eqi", "$ne", "$nei", "$startsWith", "$endsWith", "$contains", "$notContains", "$containsi"),
    *("$notContainsi", "$gt", "$gte", "$lt", "$lte", "$null", "$notNull", "$in", "$notIn", "$between"),
)
"""Operators that GraphQL has fields for, in v4's order, in which several errors are reported."""

InputFields = Mapping[str, GraphQLInputField]


def input_field(value: GraphQLInputType, metadata: FieldMetadata) -> GraphQLInputField:
    """Return an input field with metadata."""
    return GraphQLInputField(value, extensions=with_metadata(metadata))


def scalar_filter(types: TypeRegistry, scalar: GraphQLScalarType) -> GraphQLInputObjectType:
    """Return the filter input of a scalar, such as `StringFilterInput`."""

    def make(name: str) -> GraphQLInputObjectType:
        metadata = with_metadata(TypeMetadata(TypeRole.SCALAR_FILTER))
        return GraphQLInputObjectType(name, lambda: _operators(types, scalar), extensions=metadata)

    return types.once(f"{scalar.name}FilterInput", make)


def _operators(types: TypeRegistry, scalar: GraphQLScalarType) -> InputFields:
    values: GraphQLList[GraphQLScalarType] = GraphQLList(scalar)
    # The values of `and` and `or` are compared for equality; `not` contains operators.
    fields = {
        "and": input_field(values, LogicField("and")),
        "or": input_field(values, LogicField("or")),
        "not": input_field(scalar_filter(types, scalar), LogicField("not")),
    }
    for name in _ORDER:
        value = _operand(OPERATORS[name], scalar, values)
        fields[name.removeprefix("$")] = input_field(value, OperatorField(name))
    return fields


def _operand(operator: Operator, scalar: GraphQLScalarType, values: GraphQLList[GraphQLScalarType]) -> GraphQLInputType:
    if operator.operand is Operand.FLAG:
        return GraphQLBoolean
    return scalar if operator.operand is Operand.ONE else values


def filters(types: TypeRegistry, definition: Definition) -> GraphQLInputObjectType:
    """Return the filter input of a content type or a component, such as `ArticleFiltersInput`."""

    def make(name: str) -> GraphQLInputObjectType:
        metadata = with_metadata(TypeMetadata(TypeRole.FILTERS, definition))
        return GraphQLInputObjectType(name, lambda: _conditions(types, definition), extensions=metadata)

    return types.once(filters_name(definition), make)


def _conditions(types: TypeRegistry, definition: Definition) -> InputFields:
    fields: dict[str, GraphQLInputField] = {}
    if _has_id(types, definition):
        fields["id"] = input_field(scalar_filter(types, GraphQLID), PartField(Part.ID))
    for attribute in types.filters(definition):
        fields[attribute.name] = input_field(_condition(types, attribute), AttributeField(definition, attribute))
    # Logical operators replace attributes with the same name.
    itself = filters(types, definition)
    several: GraphQLList[GraphQLInputObjectType] = GraphQLList(itself)
    for word in LOGIC:
        fields[word] = input_field(itself if word == "not" else several, LogicField(word))
    return fields


def _has_id(types: TypeRegistry, definition: Definition) -> bool:
    is_collection = isinstance(definition, ContentType) and not definition.is_single
    return is_collection and (definition.uid, "id") not in types.exclusions.filters


def _condition(types: TypeRegistry, attribute: AnyAttribute) -> GraphQLInputType:
    if isinstance(attribute, Scalar):
        return scalar_filter(types, filtered_scalar(attribute))
    target = types.registry.target(attribute)
    assert target is not None, attribute.name
    return filters(types, target)


def filtered_scalar(attribute: Scalar) -> GraphQLScalarType:
    """Return the scalar to compare a value with: enumerations are compared as stored text."""
    return GraphQLString if isinstance(attribute, Enumeration) else SCALARS[SCALAR_TYPES[attribute.type].kind]
