"""Evaluate properties: of objects, lists and texts, of Node and packages, and of the environment."""

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, need, unset
from octavo.v4.javascript.environment import ENVIRONMENT
from octavo.v4.javascript.natives import CONSTANTS, FUNCTIONS, NAMESPACES
from octavo.v4.javascript.semantics import OPEN_ARRAY, Unknown, bounded, check_units, to_text
from octavo.v4.javascript.values import UNDEFINED, Items, Native, Record, Undefined, Value


def member(context: Context, value: Value, key: str, node: Node, scope: Scope) -> Value:
    """Evaluate `value.key` or `value[key]`. Raises `Unknown` if it fails or is unknown, `Holed` for a hole."""
    data = need(value)
    match data:
        case Record():
            found = data.get(key)
            return found if found is not None else context.value(data.rest or UNDEFINED, node, scope)
        case Items() | str() if key == "length":
            if isinstance(data, Items) and data.rest is not None:
                raise Unknown(OPEN_ARRAY)
            length = len(data) if isinstance(data, Items) else len(data.encode("utf-16-le")) // 2
            return context.value(length, node, scope, value.variables)
        case Items():
            return value.at(key)
        case str():
            check_units(data)
            index = int(key) if key.isdigit() and len(key) < 10 else len(data)
            return context.value(data[index] if index < len(data) else UNDEFINED, node, scope, value.variables)
        case Native():
            return of_native(context, data, key, node, scope)
        case None | Undefined():
            raise Unknown(unset(value) or "cannot read properties of null or undefined")
    raise Unknown(f"unknown property {key[:40]}")


def of_native(context: Context, native: Native, key: str, node: Node, scope: Scope) -> Value:
    """Return a property of a native object; for `process.env`, the variable."""
    if native.name == "process.env":
        variable = context.variables.get(key, UNDEFINED)
        return context.value(variable, node, scope, (context.variable(key, node, scope),))
    name = f"{native.name}.{key}"
    if key == "default" and native.name in NAMESPACES | FUNCTIONS.keys():
        return context.value(native, node, scope)
    if name in CONSTANTS:
        return context.value(CONSTANTS[name], node, scope)
    if name in FUNCTIONS or name in NAMESPACES or name in ENVIRONMENT:
        return context.value(Native(name), node, scope)
    raise Unknown(f"{bounded(name)[:60]} is not supported")


def key_text(value: Value) -> str:
    """Return the property name for a computed key."""
    return to_text(need(value))
