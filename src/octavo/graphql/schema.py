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
)

from octavo.graphql.exclusions import NOTHING, Exclusions
from octavo.graphql.meaning import PluginField, stands_for
from octavo.graphql.operations import mutation_fields, query_fields
from octavo.graphql.plugins import plugin_mutations, plugin_queries
from octavo.graphql.workshop import Workshop
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

_OK: Final = GraphQLField(GraphQLNonNull(GraphQLBoolean), extensions=stands_for(PluginField("ok")))


def build_schema(registry: Registry, exclusions: Exclusions = NOTHING, *, generate: bool = True) -> GraphQLSchema:
    """The schema of all content-types and components, and of the plugins' own fields.

    Without `generate` (`shadowCRUD`) there is nothing but a field that says so: what a project adds is all there is.
    """
    if not generate:
        return GraphQLSchema(GraphQLObjectType("Query", {"ok": _OK}), directives=DIRECTIVES)
    workshop = Workshop(registry, exclusions)
    query = {**query_fields(workshop), **plugin_queries(workshop)}
    mutation = {**mutation_fields(workshop), **plugin_mutations(workshop)}
    return GraphQLSchema(
        GraphQLObjectType("Query", query),
        GraphQLObjectType("Mutation", mutation),
        directives=DIRECTIVES,
        assume_valid=True,  # names are checked before; the rest is right by construction, and tested
    )
