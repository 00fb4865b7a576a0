"""Evaluate chains of properties and calls: `a.b?.c(d)[e]`."""

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Holed, Scope, hole_of, need
from octavo.v4.javascript.members import key_text, member
from octavo.v4.javascript.methods import call_method, spread_items
from octavo.v4.javascript.semantics import SYNTAX, Unknown
from octavo.v4.javascript.syntax import identifier, named, unwrap
from octavo.v4.javascript.taint import taint
from octavo.v4.javascript.values import UNDEFINED, Function, Items, Native, Record, Value

LINKS = ("member_expression", "subscript_expression", "call_expression", "new_expression")


def chain(context: Context, node: Node, scope: Scope) -> Value:
    """Evaluate a chain; `undefined` if a `?.` ends it."""
    link = _link(context, node, scope)
    return link if link is not None else context.value(UNDEFINED, node, scope)


def _link(context: Context, node: Node, scope: Scope) -> Value | None:
    """Evaluate one link of a chain, or return None if a `?.` at or before it has ended the chain."""
    if node.type not in LINKS:
        return context.evaluate(node, scope)
    if node.type in ("call_expression", "new_expression"):
        try:
            return _call(context, node, scope)
        except (Unknown, Holed) as unknown:
            taint(context, node, scope, hole_of(context, unknown, node, scope))
            raise
    below = _below(context, node, scope)
    if below is None or (_is_optional(node) and not below.is_given):
        return None
    return member(context, below, _key(context, node, scope), node, scope)


def _below(context: Context, node: Node, scope: Scope) -> Value | None:
    below = node.child_by_field_name("object")
    if below is None:
        raise Unknown(SYNTAX)
    if below.type in LINKS:
        context.spend(node, scope)
        return _link(context, below, scope)
    return context.evaluate(below, scope)


def _is_optional(node: Node) -> bool:
    return any(child.type in ("optional_chain", "?.") for child in node.children)


def _key(context: Context, node: Node, scope: Scope) -> str:
    if node.type == "member_expression" and (name := node.child_by_field_name("property")) is not None:
        return identifier(scope.module, name)
    index = node.child_by_field_name("index")
    if index is None:
        raise Unknown(SYNTAX)
    return key_text(context.evaluate(index, scope))


def _call(context: Context, node: Node, scope: Scope) -> Value | None:
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if called is None:
        raise Unknown(SYNTAX)
    called = unwrap(called)
    receiver: Value | None = None
    if called.type == "import":
        function: Value | None = context.value(Native("require"), node, scope)
    elif called.type in ("member_expression", "subscript_expression"):
        receiver = _below(context, called, scope)
        if receiver is None or (_is_optional(called) and not receiver.is_given):
            return None
        key = _key(context, called, scope)
        if isinstance(receiver.data, Native | Record):
            function = member(context, receiver, key, called, scope)
        else:
            return call_method(context, receiver, key, given(context, node, scope), node, scope)
        if isinstance(receiver.data, Record) and function.is_undefined:
            return call_method(context, receiver, key, given(context, node, scope), node, scope)
    else:
        function = _link(context, called, scope)
    if function is None or (_is_optional(node) and not function.is_given):
        return None
    if not isinstance(need(function), Function | Native):
        raise Unknown("the called value is not a function")
    return context.invoke(function, given(context, node, scope), node, scope)


def given(context: Context, node: Node, scope: Scope) -> list[Value]:
    """Evaluate the arguments of a call."""
    items = Items()
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type != "arguments":
        raise Unknown("tagged templates are not supported")
    for child in named(arguments) if arguments is not None else []:
        if child.type == "spread_element":
            spread_items(context, items, context.evaluate(named(child)[0], scope), child, scope)
        else:
            items.append(context.evaluate(child, scope))
    if items.rest is not None:
        raise Holed(items.rest)
    return list(items)
