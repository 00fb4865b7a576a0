"""Translate list methods with a callback to comprehensions, and destructured parameters."""

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.python import Binds, Py, text_literal
from octavo.v4.adoption.drafts.scope import Frame, Scope, Untranslated
from octavo.v4.javascript.syntax import FUNCTIONS, arguments, identifier, key_of, named, parameters, unwrap

EACH: Final = frozenset(("map", "filter", "find", "some", "every", "flatMap"))
"""Methods that call a function for each item of a list."""
_SHORT: Final = {"map": "", "filter": "", "find": "next", "some": "any", "every": "all"}


def each(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate `list.map(item => ...)` and similar methods to comprehensions."""
    given = arguments(node)
    if not given:
        raise Untranslated(node, f"`{name}` without a function")
    inner = scope.inner()
    variable, value = _applied(inner, given[0], "entry" if base.kind == "entries" else "")
    source = base.within(Binds.OR)
    if name == "map":
        return Py(f"[{value.text} for {variable} in {source}]", kind="list")
    if name == "flatMap":
        return Py(f"[part for {variable} in {source} for part in {value.within(Binds.OR)}]", kind="list")
    if name == "filter":
        return Py(f"[{variable} for {variable} in {source} if {value.within(Binds.OR)}]", kind=base.kind or "list")
    if "await " in value.text:
        raise Untranslated(node, f"cannot translate `{name}` with an async function")
    if name == "find":
        kind = "entry" if base.kind == "entries" else ""
        return Py(f"next(({variable} for {variable} in {source} if {value.within(Binds.OR)}), None)", kind=kind)
    return Py(f"{_SHORT[name]}({value.text} for {variable} in {source})", kind="bool")


def _applied(scope: Scope, function: Node, kind: str) -> tuple[str, Py]:
    """Return the variable of a comprehension, and its expression."""
    function = unwrap(function)
    if function.type == "identifier" and scope.module.text(function) == "Boolean":
        return "item", Py("item")
    if function.type not in FUNCTIONS:
        called = scope.reach(scope, function)
        if called.kind.startswith("helper "):
            helper = scope.text.helpers[called.kind.removeprefix("helper ")]
            text = f"{helper.name}({f'{scope.app}, ' if helper.takes_app else ''}item)"
            return "item", scope.awaited(text, function) if helper.is_async else Py(text)
        raise Untranslated(function, "the callback must be a function literal")
    given, body = parameters(function), function.child_by_field_name("body")
    if len(given) != 1 or body is None:
        raise Untranslated(function, "the callback must have exactly one parameter")
    if body.type == "statement_block":
        returned = named(body)
        if len(returned) == 1 and returned[0].type == "return_statement" and named(returned[0]):
            body = named(returned[0])[0]
        else:
            return "item", scope.awaited(f"{scope.define(scope, function, 'inner')}(item)", function)
    variable = bind(scope, given[0], kind)
    scope.inside = True
    return variable, scope.read(scope, body)


def _two(scope: Scope, node: Node) -> tuple[Scope, str, str, Node]:
    """Return the parts of a function with two parameters and one expression, such as `(a, b) => a - b`."""
    given = [unwrap(item) for item in arguments(node)]
    function = given[0] if given else node
    patterns = parameters(function) if function.type in FUNCTIONS else []
    body = function.child_by_field_name("body")
    if body is not None and body.type == "statement_block":
        inside = named(body)
        is_return = len(inside) == 1 and inside[0].type == "return_statement" and named(inside[0])
        body = named(inside[0])[0] if is_return else None
    if body is None or len(patterns) != 2 or any(pattern.type != "identifier" for pattern in patterns):
        raise Untranslated(node, "the callback must have two parameters and return one expression")
    inner = scope.inner(Frame(is_lambda=True))
    inner.inside = True
    first, second = (inner.declare(identifier(scope.module, pattern)) for pattern in patterns)
    return inner, first, second, unwrap(body)


def _sorted(scope: Scope, node: Node, base: Py) -> Py:
    """Translate `list.sort((a, b) => a.x - b.x)` to a sorted list; JavaScript also sorts the list in place."""
    scope.doubt("returns a new list; `sort` in JavaScript also changes the original")
    if not arguments(node):
        return Py(f"sorted({base.text}, key=str)", kind=base.kind)
    inner, first, second, body = _two(scope, node)
    operator = body.child_by_field_name("operator")
    left, right = body.child_by_field_name("left"), body.child_by_field_name("right")
    if operator is None or operator.type != "-" or left is None or right is None:
        raise Untranslated(node, "the comparison function must return a difference such as `a.x - b.x`")
    one, other = inner.read(inner, left).text, inner.read(inner, right).text
    if re.sub(rf"\b{second}\b", first, other) == one:
        return Py(f"sorted({base.text}, key=lambda {first}: {one})", kind=base.kind)
    if re.sub(rf"\b{first}\b", second, other) == one:
        return Py(f"sorted({base.text}, key=lambda {second}: {one}, reverse=True)", kind=base.kind)
    raise Untranslated(node, "the comparison function must compare the same value of both items")


def _reduced(scope: Scope, node: Node, base: Py) -> Py:
    """Translate `list.reduce((sum, item) => sum + item.price, 0)`."""
    given = arguments(node)
    if len(given) != 2:
        raise Untranslated(node, "`reduce` without an initial value")
    inner, total, item, body = _two(scope, node)
    begin, kept = scope.read(scope, given[1]), len(scope.doubts)
    value = inner.read(inner, body)
    added = value.text.removeprefix(f"{total} + ")
    if begin.text == "0" and added != value.text and not re.search(rf"\b{total}\b", added):
        del scope.doubts[kept:]
        return Py(f"sum({added} for {item} in {base.within(Binds.OR)})", kind="number")
    scope.text.imports.add("from functools import reduce")
    return Py(f"reduce(lambda {total}, {item}: {value.text}, {base.text}, {begin.text})", kind=begin.kind)


def _found_at(scope: Scope, node: Node, base: Py) -> Py:
    """Translate `list.findIndex(item => ...)`."""
    inner = scope.inner()
    variable, value = _applied(inner, arguments(node)[0], "")
    if "await " in value.text:
        raise Untranslated(node, "cannot translate `findIndex` with an async function")
    source = f"enumerate({base.text})"
    return Py(f"next((index for index, {variable} in {source} if {value.within(Binds.OR)}), -1)", kind="number")


def bind(scope: Scope, pattern: Node, kind: str = "") -> str:
    """Return the variable for a pattern. The names in `{ id, name }` become lookups where they are used."""
    if pattern.type == "identifier":
        return scope.declare(identifier(scope.module, pattern), kind)
    if pattern.type != "object_pattern":
        raise Untranslated(pattern, "unsupported destructuring pattern")
    variable = scope.declare("item", kind)
    for part in named(pattern):
        key = part.child_by_field_name("key") or part
        target = part.child_by_field_name("value") or part
        if target.type not in ("shorthand_property_identifier_pattern", "identifier"):
            raise Untranslated(pattern, "unsupported nested destructuring pattern")
        taken = Py(f"{variable}.get({text_literal(key_of(scope.module, key) or '')})")
        scope.alias(identifier(scope.module, target), taken)
    return variable


ORDERS: Final[dict[str, Callable[[Scope, Node, Py], Py]]] = {
    "sort": _sorted,
    "reduce": _reduced,
    "findIndex": _found_at,
}
