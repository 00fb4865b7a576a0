"""Validate documents as graphql-core does, with the same errors in less time.

Rules that cannot find anything in a text are left out, such as those for variables in a text without a dollar sign, and
nodes that no rule is interested in are not visited.
"""

from collections.abc import Callable, Sequence
from typing import Final

from graphql import (
    DocumentNode,
    FragmentsOnCompositeTypesRule,
    GraphQLError,
    GraphQLSchema,
    KnownArgumentNamesRule,
    KnownDirectivesRule,
    KnownFragmentNamesRule,
    NoFragmentCyclesRule,
    NoUndefinedVariablesRule,
    NoUnusedFragmentsRule,
    NoUnusedVariablesRule,
    ParallelVisitor,
    PossibleFragmentSpreadsRule,
    TypeInfo,
    TypeInfoVisitor,
    UniqueArgumentNamesRule,
    UniqueDirectivesPerLocationRule,
    UniqueFragmentNamesRule,
    UniqueInputFieldNamesRule,
    UniqueVariableNamesRule,
    ValuesOfCorrectTypeRule,
    VariablesAreInputTypesRule,
    VariablesInAllowedPositionRule,
    visit,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS
from graphql.validation import ASTValidationRule, ValidationContext
from graphql.validation.validate import ValidationAbortedError
from graphql.validation.validation_context import NodeWithSelectionSet, VariableUsage, VariableUsageVisitor

Rule = type[ASTValidationRule]
Report = Callable[[GraphQLError], None]

_SIGNS: Final[dict[Rule, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            FragmentsOnCompositeTypesRule,
            KnownFragmentNamesRule,
            NoFragmentCyclesRule,
            NoUnusedFragmentsRule,
            PossibleFragmentSpreadsRule,
            UniqueFragmentNamesRule,
        ),
        ("...", "fragment"),
    ),
    **dict.fromkeys(
        (
            NoUndefinedVariablesRule,
            NoUnusedVariablesRule,
            UniqueVariableNamesRule,
            VariablesAreInputTypesRule,
            VariablesInAllowedPositionRule,
        ),
        ("$",),
    ),
    **dict.fromkeys((KnownDirectivesRule, UniqueDirectivesPerLocationRule), ("@",)),
    **dict.fromkeys(
        (KnownArgumentNamesRule, UniqueArgumentNamesRule, UniqueInputFieldNamesRule, ValuesOfCorrectTypeRule), ("(",)
    ),
}
"""The texts that a document has if a rule can find something, at least one of them."""

_UNVISITED: Final = frozenset({"alias", "description", "name"})
VISITED: Final = {
    kind: tuple(key for key in keys if key not in _UNVISITED) for kind, keys in QUERY_DOCUMENT_KEYS.items()
}
"""The members of nodes to visit. Names are half of all nodes, and rules read them from the nodes that they name."""


def rules_for(text: str, rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that can find something in a text."""
    return [rule for rule in rules if rule not in _SIGNS or any(sign in text for sign in _SIGNS[rule])]


def validate_document(
    schema: GraphQLSchema, text: str, document: DocumentNode, rules: Sequence[Rule], most: int
) -> list[GraphQLError]:
    """Return the errors of a document in the order of its nodes. After `most` errors, the last one reports that."""
    errors: list[GraphQLError] = []

    def report(error: GraphQLError) -> None:
        if len(errors) >= most:
            raise ValidationAbortedError(_TOO_MANY)
        errors.append(error)

    types = TypeInfo(schema)
    context = _Context(schema, document, types, report)
    visitors = [rule(context) for rule in rules_for(text, rules)]
    try:
        visit(document, TypeInfoVisitor(types, ParallelVisitor(visitors)), VISITED)
    except ValidationAbortedError as error:
        errors.append(error.with_traceback(None))
    return errors


_TOO_MANY: Final = "Too many validation errors, error limit reached. Validation aborted."


class _Context(ValidationContext):
    """The context of the rules, which looks for variables without visiting names."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, types: TypeInfo, report: Report) -> None:
        super().__init__(schema, document, types, report)
        self._types = types
        self._usages: dict[int, list[VariableUsage]] = {}

    def get_variable_usages(self, node: NodeWithSelectionSet) -> list[VariableUsage]:
        """Return the variables that an operation or a fragment uses itself."""
        found = self._usages.get(id(node))
        if found is None:
            visitor = VariableUsageVisitor(self._types)
            visit(node, TypeInfoVisitor(self._types, visitor), VISITED)
            found = self._usages[id(node)] = visitor.usages
        return found
