"""The schema of a project: everything put together."""

from typing import Final

from graphql import (
    DirectiveLocation,
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLDirective,
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    GraphQLSpecifiedByDirective,
    GraphQLString,
    introspection_types,
)

from octavo.api.graphql.schema.content_fields import mutation_fields, query_fields
from octavo.api.graphql.schema.exclusions import NOTHING, Exclusions
from octavo.api.graphql.schema.field_metadata import PluginField, with_metadata
from octavo.api.graphql.schema.plugin_fields import plugin_mutations, plugin_queries
from octavo.api.graphql.schema.schedule_fields import add_schedules
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.registry import Registry

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
"""What clients of v4 know, whatever else graphql-core brings."""

introspection_types["__Type"].fields["specifiedByUrl"] = GraphQLField(  # type: ignore[attr-defined]
    GraphQLString, resolve=lambda item, _: getattr(item, "specified_by_url", None)
)
"""What introspection calls `specifiedByURL` by now, as clients of v4 know it too. All schemas share this type."""

_OK: Final = GraphQLField(GraphQLNonNull(GraphQLBoolean), extensions=with_metadata(PluginField("ok")))


def build_schema(
    registry: Registry,
    exclusions: Exclusions = NOTHING,
    *,
    generate: bool = True,
    schedules: bool = False,
    cursors: bool = False,
) -> GraphQLSchema:
    """The schema of all content-types and components, and of the plugins' own fields.

    Without `generate` (`shadowCRUD`) there is nothing but a field that says so: what a project adds is all there is.
    With `schedules` there are fields to plan when entries are published; with `cursors` lists have them.
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
        assume_valid=True,  # names are checked before; the rest is right by construction, and tested
    )
