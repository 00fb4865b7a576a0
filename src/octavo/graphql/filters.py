"""Filter inputs: one for each scalar, one for each content-type and component."""

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

from octavo.graphql.meaning import (
    AttributeField,
    FieldMeaning,
    LogicField,
    OperatorField,
    Part,
    PartField,
    Shape,
    TypeMeaning,
    stands_for,
)
from octavo.graphql.names import filters_name
from octavo.graphql.scalars import SCALARS
from octavo.graphql.workshop import Workshop
from octavo.query.operators import OPERATORS, Operand, Operator
from octavo.schema.attributes import AnyAttribute, Enumeration, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.values import SCALAR_TYPES

LOGIC: Final[tuple[Literal["and", "or", "not"], ...]] = ("and", "or", "not")
_ORDER: Final = (
    *("$eq", "$eqi", "$ne", "$nei", "$startsWith", "$endsWith", "$contains", "$notContains", "$containsi"),
    *("$notContainsi", "$gt", "$gte", "$lt", "$lte", "$null", "$notNull", "$in", "$notIn", "$between"),
)
"""Operators that GraphQL has fields for, as v4 lists them: what is wrong with several is told in this order."""

InputFields = Mapping[str, GraphQLInputField]


def input_field(value: GraphQLInputType, meaning: FieldMeaning) -> GraphQLInputField:
    """A field of an input that says what it stands for."""
    return GraphQLInputField(value, extensions=stands_for(meaning))


def scalar_filter(workshop: Workshop, scalar: GraphQLScalarType) -> GraphQLInputObjectType:
    """Conditions on one value: `StringFilterInput`."""

    def make(name: str) -> GraphQLInputObjectType:
        meaning = stands_for(TypeMeaning(Shape.SCALAR_FILTER))
        return GraphQLInputObjectType(name, lambda: _operators(workshop, scalar), extensions=meaning)

    return workshop.once(f"{scalar.name}FilterInput", make)


def _operators(workshop: Workshop, scalar: GraphQLScalarType) -> InputFields:
    values: GraphQLList[GraphQLScalarType] = GraphQLList(scalar)
    # The values of `and` and `or` are compared for equality; `not` holds operators.
    fields = {
        "and": input_field(values, LogicField("and")),
        "or": input_field(values, LogicField("or")),
        "not": input_field(scalar_filter(workshop, scalar), LogicField("not")),
    }
    for name in _ORDER:
        value = _operand(OPERATORS[name], scalar, values)
        fields[name.removeprefix("$")] = input_field(value, OperatorField(name))
    return fields


def _operand(operator: Operator, scalar: GraphQLScalarType, values: GraphQLList[GraphQLScalarType]) -> GraphQLInputType:
    if operator.operand is Operand.FLAG:
        return GraphQLBoolean
    return scalar if operator.operand is Operand.ONE else values


def filters(workshop: Workshop, definition: Definition) -> GraphQLInputObjectType:
    """Conditions on a content-type or a component: `ArticleFiltersInput`."""

    def make(name: str) -> GraphQLInputObjectType:
        meaning = stands_for(TypeMeaning(Shape.FILTERS, definition))
        return GraphQLInputObjectType(name, lambda: _conditions(workshop, definition), extensions=meaning)

    return workshop.once(filters_name(definition), make)


def _conditions(workshop: Workshop, definition: Definition) -> InputFields:
    fields: dict[str, GraphQLInputField] = {}
    if _has_id(workshop, definition):
        fields["id"] = input_field(scalar_filter(workshop, GraphQLID), PartField(Part.ID))
    for attribute in workshop.filters(definition):
        fields[attribute.name] = input_field(_condition(workshop, attribute), AttributeField(definition, attribute))
    # An attribute of the same name gives way: combining conditions goes first.
    itself = filters(workshop, definition)
    several: GraphQLList[GraphQLInputObjectType] = GraphQLList(itself)
    for word in LOGIC:
        fields[word] = input_field(itself if word == "not" else several, LogicField(word))
    return fields


def _has_id(workshop: Workshop, definition: Definition) -> bool:
    is_collection = isinstance(definition, ContentType) and not definition.is_single
    return is_collection and (definition.uid, "id") not in workshop.exclusions.filters


def _condition(workshop: Workshop, attribute: AnyAttribute) -> GraphQLInputType:
    if isinstance(attribute, Scalar):
        return scalar_filter(workshop, filtered_scalar(attribute))
    target = workshop.registry.target(attribute)
    assert target is not None, attribute.name
    return filters(workshop, target)


def filtered_scalar(attribute: Scalar) -> GraphQLScalarType:
    """The scalar that a value is compared as: enumerations as the text they store."""
    return GraphQLString if isinstance(attribute, Enumeration) else SCALARS[SCALAR_TYPES[attribute.type].kind]
