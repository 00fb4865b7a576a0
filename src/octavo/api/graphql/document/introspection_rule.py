"""The validation rule for APIs without introspection."""

from typing import Any, Final

from graphql import FieldNode, GraphQLError, ValidationRule

MESSAGE: Final = (
    "GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. "
    "To enable introspection, pass introspection: true to ApolloServer in production"
)
"""The message of v4 (observed)."""
_FIELDS: Final = ("__schema", "__type")


class NoIntrospection(ValidationRule):
    """Reports the fields that introspect the schema. Their own fields have no errors, unlike in graphql-core."""

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        """Report a field of the schema."""
        if node.name.value in _FIELDS:
            self.report_error(GraphQLError(MESSAGE, node))
