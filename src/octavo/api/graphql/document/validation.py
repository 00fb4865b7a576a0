"""Validate documents as graphql-core does, with the same errors in less time.

Rules that cannot find anything in a text are left out, such as those for variables in a text without a dollar sign, and
nodes that no rule is interested in are not visited.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from graphql import (
    BREAK,
    SKIP,
    DocumentNode,
    FragmentsOnCompositeTypesRule,
    GraphQLError,
    GraphQLSchema,
    KnownArgumentNamesRule,
    KnownDirectivesRule,
    KnownFragmentNamesRule,
    Node,
    NoFragmentCyclesRule,
    NoUndefinedVariablesRule,
    NoUnusedFragmentsRule,
    NoUnusedVariablesRule,
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
    Visitor,
    visit,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS
from graphql.language.visitor import EnterLeaveVisitor
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
    visitor = _RulesVisitor(types, [rule(context) for rule in rules_for(text, rules)])
    try:
        visit(document, visitor, VISITED)
    except ValidationAbortedError as error:
        errors.append(error.with_traceback(None))
    return errors


_TOO_MANY: Final = "Too many validation errors, error limit reached. Validation aborted."


@lru_cache(maxsize=1024)
def _methods(rules: tuple[Rule, ...], kind: str) -> tuple[tuple[int, str | None, str | None], ...]:
    """Return the positions of the rules with methods for a kind of nodes, and the names of these methods."""
    methods = []
    for position, rule in enumerate(rules):
        enter, leave = (
            next((name for name in (f"{verb}_{kind}", verb) if getattr(rule, name, None)), None)
            for verb in ("enter", "leave")
        )
        if enter or leave:
            methods.append((position, enter, leave))
    return tuple(methods)


def _skipped_node(result: object, node: Node) -> object:
    """Return what a rule that returned a result no longer visits: the rest of a node, or `BREAK` for everything."""
    if result is SKIP or result is False:
        return node
    return BREAK if result is BREAK or result is True else None


class _RulesVisitor(Visitor):
    """Visits nodes with rules, as a `TypeInfoVisitor` with a `ParallelVisitor` does.

    These create the methods for each kind of nodes from all rules, for every document. Most rules have none.
    """

    def __init__(self, types: TypeInfo, rules: Sequence[ASTValidationRule]) -> None:
        super().__init__()
        self._types = types
        self._rules = rules
        self._classes = tuple(map(type, rules))
        self._skipped: list[Any] = [None] * len(rules)

    def get_enter_leave_for_kind(self, kind: str) -> EnterLeaveVisitor:
        """Return the functions that visit the nodes of a kind."""
        visitor_of_kind = self.enter_leave_map.get(kind)
        if visitor_of_kind is None:
            visitor_of_kind = self.enter_leave_map[kind] = self._merge(kind)
        return visitor_of_kind

    def _merge(self, kind: str) -> EnterLeaveVisitor:
        types, rules, skipped = self._types, self._rules, self._skipped
        methods = [
            (position, enter and getattr(rules[position], enter), leave and getattr(rules[position], leave))
            for position, enter, leave in _methods(self._classes, kind)
        ]

        def enter(node: Node, *args: Any) -> None:
            types.enter(node)
            for position, method, _ in methods:
                if method and skipped[position] is None:
                    result = method(node, *args)
                    if result is not None:
                        skipped[position] = _skipped_node(result, node)

        def leave(node: Node, *args: Any) -> None:
            for position, _, method in methods:
                if skipped[position] is node:
                    skipped[position] = None
                elif method and skipped[position] is None:
                    result = method(node, *args)
                    if result is BREAK or result is True:
                        skipped[position] = BREAK
            types.leave(node)

        return EnterLeaveVisitor(enter, leave)


class _Context(ValidationContext):
    """The context of the rules, which looks for variables without visiting names."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, types: TypeInfo, report: Report) -> None:
        super().__init__(schema, document, types, report)
        self._types = types
        self._usages: dict[int, list[VariableUsage]] = {}

    def get_variable_usages(self, node: NodeWithSelectionSet) -> list[VariableUsage]:
        """Return the variables that an operation or a fragment uses itself."""
        usages = self._usages.get(id(node))
        if usages is None:
            visitor = VariableUsageVisitor(self._types)
            visit(node, TypeInfoVisitor(self._types, visitor), VISITED)
            usages = self._usages[id(node)] = visitor.usages
        return usages
