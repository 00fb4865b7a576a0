"""Evaluate expressions, by the type of their node."""

from collections.abc import Callable
from itertools import pairwise

from tree_sitter import Node

from octavo.v4.javascript.calls import chain
from octavo.v4.javascript.context import Context, Holed, Scope, hole_of, need
from octavo.v4.javascript.members import key_text
from octavo.v4.javascript.methods import spread_items
from octavo.v4.javascript.natives import GLOBALS, spread_into
from octavo.v4.javascript.patterns import remove, store
from octavo.v4.javascript.semantics import (
    ACCESSORS,
    OPERATORS,
    RUN_TIME,
    SYNTAX,
    Unknown,
    bounded,
    is_truthy,
    to_text,
    unary,
)
from octavo.v4.javascript.syntax import fragment, identifier, joined, key_of, named, string_value
from octavo.v4.javascript.taint import taint, taint_acts
from octavo.v4.javascript.values import UNDEFINED, Data, Function, Items, Record, Regex, Value, joined_variables, number

Evaluate = Callable[[Context, Node, Scope], Value]


def part(node: Node, name: str) -> Node:
    """Return a child of a node that the grammar guarantees."""
    child = node.child_by_field_name(name)
    if child is None:
        raise Unknown(SYNTAX)
    return child


def _string(context: Context, node: Node, scope: Scope) -> Value:
    return context.value(string_value(scope.module, node) or "", node, scope)


def _number(context: Context, node: Node, scope: Scope) -> Value:
    text = scope.module.text(node).replace("_", "").lower()
    try:
        if text[:2] in ("0x", "0o", "0b"):
            found: float = int(text, 0) if len(text) < 40 else float("nan")
        elif text.isdigit() and text.startswith("0") and len(text) > 1:
            found = int(text, 8 if not set(text) & set("89") else 10)
        else:
            found = float(text)
    except ValueError:
        raise Unknown("unsupported number literal") from None
    return context.value(number(float(found)), node, scope)


def _template(context: Context, node: Node, scope: Scope) -> Value:
    parts, values = [], []
    for child in named(node):
        if child.type == "template_substitution":
            values.append(context.evaluate(named(child)[0], scope))
            parts.append(to_text(need(values[-1])))
        else:
            parts.append(fragment(scope.module, child))
    return context.value(joined(bounded("".join(parts))), node, scope, joined_variables(values))


def _regex(context: Context, node: Node, scope: Scope) -> Value:
    flags = node.child_by_field_name("flags")
    regex = Regex(scope.module.text(part(node, "pattern")), scope.module.text(flags) if flags is not None else "")
    return context.value(regex, node, scope)


def _object(context: Context, node: Node, scope: Scope) -> Value:
    record = Record()
    for child in named(node):
        match child.type:
            case "spread_element":
                spread_into(context, record, context.evaluate(named(child)[0], scope), child, scope)
            case "pair":
                _put(context, record, part(child, "key"), context.evaluate(part(child, "value"), scope), scope)
            case "shorthand_property_identifier":
                record[identifier(scope.module, child)] = _name(context, child, scope)
            case "method_definition":
                method = context.value(Function(child, scope.module, scope), child, scope)
                if child.children[0].type in ("get", "set"):
                    method = context.hole(child, scope, ACCESSORS)
                _put(context, record, part(child, "name"), method, scope)
            case _:
                raise Unknown("unsupported object entry")
    return context.value(record, node, scope)


def _put(context: Context, record: Record, key: Node, value: Value, scope: Scope) -> None:
    name = key_of(scope.module, key)
    if name is None:
        computed = context.evaluate(named(key)[0], scope)
        if computed.hole is not None:
            spread_into(context, record, computed, key, scope)
            return
        name = to_text(computed.data)
    elif key.type == "number":
        name = to_text(_number(context, key, scope).data)
    record[name] = value


def _array(context: Context, node: Node, scope: Scope) -> Value:
    items = Items()
    tokens = [child.type for child in node.children if child.type != "comment"]
    if any(token == "," and before in (",", "[") for before, token in pairwise(tokens)):
        raise Unknown("arrays with holes are not supported")
    for child in named(node):
        if child.type == "spread_element":
            spread_items(context, items, context.evaluate(named(child)[0], scope), child, scope)
        else:
            items.append(context.evaluate(child, scope))
    return context.value(items, node, scope)


def _name(context: Context, node: Node, scope: Scope) -> Value:
    name = identifier(scope.module, node)
    owner = scope.owner(name)
    if owner is not None:
        return owner.names[name]
    if name == "__dirname":
        return context.value(context.dirname(scope.module).as_posix(), node, scope)
    if name == "__filename" and scope.module.path is not None:
        return context.value((context.dirname(scope.module) / scope.module.path.name).as_posix(), node, scope)
    if name in GLOBALS:
        return context.value(GLOBALS[name], node, scope)
    raise Unknown("the variable is not declared in the file" if name != "strapi" else RUN_TIME)


def _function(context: Context, node: Node, scope: Scope) -> Value:
    return context.value(Function(node, scope.module, scope), node, scope)


def _binary(context: Context, node: Node, scope: Scope) -> Value:
    operator = part(node, "operator").type
    left = context.evaluate(part(node, "left"), scope)
    if operator in ("||", "&&", "??"):
        return _choose(context, operator, left, part(node, "right"), scope)
    right = context.evaluate(part(node, "right"), scope)
    if operator not in OPERATORS:
        raise Unknown(f"unsupported operator {operator}")
    return context.value(OPERATORS[operator](need(left), need(right)), node, scope, joined_variables((left, right)))


def _choose(context: Context, operator: str, left: Value, right: Node, scope: Scope) -> Value:
    """Return the left or the right value; the right one is only evaluated if needed. With `||` and `??` it is a
    fallback."""
    if left.hole is not None:
        taint_acts(context, [right], scope, left.hole)
    data = need(left)
    if operator == "&&":
        return context.evaluate(right, scope) if is_truthy(data) else left
    if is_truthy(data) if operator == "||" else left.is_given:
        return left
    chosen = context.evaluate(right, scope)
    return Value(chosen.data, chosen.place, tuple(dict.fromkeys((*left.with_fallback(), *chosen.variables))))


def _ternary(context: Context, node: Node, scope: Scope) -> Value:
    condition, branches = (
        context.evaluate(part(node, "condition"), scope),
        [part(node, "consequence"), part(node, "alternative")],
    )
    if condition.hole is not None:
        taint_acts(context, branches, scope, condition.hole)
    return context.evaluate(branches[0 if is_truthy(need(condition)) else 1], scope)


def _unary(context: Context, node: Node, scope: Scope) -> Value:
    operator, argument = part(node, "operator").type, part(node, "argument")
    if operator == "delete":
        remove(context, argument, scope)
        return context.value(True, node, scope)
    if operator == "typeof" and argument.type == "identifier":
        name = identifier(scope.module, argument)
        if scope.owner(name) is None and name not in GLOBALS and name != "strapi":
            return context.value("undefined", node, scope)
    value = context.evaluate(argument, scope)
    return context.value(unary(operator, need(value)), node, scope, value.variables)


def _assignment(context: Context, node: Node, scope: Scope) -> Value:
    value = context.evaluate(part(node, "right"), scope)
    _store(context, node, value, scope)
    return value


def _store(context: Context, node: Node, value: Value, scope: Scope) -> None:
    try:
        store(context, part(node, "left"), value, scope)
    except (Unknown, Holed) as unknown:
        taint(context, node, scope, hole_of(context, unknown, node, scope))
        raise


def _augmented(context: Context, node: Node, scope: Scope) -> Value:
    left, operator = part(node, "left"), part(node, "operator").type.removesuffix("=")
    old = context.evaluate(left, scope)
    if operator in ("||", "&&", "??"):
        value = _choose(context, operator, old, part(node, "right"), scope)
    else:
        right = context.evaluate(part(node, "right"), scope)
        data: Data = OPERATORS[operator](need(old), need(right))
        value = context.value(data, node, scope, joined_variables((old, right)))
    _store(context, node, value, scope)
    return value


def _sequence(context: Context, node: Node, scope: Scope) -> Value:
    return [context.evaluate(child, scope) for child in named(node)][-1]


def _inner(context: Context, node: Node, scope: Scope) -> Value:
    return context.evaluate(named(node)[0], scope)


def _constant(data: Data) -> Evaluate:
    return lambda context, node, scope: context.value(data, node, scope)


def _computed_key(context: Context, node: Node, scope: Scope) -> Value:
    return context.value(key_text(context.evaluate(named(node)[0], scope)), node, scope)


EXPRESSIONS: dict[str, Evaluate] = {
    "string": _string,
    "number": _number,
    "true": _constant(True),
    "false": _constant(False),
    "null": _constant(None),
    "undefined": _constant(UNDEFINED),
    "template_string": _template,
    "regex": _regex,
    "object": _object,
    "array": _array,
    "identifier": _name,
    "shorthand_property_identifier": _name,
    "arrow_function": _function,
    "function_expression": _function,
    "function_declaration": _function,
    "member_expression": chain,
    "subscript_expression": chain,
    "call_expression": chain,
    "new_expression": chain,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "sequence_expression": _sequence,
    "await_expression": _inner,
    "computed_property_name": _computed_key,
}
