"""Build the GraphQL schema of a project."""

import logging
from typing import Final

from graphql import (
    DirectiveLocation,
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLDirective,
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    GraphQLSpecifiedByDirective,
    GraphQLString,
    introspection_types,
)

from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.arguments import Arguments, id_argument, locale_arguments, required
from octavo.api.graphql.schema.content_fields import FieldsByName, is_changed, mutation_fields, query_fields
from octavo.api.graphql.schema.exclusions import NOTHING, Exclusions
from octavo.api.graphql.schema.field_metadata import PluginField, ScheduleField, TypeMetadata, TypeRole, with_metadata
from octavo.api.graphql.schema.name_conflicts import left_out
from octavo.api.graphql.schema.object_types import output_field
from octavo.api.graphql.schema.plugin_fields import plugin_mutations, plugin_queries
from octavo.api.graphql.schema.scalars import DATE_TIME
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.attributes import PUBLISHED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_TIMES: Final = {
    "publishAt": "When the entry is to be published",
    "unpublishAt": "When the entry is to be taken back",
}
SCHEDULE: Final = GraphQLObjectType(
    "PublicationSchedule",
    {name: GraphQLField(DATE_TIME, description=text) for name, text in _TIMES.items()},
    extensions=with_metadata(TypeMetadata(TypeRole.PAYLOAD)),
)
SCHEDULE_INPUT: Final = GraphQLInputObjectType(
    "PublicationScheduleInput",
    {name: GraphQLInputField(DATE_TIME, description=f"{text}; null takes that back") for name, text in _TIMES.items()},
)


def add_schedules(types: TypeRegistry, query: FieldsByName, mutation: FieldsByName) -> None:
    """Add the scheduling fields of all types that `update` can publish. Existing names are not replaced."""
    taken = left_out(types.registry).types
    for kind in (SCHEDULE, SCHEDULE_INPUT):
        if kind.name in taken:
            logger.warning("No scheduled publishing over GraphQL: the name %s is %s's", kind.name, taken[kind.name])
            return
    data = {"data": required(SCHEDULE_INPUT)}
    for content_type in types.content_types():
        if _is_published(types, content_type):
            of_query, of_mutation = names.schedule_field(content_type), names.schedule_mutation(content_type)
            if of_query in query or of_mutation in mutation:
                logger.warning("Not scheduled over GraphQL: entries of %s: %s is taken", content_type.uid, of_query)
                continue
            which: Arguments = (
                locale_arguments(content_type) if content_type.is_single else id_argument(is_required=True)
            )
            metadata = ScheduleField(content_type)
            query[of_query] = output_field(SCHEDULE, metadata, which)
            mutation[of_mutation] = output_field(SCHEDULE, metadata, which | data)


def _is_published(types: TypeRegistry, content_type: ContentType) -> bool:
    is_hidden = (content_type.uid, PUBLISHED_AT) in types.exclusions.inputs
    can_update = is_changed(content_type) and types.offers(content_type, "update")
    return content_type.draft_and_publish and can_update and not is_hidden


_DEPRECATED: Final = GraphQLDirective(
    "deprecated",
    [
        DirectiveLocation.FIELD_DEFINITION,
        DirectiveLocation.ARGUMENT_DEFINITION,
        DirectiveLocation.INPUT_FIELD_DEFINITION,
        DirectiveLocation.ENUM_VALUE,
    ],
    args={
        "reason": GraphQLArgument(
            GraphQLString,
            description="Explains why this element was deprecated, usually also including a suggestion for how to "
            "access supported similar data. Formatted using the Markdown syntax, as specified by "
            "[CommonMark](https://commonmark.org/).",
            default_value="No longer supported",
        )
    },
    description="Marks an element of a GraphQL schema as no longer supported.",
)
DIRECTIVES: Final = (GraphQLIncludeDirective, GraphQLSkipDirective, _DEPRECATED, GraphQLSpecifiedByDirective)
"""The directives that v4's schema has, without those that graphql-core adds."""

introspection_types["__Type"].fields["specifiedByUrl"] = GraphQLField(  # type: ignore[attr-defined]
    GraphQLString, resolve=lambda item, _: getattr(item, "specified_by_url", None)
)
"""The former name of `specifiedByURL` in introspection, which clients of v4 use. All schemas share this type."""

_OK: Final = GraphQLField(GraphQLNonNull(GraphQLBoolean), extensions=with_metadata(PluginField("ok")))


def build_schema(
    registry: Registry,
    exclusions: Exclusions = NOTHING,
    *,
    generate: bool = True,
    schedules: bool = False,
    cursors: bool = False,
) -> GraphQLSchema:
    """Return the schema of all content types and components, and of the plugins' own fields.

    Without `generate` (`shadowCRUD`), the schema has only a placeholder field, besides what a project adds. `schedules`
    adds fields for scheduled publishing, `cursors` adds cursors to lists.
    """
    if not generate:
        return GraphQLSchema(GraphQLObjectType("Query", {"ok": _OK}), directives=DIRECTIVES)
    types = TypeRegistry(registry, exclusions, has_cursors=cursors)
    query = {**query_fields(types), **plugin_queries(types)}
    mutation = {**mutation_fields(types), **plugin_mutations(types)}
    if schedules:
        add_schedules(types, query, mutation)
    return GraphQLSchema(
        GraphQLObjectType("Query", query),
        GraphQLObjectType("Mutation", mutation),
        directives=DIRECTIVES,
        assume_valid=True,  # names were checked before; the rest is valid by construction and tested
    )
