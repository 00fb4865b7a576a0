"""Size limits of documents, checked before expensive work.

The depth limit works as in v4. The other limits are Octavo's: they bound the cost of validation and execution,
including fragments and repetition, and are far above the needs of applications.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSyntaxError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Source,
    Visitor,
    visit,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS

from octavo.api.graphql.options import Limits
from octavo.core.text_limits import MAX_NUMBER

MOST_ERRORS: Final = 50
"""Maximum number of reported errors."""

SCHEMA_LISTS: Final = frozenset(
    {"types", "fields", "args", "inputFields", "enumValues", "possibleTypes", "interfaces", "directives"}
)
"""The introspection fields whose result grows with the schema."""

Fragments = Mapping[str, FragmentDefinitionNode]


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """Return the fragments of a document by name."""
    definitions = (node for node in document.definitions if isinstance(node, FragmentDefinitionNode))
    return {node.name.value: node for node in definitions}


def operations_of(document: DocumentNode) -> list[OperationDefinitionNode]:
    """Return the operations of a document, in order."""
    return [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]


STRINGS: Final = (
    r'"""(?:[^"\\]++|\\(?:""")?|"(?!""))*(?:"""|$)'  # a block string, possibly unterminated
    r'|"(?!"")[^"\\\n]*+(?:\\.[^"\\\n]*+)*"?'
    r"|#[^\n\r]*+"
)
"""Strings and comments. Runs of characters are possessive, so that matching does not backtrack.

Groups are not: Python up to 3.11.4 matches possessive groups with alternatives incorrectly.
"""

_BRACKETS: Final = re.compile(rf'[^"#{{}}()\[\]]++|{STRINGS}|([{{(\[])|[])}}]', re.DOTALL)


def check_nesting(text: str, limit: int) -> None:
    """Raise an error if brackets are nested too deeply to parse the text safely."""
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        if bracket[1]:
            depth += 1
            if depth > limit:
                raise GraphQLSyntaxError(Source(text), bracket.start(), f"Nested more than {limit} times.")
        elif bracket[0] in "])}":
            depth -= 1


_TOKENS: Final = re.compile(
    r'[^"#.0-9A-Za-z_!$&()\[\]{}:=@|-]*+'
    rf"({STRINGS}|\.\.\.|-?[0-9][0-9.eE+-]*+|[A-Za-z_][0-9A-Za-z_]*+|[-.!$&()\[\]{{}}:=@|]|$)",
    re.DOTALL,
)


def check_tokens(text: str, limit: int) -> None:
    """Raise an error if a text has too many tokens, before it is parsed: counting is much cheaper.

    Also for a name or a number that is too long.
    """
    if len(text) <= min(limit, MAX_NUMBER):
        return
    for count, token in enumerate(_TOKENS.finditer(text)):
        start, end = token.span(1)
        if end - start > MAX_NUMBER and text[start] not in '"#':
            message = f"A name or number is longer than {MAX_NUMBER} characters."
            raise GraphQLSyntaxError(Source(text), start, message)
        if count == limit and start < end:
            message = f"Document contains more than {limit} tokens. Parsing aborted."
            raise GraphQLSyntaxError(Source(text), start, message)


def count_tokens(text: str) -> int:
    """Return the number of tokens and comments in a text."""
    return sum(1 for token in _TOKENS.finditer(text) if token[1])


_COUNTED: Final = {
    **QUERY_DOCUMENT_KEYS,
    "field": ("directives", "selection_set"),
    "fragment_spread": ("directives",),
    "operation_definition": ("variable_definitions", "directives", "selection_set"),
    "variable_definition": ("directives",),
    "directive": (),
}
"""The members of nodes with something to count: no names, arguments and types."""


def check_size(document: DocumentNode, limits: Limits) -> list[GraphQLError]:
    """Return why a document is too large, or no errors."""
    written = _Written()
    visit(document, written, _COUNTED)
    try:
        written.check(limits)
        measure = _Measure(fragments_of(document), limits)
        for operation in operations_of(document):
            measure.place([(operation.selection_set, 0)])
    except _TooLarge as error:
        return [GraphQLError(str(error))]
    return []


class _TooLarge(Exception):
    pass


class _Written(Visitor):
    """Counts nodes as written, without expanding fragments."""

    def __init__(self) -> None:
        super().__init__()
        self._aliases = 0
        self._operations = 0
        self._variables = 0
        self._directives = 0
        self._spreads: dict[str, set[str]] = {}
        self._inside: str | None = None

    def enter_field(self, node: FieldNode, *_: object) -> None:
        """Count a field's alias."""
        self._aliases += node.alias is not None

    def enter_operation_definition(self, *_: object) -> None:
        """Count an operation."""
        self._operations += 1
        self._inside = None

    def enter_variable_definition(self, *_: object) -> None:
        """Count a variable."""
        self._variables += 1

    def enter_directive(self, *_: object) -> None:
        """Count a directive."""
        self._directives += 1

    def enter_fragment_definition(self, node: FragmentDefinitionNode, *_: object) -> None:
        """Record a fragment."""
        self._inside = node.name.value
        self._spreads[self._inside] = set()

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        """Record a fragment spread in a fragment."""
        if self._inside is not None:
            self._spreads[self._inside].add(node.name.value)

    def check(self, limits: Limits) -> None:
        """Raise an error if a limit is exceeded."""
        counts = (
            (self._aliases, limits.aliases, "aliases"),
            (self._operations, limits.operations, "operations"),
            (self._variables, limits.variables, "variables"),
            (self._directives, limits.directives, "directives"),
            (len(self._spreads), limits.fragments, "fragments"),
        )
        for count, most, noun in counts:
            if count > most:
                raise _TooLarge(f"The document has more than {most} {noun}")
        lengths: dict[str, int] = {}
        for name in self._spreads:
            self._chain(name, lengths, (), limits.nesting)

    def _chain(self, name: str, lengths: dict[str, int], inside: tuple[str, ...], most: int) -> int:
        """Return how deeply fragments are nested. Cycles count once."""
        if name not in lengths:
            if len(inside) > most:
                raise _TooLarge(f"Fragments are nested more than {most} times")
            lengths[name] = 0
            within = (self._chain(item, lengths, (*inside, name), most) for item in self._spreads.get(name, ()))
            lengths[name] = 1 + max(within, default=0)
        if len(inside) + lengths[name] > most:
            raise _TooLarge(f"Fragments are nested more than {most} times")
        return lengths[name]


class _Measure:
    """Counts the fields of a document as execution would merge them, and stops when a limit is exceeded."""

    def __init__(self, fragments: Fragments, limits: Limits) -> None:
        self._fragments = fragments
        self._limits = limits
        self._selected = 0
        self._comparisons = 0
        self._schema_lists = 0

    def place(self, sets: Sequence[tuple[SelectionSetNode, int]], *, in_schema: bool = False) -> None:
        """Merge fields with the same response key and count their selections.

        Each set comes with its number of steps so far.
        """
        named: dict[str, list[tuple[FieldNode, int]]] = {}
        for selections, steps in sets:
            for field, taken in self._expanded(selections, steps, ()):
                named.setdefault((field.alias or field.name).value, []).append((field, taken))
        if sets[0][1] == 0 and len(named) > self._limits.root_fields:
            raise _TooLarge(f"The operation has more than {self._limits.root_fields} root fields")
        for fields in named.values():
            self._compare(len(fields))
            name = fields[0][0].name.value
            if in_schema and name in SCHEMA_LISTS:
                self._count_schema_list()
            below = [(field.selection_set, taken + 1) for field, taken in fields if field.selection_set]
            if below:
                self.place(below, in_schema=in_schema or name == "__schema")

    def _expanded(
        self, selections: SelectionSetNode, steps: int, inside: tuple[str, ...]
    ) -> Iterator[tuple[FieldNode, int]]:
        """Yield the fields with fragments expanded. Cycles are expanded once: validation rejects them."""
        if steps > self._limits.nesting:
            raise _TooLarge(f"The operation is nested more than {self._limits.nesting} times")
        for node in selections.selections:
            self._count()
            if isinstance(node, FieldNode):
                yield node, steps
            elif isinstance(node, InlineFragmentNode):
                yield from self._expanded(node.selection_set, steps + 1, inside)
            elif isinstance(node, FragmentSpreadNode):
                name = node.name.value
                fragment = self._fragments.get(name)
                if fragment and name not in inside:
                    yield from self._expanded(fragment.selection_set, steps + 1, (*inside, name))

    def _count(self) -> None:
        self._selected += 1
        if self._selected > self._limits.fields:
            raise _TooLarge(f"The document selects more than {self._limits.fields} fields")

    def _count_schema_list(self) -> None:
        self._schema_lists += 1
        if self._schema_lists > self._limits.schema_lists:
            raise _TooLarge("The document queries too much of the schema")

    def _compare(self, count: int) -> None:
        self._comparisons += count * (count - 1) // 2
        if self._comparisons > self._limits.comparisons:
            raise _TooLarge("The document selects the same fields too often")


def check_depth(document: DocumentNode, limit: int) -> list[GraphQLError]:
    """Return an error for each selection deeper than the limit. Introspection is not counted."""
    depth = _Depth(fragments_of(document), limit)
    for operation in operations_of(document):
        name = operation.name.value if operation.name else ""
        depth.check(operation.selection_set, f"'{name}' exceeds maximum operation depth of {limit}")
    return depth.errors


class _Depth:
    def __init__(self, fragments: Fragments, limit: int) -> None:
        self.errors: list[GraphQLError] = []
        self._fragments = fragments
        self._limit = limit
        self._heights: dict[str, int] = {}

    def check(self, selections: SelectionSetNode, message: str) -> None:
        """Report selections that are too deep.

        Only branches beyond the limit are visited, so each step finds an error.
        """
        self._walk(selections, 0, message)

    def _walk(self, selections: SelectionSetNode, depth: int, message: str) -> None:
        for node in selections.selections:
            if len(self.errors) >= MOST_ERRORS:
                return
            if depth + self._height(node) <= self._limit:
                continue
            below = self._below(node)
            if depth > self._limit or below is None:
                self.errors.append(GraphQLError(message, node))
            else:
                self._walk(below, depth + isinstance(node, FieldNode), message)

    def _below(self, node: SelectionNode) -> SelectionSetNode | None:
        if isinstance(node, FragmentSpreadNode):
            fragment = self._fragments.get(node.name.value)
            return fragment.selection_set if fragment else None
        return node.selection_set if isinstance(node, FieldNode | InlineFragmentNode) else None

    def _height(self, node: SelectionNode) -> int:
        """Return the depth below a selection, negative for selections that are not counted."""
        if isinstance(node, FieldNode):
            if node.name.value.startswith("__"):
                return -1
            return 1 + self._highest(node.selection_set) if node.selection_set else 0
        if isinstance(node, FragmentSpreadNode):
            return self._fragment_height(node.name.value)
        return max(self._highest(self._below(node)), 0)

    def _highest(self, selections: SelectionSetNode | None) -> int:
        return max((self._height(node) for node in selections.selections), default=-1) if selections else -1

    def _fragment_height(self, name: str) -> int:
        """Return the depth of a fragment, computed once. Cycles have no depth: validation rejects them."""
        if name not in self._heights:
            self._heights[name] = 0
            fragment = self._fragments.get(name)
            self._heights[name] = max(self._highest(fragment.selection_set), 0) if fragment else 0
        return self._heights[name]
