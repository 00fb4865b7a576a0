"""Translate operators: conditions, comparisons, arithmetic."""

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.python import Binds, Py, f_string
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.syntax import named, string_value, unwrap

_COMPARISONS: Final = {"===": "==", "!==": "!=", "==": "==", "!=": "!=", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_ARITHMETIC: Final = {
    "-": Binds.ADD,
    "*": Binds.MULTIPLY,
    "/": Binds.MULTIPLY,
    "%": Binds.MULTIPLY,
}
_OPPOSITES: Final = {"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
_TYPES: Final = {"string": "str", "number": "(int, float)", "boolean": "bool", "object": "(dict, list)"}
_ALWAYS_TRUE: Final = frozenset(("entries", "list", "query", "params", "dict", "answer", "page"))
"""Kinds of values that are true in JavaScript even if they are empty."""


def condition(scope: Scope, node: Node) -> Py:
    """Translate a condition, so that its truth value in Python is the same."""
    node = unwrap(node)
    if node.type == "unary_expression" and scope.module.text(node).startswith("!"):
        inner = condition(scope, named(node)[-1])
        if inner.binds is Binds.NOT and inner.text.startswith("not "):
            return Py(inner.text.removeprefix("not "), Binds.COMPARE, "bool")
        if inner.binds == Binds.COMPARE and (turned := _turned(inner.text)) is not None:
            return Py(turned, Binds.COMPARE, "bool")
        return Py(f"not {inner.within(Binds.NOT)}", Binds.NOT, "bool")
    if node.type == "binary_expression" and (word := _word(node)) in ("and", "or"):
        binds = Binds.AND if word == "and" else Binds.OR
        left, right = (condition(scope, part) for part in _sides(node))
        return Py(f"{left.within(binds)} {word} {right.within(Binds(binds + 1))}", binds, "bool")
    value = scope.read(scope, node)
    if value.kind in _ALWAYS_TRUE:
        return Py(f"{value.within(Binds.ADD)} is not None", Binds.COMPARE, "bool")
    if value.kind == "actor":
        return Py(f'{value.text}.kind == "user"', Binds.COMPARE, "bool")
    if value.kind == "length":
        return Py(value.text.removeprefix("len(").removesuffix(")"), Binds.OR, "bool")
    return value


def _turned(text: str) -> str | None:
    """Return the negation of a comparison, if it is the only one in a text."""
    words = [word for word in _OPPOSITES if f" {word} " in text]
    words = ["is not"] if words == ["is", "is not"] else ["not in"] if words == ["in", "not in"] else words
    if len(words) != 1 or text.count(f" {words[0]} ") != 1 or " for " in text:
        return None
    return text.replace(f" {words[0]} ", f" {_OPPOSITES[words[0]]} ")


def _word(node: Node) -> str | None:
    operator = node.child_by_field_name("operator")
    return {"&&": "and", "||": "or"}.get(operator.type) if operator is not None else None


def _sides(node: Node) -> tuple[Node, Node]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        raise Untranslated(node, "incomplete operator expression")
    return left, right


def unary(scope: Scope, node: Node) -> Py:
    """Translate `!a`, `!!a`, `-a`, `+a`. Raises Untranslated."""
    operator, given = scope.module.text(node.children[0]), named(node)[-1]
    if operator == "!":
        if unwrap(given).type == "unary_expression" and scope.module.text(unwrap(given)).startswith("!"):
            return Py(f"bool({condition(scope, named(unwrap(given))[-1]).text})", kind="bool")
        return condition(scope, node)
    if operator == "-":
        return Py(f"-{scope.read(scope, given).within(Binds.SIGN)}", Binds.SIGN, "number")
    if operator == "+":
        scope.doubt("raises an error for an invalid number; in JavaScript the result is NaN")
        return Py(f"float({scope.read(scope, given).text})", kind="number")
    raise Untranslated(node, f"cannot translate `{operator}`")


def binary(scope: Scope, node: Node) -> Py:
    """Translate `a + b` and all other binary operators. Raises Untranslated."""
    operator_node = node.child_by_field_name("operator")
    operator = "" if operator_node is None else operator_node.type
    left, right = _sides(node)
    if (word := _word(node)) is not None:
        return _either(scope, left, right, word)
    if operator == "??":
        value, other = scope.read(scope, left), scope.read(scope, right)
        if value.binds is Binds.WHOLE and value.text.isidentifier():
            return Py(f"{value.text} if {value.text} is not None else {other.within(Binds.OR)}", Binds.CHOICE)
        scope.doubt("unlike `??`, `or` also replaces 0, False and empty strings")
        return Py(f"{value.within(Binds.OR)} or {other.within(Binds.AND)}", Binds.OR, value.kind)
    if operator in _COMPARISONS:
        return _compare(scope, node, left, right, operator)
    if operator == "+":
        return _add(scope, node)
    if operator in _ARITHMETIC:
        binds = _ARITHMETIC[operator]
        return Py(
            f"{scope.read(scope, left).within(binds)} {operator} {scope.read(scope, right).within(Binds(binds + 1))}",
            binds,
            "number",
        )
    if operator == "in":
        return Py(
            f"{scope.read(scope, left).within(Binds.ADD)} in {scope.read(scope, right).within(Binds.ADD)}",
            Binds.COMPARE,
            "bool",
        )
    raise Untranslated(node, f"cannot translate `{operator}`")


def _either(scope: Scope, left: Node, right: Node, word: str) -> Py:
    """Translate `a || b` and `a && b` as values."""
    binds = Binds.AND if word == "and" else Binds.OR
    value, other = scope.read(scope, left), scope.read(scope, right)
    if value.kind in _ALWAYS_TRUE and word == "or":
        scope.doubt("an empty list or dictionary is false in Python and true in JavaScript")
    kind = value.kind if value.kind == other.kind else other.kind if word == "and" else ""
    return Py(f"{value.within(binds)} {word} {other.within(Binds(binds + 1))}", binds, kind)


def _compare(scope: Scope, node: Node, left: Node, right: Node, operator: str) -> Py:
    if (comparison := _compare_type(scope, node, left, right, operator)) is not None:
        return comparison
    one, other = scope.read(scope, left), scope.read(scope, right)
    python = _COMPARISONS[operator]
    if "null" in (one.kind, other.kind):
        python = {"==": "is", "!=": "is not"}.get(python, python)
    elif operator in ("==", "!=") and not {"number", "text", "bool"} >= {one.kind, other.kind}:
        scope.doubt(f"`{operator}` in JavaScript converts types, so that '1' equals 1")
    if one.kind == "length" and other.text == "0" and python in (">", "!=", "==", "<="):
        held = one.text.removeprefix("len(").removesuffix(")")
        return (
            Py(held, Binds.OR, "bool")
            if python in (">", "!=")
            else Py(f"not {Py(held, Binds.OR).within(Binds.NOT)}", Binds.NOT, "bool")
        )
    return Py(f"{one.within(Binds.ADD)} {python} {other.within(Binds.ADD)}", Binds.COMPARE, "bool")


def _compare_type(scope: Scope, node: Node, left: Node, right: Node, operator: str) -> Py | None:
    """Translate `typeof x === "string"`."""
    left = unwrap(left)
    if left.type != "unary_expression" or not scope.module.text(left).startswith("typeof"):
        return None
    value, kind = scope.read(scope, named(left)[-1]), string_value(scope.module, right) or ""
    is_not = operator.startswith("!")
    if kind == "undefined":
        return Py(f"{value.within(Binds.ADD)} is {'not ' if is_not else ''}None", Binds.COMPARE, "bool")
    if kind not in _TYPES:
        raise Untranslated(node, "this type has no Python equivalent")
    text = f"isinstance({value.text}, {_TYPES[kind]})"
    return Py(f"not {text}", Binds.NOT, "bool") if is_not else Py(text, kind="bool")


def _add(scope: Scope, node: Node) -> Py:
    """Translate a sum, or a concatenation if it contains a text."""
    parts = [scope.read(scope, part) for part in _summands(scope, node)]
    if any(part.kind == "text" for part in parts):
        return f_string(_bare(part) for part in parts)
    if not all(part.kind in ("number", "length") for part in parts):
        scope.doubt("Python does not add a number to a string; convert one of them")
    return Py(" + ".join(part.within(Binds.ADD) for part in parts), Binds.ADD, "number" if parts else "")


def _bare(part: Py) -> str | Py:
    """Return the content of a string literal, or the expression."""
    if part.kind == "text" and part.text[:1] == '"' and "\\" not in part.text:
        return part.text[1:-1]
    return part


def _summands(scope: Scope, node: Node) -> Iterator[Node]:
    node = unwrap(node) if node.type == "parenthesized_expression" else node
    operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
    if operator is not None and operator.type == "+":
        left, right = _sides(node)
        with scope.deeper(node):
            yield from _summands(scope, left)
        yield right
    else:
        yield node


def ternary(scope: Scope, node: Node) -> Py:
    """Translate `test ? a : b`. Raises Untranslated."""
    fields = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
    if any(found is None for found in fields):
        raise Untranslated(node, "incomplete conditional expression")
    test, first, second = (found for found in fields if found is not None)
    chosen, other = scope.read(scope, first), scope.read(scope, second)
    asked = condition(scope, test)
    kind = chosen.kind if other.kind in (chosen.kind, "null") else ""
    return Py(f"{chosen.within(Binds.OR)} if {asked.within(Binds.OR)} else {other.text}", Binds.CHOICE, kind)
