"""Evaluate `env()` and its helpers, with v4's conversions of variables."""

from dataclasses import replace

from tree_sitter import Node

from octavo.v4.javascript.context import Answer, Context, Given, NativeFunction, Scope, at, need
from octavo.v4.javascript.natives import from_json
from octavo.v4.javascript.semantics import Unknown, parse_float, parse_int, to_text
from octavo.v4.javascript.values import UNDEFINED, Data, Date, Items, Value


def _read(kind: str) -> NativeFunction:
    def read(context: Context, given: Given, node: Node, scope: Scope) -> Answer:
        name = to_text(at(given, 0))
        default = given[2 if kind == "oneOf" else 1 :][:1]
        if kind == "oneOf":
            _check_one_of(given)
        variable = context.variable(name, node, scope)
        if not variable.is_set:
            if not default:
                return context.value(UNDEFINED, node, scope, (variable,))
            variables = (replace(variable, fallback_used=True), *default[0].variables)
            return Value(default[0].data, default[0].place, variables)
        found = _coerced(context, kind, context.variables[name], given, node, scope)
        if kind == "oneOf" and found is UNDEFINED and default:
            return Value(default[0].data, default[0].place, (variable, *default[0].variables))
        return context.value(found, node, scope, (variable,))

    return read


def _coerced(context: Context, kind: str, text: str, given: Given, node: Node, scope: Scope) -> Data:
    match kind:
        case "int":
            return parse_int(text)
        case "float":
            return parse_float(text)
        case "bool":
            return text == "true"
        case "json":
            return from_json(context, text, node, scope)
        case "array":
            inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
            variables = (context.variable(to_text(at(given, 0)), node, scope),)
            context.spend(node, scope, inner.count(","))
            return Items(context.value(part.strip(" ").strip('"'), node, scope, variables) for part in inner.split(","))
        case "date":
            return Date(text)
        case "oneOf":
            return text if text in _expected(given) else UNDEFINED
    return text


def _expected(given: Given) -> list[Data]:
    expected = at(given, 1)
    if not isinstance(expected, Items):
        raise Unknown("env.oneOf requires an array of values")
    return [need(one) for one in expected]


def _check_one_of(given: Given) -> None:
    if (default := at(given, 2)) and default not in _expected(given):
        raise Unknown("the default of env.oneOf is not one of its values")


ENVIRONMENT: dict[str, NativeFunction] = {
    "env": _read("text"),
    **{f"env.{kind}": _read(kind) for kind in ("int", "float", "bool", "json", "array", "date", "oneOf")},
}
