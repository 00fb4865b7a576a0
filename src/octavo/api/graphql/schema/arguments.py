"""Arguments of generated fields: filters, pagination, sort, publication state, locale, id, data."""

from typing import Final

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
    Undefined,
)

from octavo.api.graphql.schema.filter_inputs import filters
from octavo.api.graphql.schema.input_types import data_input
from octavo.api.graphql.schema.scalars import LOCALE_CODE
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.attributes import TIMESTAMPS
from octavo.schema.content_types import Component, ContentType, Definition

Arguments = dict[str, GraphQLArgument]

PUBLICATION_STATE: Final = GraphQLEnumType("PublicationState", {"LIVE": "live", "PREVIEW": "preview"})


def argument(value: GraphQLInputType, default: object = Undefined) -> GraphQLArgument:
    """Return an optional argument."""
    return GraphQLArgument(value, default_value=default)


def required(value: GraphQLInputType) -> GraphQLArgument:
    """Return a required argument."""
    return GraphQLArgument(GraphQLNonNull(value))


def list_arguments(types: TypeRegistry, definition: Definition) -> Arguments:
    """Return the arguments to filter, sort and paginate a list. Lists of single types have none."""
    arguments: Arguments = {}
    if isinstance(definition, Component) or not _is_single(definition):
        arguments["filters"] = argument(filters(types, definition))
        arguments["pagination"] = argument(_pagination(types), {})
        arguments["sort"] = argument(GraphQLList(GraphQLString), [])
    return arguments | state_arguments(definition)


def _pagination(types: TypeRegistry) -> GraphQLInputObjectType:
    def make(name: str) -> GraphQLInputObjectType:
        numbers = ("page", "pageSize", "start", "limit")
        cursor = {"after": GraphQLInputField(GraphQLString)} if types.has_cursors else {}
        return GraphQLInputObjectType(name, {each: GraphQLInputField(GraphQLInt) for each in numbers} | cursor)

    return types.once("PaginationArg", make)


def state_arguments(definition: Definition) -> Arguments:
    """Return the publication state argument, for types with drafts."""
    if isinstance(definition, ContentType) and definition.draft_and_publish:
        return {"publicationState": argument(PUBLICATION_STATE, "live")}
    return {}


def locale_arguments(content_type: ContentType) -> Arguments:
    """Return the locale argument, for localized types."""
    return {"locale": argument(LOCALE_CODE)} if content_type.localized else {}


def id_argument(*, is_required: bool = False) -> Arguments:
    """Return the id argument."""
    return {"id": required(GraphQLID) if is_required else argument(GraphQLID)}


def data_argument(types: TypeRegistry, content_type: ContentType, *, is_required: bool = True) -> Arguments:
    """Return the data argument, if the type has writable attributes. As in v4, timestamps alone do not count."""
    if all(item.name in TIMESTAMPS for item in types.inputs(content_type)):
        return {}
    data = data_input(types, content_type)
    return {"data": required(data) if is_required else argument(data)}


def _is_single(definition: Definition) -> bool:
    return isinstance(definition, ContentType) and definition.is_single
