"""Translate JavaScript expressions to Python. Anything without a certain translation raises Untranslated."""

from collections.abc import Callable, Iterator
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts import members
from octavo.v4.adoption.drafts.calls import call, construct
from octavo.v4.adoption.drafts.operators import binary, ternary, unary
from octavo.v4.adoption.drafts.python import Binds, Py, bracketed, f_string, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Frame, Scope, Untranslated
from octavo.v4.javascript.modules import Binding
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    fragment,
    identifier,
    joined,
    key_of,
    named,
    parameters,
    string_value,
    unwrap,
)

NULLS: Final = ("null", "undefined")
_WORDS: Final = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_NO_VALUES: Final = frozenset(
    (
        *("module", "utils", "utils.errors", "lodash", "axios", "slugify", "uuid", "crypto", "env", "headers"),
        *("db", "entityService", "log", "plugins", "services", "requestContext", "event.model", "config"),
        *("ctx.cookies", "hook context", "hook state", "super", "next function"),
    )
)
"""Kinds of objects that only occur as a prefix, such as `strapi.entityService`."""


def read(scope: Scope, node: Node) -> Py:
    """Translate an expression that has a value. Raises Untranslated."""
    value = reach(scope, node)
    if value.kind in _NO_VALUES or value.kind.startswith(("plugin", "global ", "lodash ")):
        raise Untranslated(node, f"`{scope.module.excerpt(node, 40)}` cannot be used as a value")
    return value


def reach(scope: Scope, node: Node) -> Py:
    """Translate an expression, or a prefix of one such as `strapi.entityService`. Raises Untranslated."""
    node = unwrap(node)
    with scope.deeper(node):
        reader = _READERS.get(node.type)
        if reader is None:
            raise Untranslated(node, f"unsupported syntax: {node.type.replace('_', ' ')}")
        return reader(scope, node)


def _name(scope: Scope, node: Node) -> Py:
    name = identifier(scope.module, node)
    if name in scope.names:
        return scope.names[name].value
    if name in _WORDS:
        return Py(_WORDS[name], kind="null")
    if name == "strapi":
        return Py(scope.app, kind="strapi")
    binding = scope.text.bindings.get(name)
    if binding is not None:
        return _of_file(scope, node, name, binding)
    if name in members.GLOBALS:
        return Py(name, kind=f"global {name}")
    raise Untranslated(node, f"unknown name `{name}`")


def _of_file(scope: Scope, node: Node, name: str, binding: Binding) -> Py:
    """Translate a top-level name of the file: an import, a function, a constant."""
    if (made := members.taken(scope, binding)) is not None:
        return made
    if binding.imported is not None:
        translated = members.imported(scope, binding.imported) or scope.text.bring(scope.text, binding.imported)
        if translated is None:
            raise Untranslated(node, f"unsupported import: `{name}` from {binding.imported.specifier}")
        return translated
    if binding.taken != ():
        raise Untranslated(node, f"cannot translate `{name}`, which is destructured at the top of the file")
    scope.text.wanted[name] = None
    helper = scope.text.helpers.get(name)
    if helper is not None:
        return Py(helper.name, kind=f"helper {name}")
    if binding.value is None or not binding.constant:
        raise Untranslated(node, f"cannot translate `{name}`, a module variable that changes")
    return Py(python_name(name).upper(), kind=_kind_of_constant(binding.value))


def _kind_of_constant(value: Node) -> str:
    return {"array": "list", "object": "dict", "string": "text", "number": "number"}.get(unwrap(value).type, "")


def _word_of(scope: Scope, node: Node) -> Py:
    return Py(_WORDS[node.type], kind="null" if node.type in NULLS else "bool")


def _number(scope: Scope, node: Node) -> Py:
    written = scope.module.text(node)
    try:
        int(written, 0)
    except ValueError:
        try:
            float(written)
        except ValueError:
            raise Untranslated(node, "unsupported number literal") from None
    return Py(written, kind="number")


def _text(scope: Scope, node: Node) -> Py:
    value = string_value(scope.module, node)
    if value is not None:
        return Py(text_literal(value), kind="text")
    return f_string(_parts(scope, node))


def _parts(scope: Scope, node: Node) -> Iterator[str | Py]:
    for part in named(node):
        if part.type == "template_substitution":
            value = read(scope, named(part)[0])
            yield Py(value.within(Binds.CHOICE), kind=value.kind)
        else:
            yield joined(fragment(scope.module, part))


def _array(scope: Scope, node: Node) -> Py:
    parts = []
    for item in named(node):
        if item.type == "spread_element":
            parts.append(f"*{_list_or_nothing(read(scope, named(item)[0]))}")
        else:
            parts.append(value_in(read(scope, item)).text)
    return Py(bracketed("[", parts, "]"), kind="list")


def _list_or_nothing(value: Py) -> str:
    return value.within(Binds.SIGN) if value.kind in ("list", "entries") else f"({value.text} or [])"


def value_in(value: Py) -> Py:
    """Return a value for use in data: dates become texts."""
    return Py(f"{value.whole}.isoformat()", kind="text") if value.kind == "date" else value


def _object(scope: Scope, node: Node) -> Py:
    parts = []
    for member in named(node):
        match member.type:
            case "pair":
                key, value = member.child_by_field_name("key"), member.child_by_field_name("value")
                if key is None or value is None:
                    raise Untranslated(member, "incomplete object entry")
                parts.append(f"{key_text(scope, key)}: {value_in(read(scope, value)).text}")
            case "shorthand_property_identifier":
                name = identifier(scope.module, member)
                parts.append(f"{text_literal(name)}: {value_in(_name(scope, member)).text}")
            case "spread_element":
                parts.append(f"**{_dict_or_nothing(read(scope, named(member)[0]))}")
            case _:
                raise Untranslated(member, "cannot translate a method in an object literal")
    return Py(bracketed("{", parts, "}"), kind="dict")


def _dict_or_nothing(value: Py) -> str:
    return value.within(Binds.SIGN) if value.kind in ("dict", "query", "params", "entry") else f"({value.text} or {{}})"


def key_text(scope: Scope, key: Node) -> str:
    """Translate the key of an object's entry, which may be computed."""
    if key.type == "computed_property_name":
        return read(scope, named(key)[0]).within(Binds.OR)
    name = key_of(scope.module, key)
    if name is None:
        raise Untranslated(key, "unknown object key")
    return text_literal(name)


def _member(scope: Scope, node: Node) -> Py:
    below, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if below is None or name is None:
        raise Untranslated(node, "missing property name after the dot")
    is_optional = any(child.type == "optional_chain" for child in node.children)
    base = reach(scope, below)
    return members.member(scope, node, base, identifier(scope.module, name), optional=is_optional or _optional(below))


def _optional(node: Node) -> bool:
    """Return whether the chain contains `?.`, so that missing values in it raise no error."""
    while (node := unwrap(node)).type in ("member_expression", "subscript_expression", "call_expression"):
        if any(child.type == "optional_chain" for child in node.children):
            return True
        following = node.child_by_field_name("object") or node.child_by_field_name("function")
        if following is None:
            return False
        node = following
    return False


def _subscript(scope: Scope, node: Node) -> Py:
    below, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if below is None or index is None:
        raise Untranslated(node, "missing index")
    base = reach(scope, below)
    is_optional = any(child.type == "optional_chain" for child in node.children) or _optional(below)
    name = string_value(scope.module, index)
    if name is not None:
        return members.member(scope, node, base, name, optional=is_optional)
    return members.item(scope, base, read(scope, index), optional=is_optional)


def _awaited(scope: Scope, node: Node) -> Py:
    """Translate `await`. Translations of asynchronous calls already include it."""
    return read(scope, named(node)[0])


def _function(scope: Scope, node: Node) -> Py:
    """Translate a function value: to a lambda if it is an expression, otherwise to a function before the statement."""
    given = parameters(node)
    body = node.child_by_field_name("body")
    if body is not None and body.type != "statement_block" and all(found.type == "identifier" for found in given):
        inner = scope.inner(Frame(is_lambda=True))
        inner.inside = True
        names = [inner.declare(identifier(scope.module, found)) for found in given]
        return Py(f"lambda{' ' if names else ''}{', '.join(names)}: {read(inner, body).text}", Binds.CHOICE, "lambda")
    return Py(scope.define(scope, node, "inner"), kind="function")


def _regex(scope: Scope, node: Node) -> Py:
    return members.regex(scope, node)


def _own(scope: Scope, node: Node) -> Py:
    known = scope.names.get(node.type)
    if known is None:
        raise Untranslated(node, f"`{node.type}` outside a class")
    return known.value


_READERS: Final[dict[str, Callable[[Scope, Node], Py]]] = {
    **dict.fromkeys(("identifier", "shorthand_property_identifier"), _name),
    **dict.fromkeys(_WORDS, _word_of),
    **dict.fromkeys(("string", "template_string"), _text),
    **dict.fromkeys(("this", "super"), _own),
    **dict.fromkeys(FUNCTIONS, _function),
    "number": _number,
    "array": _array,
    "object": _object,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "unary_expression": unary,
    "binary_expression": binary,
    "ternary_expression": ternary,
    "await_expression": _awaited,
    "call_expression": call,
    "new_expression": construct,
    "regex": _regex,
}
