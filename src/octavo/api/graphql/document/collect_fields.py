"""Collect the fields of selection sets by response key, with fragments and directives applied."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    InlineFragmentNode,
    NamedTypeNode,
    SelectionNode,
    SelectionSetNode,
)
from graphql.execution.values import get_argument_values, get_directive_values

from octavo.core.values import dataclass

TYPENAME = "__typename"


@dataclass(frozen=True, slots=True)
class Selected:
    """A response key: the field, and all nodes that select it. Their selection sets are merged."""

    key: str
    name: str
    nodes: tuple[FieldNode, ...]

    @property
    def node(self) -> FieldNode:
        """The first node. Validation ensures that all have the same arguments."""
        return self.nodes[0]

    @property
    def selection_sets(self) -> tuple[SelectionSetNode, ...]:
        """The selection sets of all nodes."""
        return tuple(node.selection_set for node in self.nodes if node.selection_set is not None)


@dataclass(frozen=True, slots=True)
class Selections:
    """Collects the fields of one operation. `variables` are coerced."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: dict[str, Any]
    lift_filters: Callable[[FieldNode, Any], Any] | None = None
    """Marks filter values that come from variables."""
    given: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    """Arguments from project code that replace those in the document, by the field's node."""

    def of(self, parent: GraphQLObjectType, selection_sets: Iterable[SelectionSetNode]) -> list[Selected]:
        """Return the selected fields of `parent`, in response order."""
        by_key: dict[str, list[FieldNode]] = {}
        seen: set[str] = set()
        for selection_set in selection_sets:
            self._collect(parent, selection_set.selections, by_key, seen)
        return [Selected(key, nodes[0].name.value, tuple(nodes)) for key, nodes in by_key.items()]

    def arguments(self, field: GraphQLField, selected: Selected) -> dict[str, Any]:
        """Return the coerced arguments of a field. Raises GraphQLError."""
        replaced = self.given.get(id(selected.node)) if self.given else None
        if replaced is not None:
            return replaced
        arguments = get_argument_values(field, selected.node, self.variables)
        if self.lift_filters is not None and arguments.get("filters"):
            arguments["filters"] = self.lift_filters(selected.node, arguments["filters"])
        return arguments

    def _collect(
        self,
        parent: GraphQLObjectType,
        selections: Iterable[SelectionNode],
        found: dict[str, list[FieldNode]],
        seen: set[str],
    ) -> None:
        for node in selections:
            if not self._is_included(node):
                continue
            match node:
                case FieldNode():
                    found.setdefault(node.alias.value if node.alias else node.name.value, []).append(node)
                case InlineFragmentNode():
                    condition: NamedTypeNode | None = node.type_condition  # the library's type hints omit None
                    if condition is None or self._applies(condition.name.value, parent):
                        self._collect(parent, node.selection_set.selections, found, seen)
                case FragmentSpreadNode():
                    self._spread(parent, node.name.value, found, seen)

    def _spread(self, parent: GraphQLObjectType, name: str, found: dict[str, list[FieldNode]], seen: set[str]) -> None:
        fragment = self.fragments[name]
        if name not in seen and self._applies(fragment.type_condition.name.value, parent):
            seen.add(name)
            self._collect(parent, fragment.selection_set.selections, found, seen)

    def _applies(self, condition: str, parent: GraphQLObjectType) -> bool:
        if condition == parent.name:
            return True
        named = self.schema.get_type(condition)
        return named is not None and self.schema.is_sub_type(named, parent)  # type: ignore[arg-type]

    def _is_included(self, node: SelectionNode) -> bool:
        if not node.directives:
            return True
        skip = get_directive_values(GraphQLSkipDirective, node, self.variables)
        if skip and skip["if"] is True:
            return False
        include = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return not (include and include["if"] is False)
