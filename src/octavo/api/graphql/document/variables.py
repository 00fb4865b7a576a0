"""Coerce the variables of an operation to their declared types."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from graphql import (
    GraphQLError,
    GraphQLInputType,
    GraphQLNonNull,
    GraphQLSchema,
    Node,
    OperationDefinitionNode,
    VariableDefinitionNode,
    VariableNode,
    print_ast,
    type_from_ast,
    value_from_ast,
)
from graphql.pyutils import inspect as python_inspect
from graphql.pyutils import print_path_list
from graphql.utilities import coerce_input_value

from octavo.api.graphql.document.coercers import Irregular, VariableCoercers, coerce_variables
from octavo.api.graphql.document.error_messages import reword
from octavo.api.graphql.schema.js_values import inspect

MOST_ERRORS: Final = 50
DEEPEST: Final = 100
_MOST_SHOWN: Final = 10_000
_MOST_QUOTED: Final = 100
"""Limits of quoted values in messages: characters, and items of a list."""
_TOO_MANY: Final = "Too many errors processing variables, error limit reached. Execution aborted."


class RefusedVariables(Exception):
    """Invalid variables. The errors have the code BAD_USER_INPUT."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__(errors[0].message)
        self.errors = errors


def read_variables(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    given: Mapping[str, Any],
    coercers: VariableCoercers | None = None,
) -> dict[str, Any]:
    """Return the values of an operation's variables, or their defaults. Variables without either are left out.

    `coercers` of the operation read valid values faster. Raises RefusedVariables.
    """
    if coercers is not None:
        try:
            return coerce_variables(coercers, given)
        except Irregular:
            pass  # the errors are found below
    reading = _Reading(schema, given)
    for definition in operation.variable_definitions:
        reading.read(definition)
    if reading.errors:
        raise RefusedVariables(reading.errors)
    return reading.values


def names_in(node: Node) -> Iterator[str]:
    """Yield the variables within a part of a document."""
    if isinstance(node, VariableNode):
        yield node.name.value
        return
    for key in node.keys:
        value = getattr(node, key, None)
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, Node):
                yield from names_in(one)


class _Enough(Exception):
    pass


class _Reading:
    def __init__(self, schema: GraphQLSchema, given: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = {}
        self.errors: list[GraphQLError] = []
        self._schema = schema
        self._given = given

    def read(self, definition: VariableDefinitionNode) -> None:
        """Read a variable."""
        name = definition.variable.name.value
        declared = cast("GraphQLInputType", type_from_ast(self._schema, definition.type))  # checked by validation
        if name not in self._given:
            self._absent(definition, name, declared)
        elif self._given[name] is None and isinstance(declared, GraphQLNonNull):
            type_text = print_ast(definition.type)
            self._refuse(f'Variable "${name}" of non-null type "{type_text}" must not be null.', definition)
        elif _is_too_deep(self._given[name]):
            self._refuse(f'Variable "${name}" is nested more than {DEEPEST} times.', definition)
        else:
            self._coerce(definition, name, declared)

    def _absent(self, definition: VariableDefinitionNode, name: str, declared: GraphQLInputType) -> None:
        if definition.default_value:
            self.values[name] = value_from_ast(definition.default_value, declared)
        elif isinstance(declared, GraphQLNonNull):
            type_text = print_ast(definition.type)
            self._refuse(f'Variable "${name}" of required type "{type_text}" was not provided.', definition)

    def _coerce(self, definition: VariableDefinitionNode, name: str, declared: GraphQLInputType) -> None:
        def refuse(path: list[str | int], value: Any, error: GraphQLError) -> None:
            place = f' at "{name}{print_path_list(path)}"' if path else ""
            shown = (
                f'Variable "${name}" got invalid value {inspect(value)[:_MOST_SHOWN]}{place}; {_message(error, value)}'
            )
            self._refuse(shown, definition)

        count = len(self.errors)
        try:
            value = coerce_input_value(self._given[name], declared, refuse)
        except _Enough:
            return
        if len(self.errors) == count:
            self.values[name] = value

    def _refuse(self, message: str, definition: VariableDefinitionNode) -> None:
        if len(self.errors) >= MOST_ERRORS:
            if self.errors[-1].message != _TOO_MANY:
                self.errors.append(GraphQLError(_TOO_MANY))
            raise _Enough
        self.errors.append(GraphQLError(message, definition))


def _message(error: GraphQLError, value: Any) -> str:
    """Return a type's message about a value, with the value formatted as in JavaScript."""
    message = error.message
    if isinstance(value, dict | list) and len(value) > _MOST_QUOTED:
        return reword(message)
    quoted = python_inspect(value)
    for end in (quoted, f"{quoted}."):
        if message.endswith(f": {end}"):
            return f"{reword(message.removesuffix(end))}{inspect(value)}{end.removeprefix(quoted)}"
    return reword(message)


def _is_too_deep(value: Any) -> bool:
    """Return whether lists and objects are nested too deeply to be read safely."""
    level = [value]
    for _ in range(DEEPEST):
        nested = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list))
        level = [item for items in nested for item in items]
        if not level:
            return False
    return True
