"""Recognize `findOne` actions that look up an entry by a slug instead of its id, as many projects do.

The core action may return the same entry by id, so it can replace such an action.
"""

from typing import Final

from tree_sitter import Node

from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType
from octavo.v4.code.describing import called
from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    is_open,
    member_path,
    named,
    parameters,
    properties,
    statements,
    string_value,
    unwrap,
)

_DECLARATIONS: Final = ("lexical_declaration", "variable_declaration")
_FINDERS: Final = (("strapi", "db", "query", "findOne"), ("strapi", "query", "findOne"))
_STEPS: Final = (("this", "sanitizeOutput"), ("this", "transformResponse"))
_SLUGS: Final = frozenset(("id", "slug"))
_DEEPEST: Final = 6


def finds_by_slug(module: Module, function: Node, content_type: ContentType) -> bool:
    """Return whether an action only returns the entry of its content type whose slug is in the path.

    A slug is public by design: an attribute of type `uid`, or one named `slug`. Any other attribute (a token, an
    unguessable number) may protect an entry.
    """
    given = parameters(function) if function.type in FUNCTIONS else []
    if len(given) != 1 or given[0].type != "identifier":
        return False
    return _Reader(module, content_type, identifier(module, given[0])).reads(statements(function), 0)


class _Reader:
    def __init__(self, module: Module, content_type: ContentType, context: str) -> None:
        self._module = module
        self._uid = content_type.uid
        kinds = content_type.attributes
        self._keys = _SLUGS | {
            name for name, attribute in kinds.items() if isinstance(attribute, Scalar) and attribute.type == "uid"
        }
        self._context = context
        self._given: set[str] = set()
        """Names with values from the path."""
        self._entries: set[str] = set()

    def reads(self, listed: list[Node], depth: int) -> bool:
        """Return whether these statements look up the entry and return it, and do nothing else."""
        answers = False
        for statement in listed:
            match statement.type:
                case kind if kind in _DECLARATIONS:
                    if not all(self._declares(one) for one in named(statement)):
                        return False
                case "return_statement":
                    values = named(statement)
                    return len(values) == 1 and self._is_entry(unwrap(values[0]), 0)
                case "if_statement" if depth < _DEEPEST and statement.child_by_field_name("alternative") is None:
                    if not self._guarded(statement, depth):
                        return False
                    answers = True
                case _:
                    return False
        return answers

    def _guarded(self, statement: Node, depth: int) -> bool:
        """Return whether a node is `if (entity) { ... }`."""
        condition, inner = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
        if condition is None or inner is None or not self._is_name(unwrap(condition), self._entries):
            return False
        return self.reads(named(inner) if inner.type == "statement_block" else [inner], depth + 1)

    def _declares(self, one: Node) -> bool:
        pattern, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if pattern is None or value is None:
            return False
        names = {name for name, _ in names_in(self._module, pattern)}
        value = unwrap(value)
        path = member_path(self._module, value)
        if path[:1] == (self._context,) and path[1:2] in (("params",), ("query",)):
            self._given |= names if path[1] == "params" else set()
            return True
        if pattern.type == "identifier" and (self._finds(value) or self._is_entry(value, 0)):
            self._entries |= names
            return True
        return False

    def _is_name(self, node: Node, names: set[str]) -> bool:
        return node.type == "identifier" and identifier(self._module, node) in names

    def _is_entry(self, node: Node, depth: int) -> bool:
        """Return whether a node is the entry, unchanged or passed through the core controller's methods."""
        if node.type == "await_expression":
            node = unwrap(named(node)[0])
        if self._is_name(node, self._entries):
            return True
        if depth > _DEEPEST or node.type != "call_expression" or callee(self._module, node) not in _STEPS:
            return False
        given = arguments(node)
        return bool(given) and self._is_entry(unwrap(given[0]), depth + 1)

    def _finds(self, node: Node) -> bool:
        """Return whether a node is `await strapi.db.query(uid).findOne({ where: { slug: id }, populate })`."""
        if node.type != "await_expression":
            return False
        call = unwrap(named(node)[0])
        if call.type != "call_expression" or called(self._module, call) not in _FINDERS:
            return False
        function = call.child_by_field_name("function")
        query = None if function is None else function.child_by_field_name("object")
        of = arguments(unwrap(query)) if query is not None else []
        given = arguments(call)
        if len(of) != 1 or string_value(self._module, of[0]) != self._uid or len(given) != 1:
            return False
        asked = unwrap(given[0])
        if asked.type != "object" or is_open(self._module, asked):
            return False
        members = properties(self._module, asked)
        return (
            members.keys() <= {"where", "populate"} and "where" in members and self._is_slug(unwrap(members["where"]))
        )

    def _is_slug(self, node: Node, depth: int = 0) -> bool:
        """Return whether a node is `{ slug: id }`, or several of these in `$or`: only the path selects the entry."""
        if node.type != "object" or is_open(self._module, node):
            return False
        members = properties(self._module, node)
        if members.keys() == {"$or"}:
            listed = unwrap(members["$or"])
            return listed.type == "array" and not depth and all(self._is_slug(unwrap(one), 1) for one in named(listed))
        return len(members) == 1 and all(
            name in self._keys and self._is_given(unwrap(value)) for name, value in members.items()
        )

    def _is_given(self, node: Node) -> bool:
        if node.type in ("identifier", "shorthand_property_identifier"):
            return identifier(self._module, node) in self._given
        return member_path(self._module, node)[:2] == (self._context, "params")
