"""Recognize code that lets every request pass: it changes the query, continues, and leaves the response unchanged.

Code in any other form is not understood, and may be a guard.
"""

from collections.abc import Sequence
from typing import Any, Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.code.code import QueryChange, Shape
from octavo.v4.code.context import ASSIGNMENTS, HEADERS, Context, NotUnderstood, has_plain_parameters, logs, uses_caller
from octavo.v4.code.data import NotData, value_of
from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    key_of,
    named,
    parameters,
    statements,
    unwrap,
    walk,
)

OPEN_KEYS: Final = frozenset(("populate", "sort", "pagination", "locale"))
"""Parameters that hide no data: their changes can be ignored. `fields` and `filters` hide data."""

_DECLARATIONS: Final = ("lexical_declaration", "variable_declaration")


_UNCHANGED: Final = Shape()


@dataclass(frozen=True, slots=True)
class Flow:
    """The effects of code that lets every request pass: changes of the query, and those that are ignored."""

    shape: Shape = _UNCHANGED
    undone: tuple[str, ...] = ()


def passes_always(module: Module, function: Node) -> bool:
    """Return whether a policy lets every request pass: it returns true or nothing, and only logs."""
    if function.type not in FUNCTIONS or uses_caller(module, function) or not has_plain_parameters(function):
        return False
    body = function.child_by_field_name("body")
    if body is None:
        return False
    if body.type != "statement_block":
        return unwrap(body).type == "true"
    for statement in named(body):
        match statement.type:
            case "return_statement":
                return all(unwrap(value).type in ("true", "undefined") for value in named(statement))
            case "expression_statement" if _only_logs(module, named(statement)[0]):
                continue
            case _:
                return False
    return True


def _only_logs(module: Module, node: Node) -> bool:
    """Return whether an expression only logs existing values."""
    context = Context(module)
    if not logs(module, node) or "console" in context.bindings:
        return False
    try:
        for argument in arguments(node):
            context.check_pure(argument)
    except NotUnderstood:
        return False
    return True


def read_middleware(module: Module, function: Node) -> Flow:
    """Read a middleware `(ctx, next) => ...` that at most changes the query and always continues. Raises
    NotUnderstood."""
    return _Reader(module, function, goes_on=()).read()


def read_action(module: Module, function: Node, action: str) -> Flow:
    """Read an action `(ctx) => ...` that at most changes the query and returns the core action's result.

    Raises NotUnderstood.
    """
    return _Reader(module, function, goes_on=("super", action)).read()


class _Reader:
    def __init__(self, module: Module, function: Node, goes_on: tuple[str, ...]) -> None:
        if function.type not in FUNCTIONS or uses_caller(module, function) or not has_plain_parameters(function):
            raise NotUnderstood
        self._module = module
        self._function = function
        self._context = Context(module)
        self._results: set[str] = set()
        self._changes: list[QueryChange] = []
        self._undone: list[str] = []
        self._replaces = False
        self._gone_on = False
        given = parameters(function)
        for pattern in given:
            self._context.shadow(pattern, pattern, None, constant=False)
        if given:
            self._context.name(given[0], ("ctx",))
        self._is_action = bool(goes_on)
        second = identifier(module, given[1]) if len(given) > 1 and given[1].type == "identifier" else "next"
        self._goes_on = goes_on or (second,)

    def read(self) -> Flow:
        body = self._function.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            self._check_core(unwrap(body))
        else:
            self._read_all(statements(self._function))
        if not self._gone_on:
            raise NotUnderstood
        return Flow(Shape(tuple(self._changes), self._replaces), tuple(dict.fromkeys(self._undone)))

    def _read_all(self, listed: Sequence[Node]) -> None:
        for number, statement in enumerate(listed):
            if self._gone_on and not self._is_action and statement.type != "return_statement":
                self._check_after(statement)
            elif statement.type == "return_statement":
                self._return(statement)
                if number + 1 < len(listed):
                    raise NotUnderstood
            else:
                self._statement(statement)
        if self._is_action and (not listed or listed[-1].type != "return_statement"):
            raise NotUnderstood

    def _statement(self, statement: Node) -> None:
        match statement.type:
            case "empty_statement":
                return
            case "expression_statement":
                self._expression(unwrap(named(statement)[0]))
            case "if_statement":
                self._default(statement)
            case kind if kind in _DECLARATIONS:
                for one in named(statement):
                    self._declare(one, constant=statement.children[0].type == "const")
            case _:
                raise NotUnderstood

    def _check_after(self, statement: Node) -> None:
        """Check that a middleware's code after the response neither rejects nor changes the response."""
        for descendant in walk(statement):
            match descendant.type:
                case "throw_statement" | "return_statement":
                    raise NotUnderstood
                case "identifier" | "shorthand_property_identifier" if self._context.knows(descendant):
                    self._context.check_mention(descendant)
                case "call_expression" | "new_expression":
                    self._context.check_call(descendant)
        self._undone.append("code after the response")

    def _declare(self, one: Node, *, constant: bool) -> None:
        pattern, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if pattern is None or value is None:
            raise NotUnderstood
        value = unwrap(value)
        path = self._context.path(value)
        self._context.shadow(pattern, one, value, constant=constant)
        if self._is_core(value):
            self._gone_on = True
            self._results |= {name for name, _ in names_in(self._module, pattern)}
        elif path:
            self._context.name(pattern, path)
        else:
            self._context.check_pure(value)

    def _expression(self, node: Node) -> None:
        if logs(self._module, node) and "console" not in self._context.bindings:
            for argument in arguments(node):
                self._context.check_pure(argument)
            return
        if node.type in ASSIGNMENTS:
            self._assign(node)
            return
        if (
            node.type == "call_expression"
            and callee(self._module, node)[1:] in HEADERS
            and self._context.is_context_call(node)
        ):
            for argument in arguments(node):
                self._context.check_pure(argument)
            self._undone.append("response headers")
            return
        if self._is_action or not self._is_core(node):
            raise NotUnderstood
        self._gone_on = True

    def _assign(self, node: Node, only_if_absent: bool = False) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or self._gone_on or unwrap(left).type == "identifier":
            raise NotUnderstood  # after the core action, it changes the response
        sign = "=" if operator is None else self._module.text(operator)
        if sign not in ("=", "??=", "||="):
            raise NotUnderstood
        absent = only_if_absent or sign != "="
        match self._context.path(left):
            case ("ctx", "query"):
                self._replace(unwrap(right), absent)
            case ("ctx", "query", key):
                self._change(key, right, absent)
            case _:
                raise NotUnderstood

    def _replace(self, right: Node, absent: bool) -> None:
        if right.type != "object" or absent:
            raise NotUnderstood
        members = named(right)
        spread = next((number for number, item in enumerate(members) if item.type == "spread_element"), None)
        if spread is None:
            self._replaces = True
            self._changes.clear()
        for number, item in enumerate(members):
            if item.type == "spread_element":
                if number != spread or self._context.path(named(item)[0]) != ("ctx", "query"):
                    raise NotUnderstood
                continue
            key, value = item.child_by_field_name("key"), item.child_by_field_name("value")
            name = None if key is None else key_of(self._module, key)
            if item.type == "shorthand_property_identifier":
                name, value = identifier(self._module, item), item
            if name is None or value is None:
                raise NotUnderstood
            if self._context.path(value) == ("ctx", "query", name) and not self._replaces:
                continue  # the caller's parameter
            self._change(name, value, spread is not None and number < spread)

    def _change(self, key: str, value: Node, absent: bool) -> None:
        try:
            said = _as_text(value_of(self._module, value, self._context.bindings))
        except NotData:
            self._context.check_pure(value)
            if not absent and (key not in OPEN_KEYS or self._replaces):
                raise NotUnderstood from None
            self._undone.append(key)
            return
        self._changes.append(QueryChange(key, said, absent))

    def _default(self, statement: Node) -> None:
        """Read `if (!ctx.query.populate) ctx.query.populate = ...`."""
        condition, inner = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
        if condition is None or inner is None or statement.child_by_field_name("alternative") is not None:
            raise NotUnderstood
        asked = self._missing(unwrap(condition))
        for one in named(inner) if inner.type == "statement_block" else [inner]:
            node = unwrap(named(one)[0]) if one.type == "expression_statement" else one
            left = node.child_by_field_name("left")
            if node.type != "assignment_expression" or left is None or self._context.path(left) != asked:
                raise NotUnderstood
            self._assign(node, only_if_absent=True)

    def _missing(self, condition: Node) -> tuple[str, ...]:
        """Return the parameter that a condition tests for being missing."""
        if condition.type == "unary_expression" and self._module.text(condition).startswith("!"):
            path = self._context.path(named(condition)[0])
            if len(path) == 3:
                return path
        raise NotUnderstood

    def _return(self, statement: Node) -> None:
        values = named(statement)
        if not values:
            if self._is_action or not self._gone_on:
                raise NotUnderstood
            return
        self._check_core(unwrap(values[0]))

    def _check_core(self, node: Node) -> None:
        """Check that an expression is the core action's result, or calls `next`."""
        if self._is_core(node):
            self._gone_on = True
        elif not self._is_action or not self._is_result(node):
            raise NotUnderstood

    def _is_result(self, node: Node) -> bool:
        if node.type == "identifier":
            return identifier(self._module, node) in self._results
        if node.type != "object":
            return False
        for member in named(node):
            value = member if member.type == "shorthand_property_identifier" else member.child_by_field_name("value")
            key = value if member.type == "shorthand_property_identifier" else member.child_by_field_name("key")
            if key is None or value is None or unwrap(value).type not in ("identifier", member.type):
                return False
            name = identifier(self._module, unwrap(value))
            if name not in self._results or key_of(self._module, key) != name:
                return False
        return bool(named(node))

    def _is_core(self, node: Node) -> bool:
        """Return whether a node is `await super.find(ctx)` or `await next()`, with or without `await`."""
        if node.type == "await_expression":
            node = unwrap(named(node)[0])
        if node.type != "call_expression" or callee(self._module, node) != self._goes_on:
            return False
        given = arguments(node)
        return len(given) == 1 and self._context.path(given[0]) == ("ctx",) if self._is_action else not given


def _as_text(value: Any) -> Any:
    """Return a value as in a query string. Raises NotData if that is not possible."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return value
        case list():
            return [_as_text(item) for item in value]
        case dict():
            return {key: _as_text(item) for key, item in value.items()}
    raise NotData
