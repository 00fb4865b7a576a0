"""Translate assignments: to names, patterns, data, and to properties of the context with a special meaning."""

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts import members
from octavo.v4.adoption.drafts.expressions import reach, read, value_in
from octavo.v4.adoption.drafts.python import Py, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.syntax import identifier, key_of, named, unwrap

Lines = list[str]

_STANDS_FOR: Final = frozenset(
    (
        *("ctx", "ctx.request", "ctx.state", "ctx.cookies", "policy", "headers", "event", "event.params"),
        *("strapi", "db", "entityService", "log", "plugins", "services", "utils", "utils.errors", "env", "self"),
        *("error class", "module", "next", "actor", "hook context", "hook state"),
    )
)
"""Kinds without a Python value: a name for one of them is an alias."""
_OPERATORS: Final = ("+=", "-=", "*=", "/=", "%=")
_DATA: Final = ("", "dict", "list", "entries", "entry", "query", "params", "body", "user", "answer", "page")


def declared(scope: Scope, pattern: Node, value: Py) -> Lines:
    """Translate `const pattern = value`."""
    match pattern.type:
        case "identifier":
            name = identifier(scope.module, pattern)
            if value.kind in _STANDS_FOR or value.kind.startswith(("plugin", "global ", "lodash ", "helper ")):
                scope.alias(name, value)
                return []
            kind = "" if value.kind in ("null", "length") else value.kind
            return f"{scope.declare(name, kind)} = {value.text}".split("\n")
        case "object_pattern":
            return list(_taken_apart(scope, pattern, value))
        case "array_pattern":
            return _listed(scope, pattern, value)
    raise Untranslated(pattern, "unsupported destructuring pattern")


def _listed(scope: Scope, pattern: Node, value: Py) -> Lines:
    parts = named(pattern)
    if not parts or any(part.type != "identifier" for part in parts) or ",," in scope.module.text(pattern):
        raise Untranslated(pattern, "unsupported destructuring pattern")
    if len(parts) == 1:
        kind = "entry" if value.kind == "entries" else ""
        name = scope.declare(identifier(scope.module, parts[0]), kind)
        first = members.first_of(value) or Py(f"next(iter({value.text}), None)")
        return f"{name} = {first.text}".split("\n")
    if value.kind != "list":
        scope.doubt("raises an error unless the list has as many items as there are names")
    names = ", ".join(scope.declare(identifier(scope.module, part)) for part in parts)
    return f"{names} = {value.text}".split("\n")


def _taken_apart(scope: Scope, pattern: Node, value: Py) -> Iterator[str]:
    """Translate `const { a, b: { c }, d = 1, ...rest } = value`."""
    parts = named(pattern)
    is_value = value.kind not in _STANDS_FOR
    if is_value and not value.text.isidentifier() and len(parts) > 1:
        name = scope.declare("taken")
        yield from f"{name} = {value.text}".split("\n")
        value = Py(name, kind=value.kind)
    keys: list[str] = []
    for part in parts:
        match part.type:
            case "shorthand_property_identifier_pattern":
                key = identifier(scope.module, part)
                yield from _one(scope, part, key, members.member(scope, part, value, key, optional=False))
            case "pair_pattern":
                key_node, target = part.child_by_field_name("key"), part.child_by_field_name("value")
                key = (None if key_node is None else key_of(scope.module, key_node)) or ""
                if not key or target is None or target.type == "assignment_pattern":
                    raise Untranslated(part, "unsupported destructuring pattern")
                yield from declared(scope, target, members.member(scope, part, value, key, optional=False))
            case "object_assignment_pattern":
                key = identifier(scope.module, named(part)[0])
                yield from _one(scope, part, key, members.member(scope, part, value, key, optional=False))
                name = scope.names[key].value.text
                yield f"if {name} is None:"
                yield f"    {name} = {read(scope, named(part)[1]).text}"
            case "rest_pattern" if is_value:
                left = ", ".join(map(text_literal, keys))
                name = scope.declare(identifier(scope.module, named(part)[0]), "dict")
                yield f"{name} = {{key: value for key, value in {value.whole}.items() if key not in ({left},)}}"
                continue
            case _:
                raise Untranslated(part, "unsupported destructuring pattern")
        keys.append(key)


def _one(scope: Scope, node: Node, name: str, value: Py) -> Lines:
    if value.kind in _STANDS_FOR or value.kind.startswith(("plugin", "global ", "lodash ")):
        scope.alias(name, value)
        return []
    return f"{scope.declare(name, value.kind)} = {value.text}".split("\n")


def assignment(scope: Scope, node: Node, *, tail: bool) -> Lines:
    """Translate `a = b`, `a += b` and `a++` as statements."""
    if node.type == "update_expression":
        argument = node.child_by_field_name("argument")
        if argument is None:
            raise Untranslated(node, "`++` or `--` without a variable")
        return [f"{_target(scope, argument)} {'+' if '++' in scope.module.text(node) else '-'}= 1"]
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        raise Untranslated(node, "incomplete assignment")
    value = read(scope, right)
    if node.type == "augmented_assignment_expression":
        return _augmented(scope, node, left, value)
    left = unwrap(left)
    if left.type == "identifier":
        target = _target(scope, left)
        scope.learn(identifier(scope.module, left), "" if value.kind in ("null", "length") else value.kind)
        return f"{target} = {value.text}".split("\n")
    special = _special(scope, node, left, value, tail=tail)
    if special is not None:
        return special
    return f"{_target(scope, left)} = {value_in(value).text}".split("\n")


def _augmented(scope: Scope, node: Node, left: Node, value: Py) -> Lines:
    operator = node.child_by_field_name("operator")
    word = "" if operator is None else operator.type
    if word in _OPERATORS:
        return [f"{_target(scope, left)} {word} {value.text}"]
    if word in ("||=", "??="):
        held = read(scope, left)
        test = f"if not {held.whole}:" if word == "||=" else f"if {held.whole} is None:"
        return [test, f"    {_target(scope, left)} = {value.text}"]
    raise Untranslated(node, f"cannot translate `{word}`")


def _special(scope: Scope, node: Node, left: Node, value: Py, *, tail: bool) -> Lines | None:
    """Translate an assignment to the context or to an event."""
    below, name_node = left.child_by_field_name("object"), left.child_by_field_name("property")
    if left.type != "member_expression" or below is None or name_node is None:
        return None
    base, name = reach(scope, below), identifier(scope.module, name_node)
    match base.kind, name:
        case "ctx", "body":
            return answered(scope, node, value, tail=tail)
        case "ctx", "status":
            scope.status = value.text
            return []
        case (("ctx" | "ctx.request"), "query"):
            return f"{base.text}.query = {value.text}".split("\n")
        case "ctx.request", "body":
            return f"{base.text}.set_json({value.text})".split("\n")
        case "ctx.state", "user":
            raise Untranslated(node, "`ctx.state.user` is read-only in Octavo")
        case "ctx.state", _:
            return f"{base.text}.{name} = {value.text}".split("\n")
        case "event.params", ("data" | "where"):
            return f"{base.text}.{name} = {value.text}".split("\n")
        case "event", "result" if "find" in scope.frame.role.lower():
            return f"{base.text}.result = {value.text}".split("\n")
    return None


def _target(scope: Scope, node: Node) -> str:
    """Translate the left side of `=`: a name, or an item of data."""
    node = unwrap(node)
    if node.type == "identifier":
        name = identifier(scope.module, node)
        known = scope.names.get(name)
        if known is None or not known.value.text.isidentifier():
            raise Untranslated(node, f"cannot assign to `{name}`, which is not a local variable")
        if known.frame is not scope.frame:
            scope.frame.nonlocals.add(known.value.text)
        return known.value.text
    below = node.child_by_field_name("object")
    index, name_node = node.child_by_field_name("index"), node.child_by_field_name("property")
    if below is None or (index is None and name_node is None):
        raise Untranslated(node, "unsupported assignment target")
    base = members.strict(reach(scope, below))
    if base.kind not in _DATA or base.kind == "result":
        why = (
            "`result` is read-only in Octavo"
            if base.kind == "result"
            else "cannot assign to an object that is not data"
        )
        raise Untranslated(node, why)
    key = (
        read(scope, index).text
        if index is not None
        else text_literal(identifier(scope.module, name_node))
        if name_node
        else ""
    )
    return f"{base.whole}[{key}]"


def deletion(scope: Scope, node: Node) -> Lines:
    """Translate `delete data.name`."""
    target = _target(scope, named(node)[-1])
    held, _, key = target.rpartition("[")
    return [f"{held}.pop({key[:-1]}, None)"]


def answered(scope: Scope, node: Node, value: Py, *, tail: bool) -> Lines:
    """Translate the assignment of a response: a `return` at the end of the function, otherwise a variable."""
    text = value.text
    if scope.status and scope.status != "200":
        if value.text.startswith("Response."):
            raise Untranslated(node, "the response already has a status")
        scope.text.octavo.add("Response")
        text = f"Response.json({text}, status={scope.status})"
    if tail:
        return f"return {text}".split("\n")
    scope.frame.goes_on = True
    return f"answer = {text}".split("\n")
