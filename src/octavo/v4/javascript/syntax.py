"""Helpers for syntax trees, which evaluate nothing."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from octavo.v4.javascript.parse import Module, levels

WRAPPERS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})
"""Nodes around an expression that do not change its value; their first named child is the expression."""

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def named(node: Node) -> list[Node]:
    """Return the named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def unwrap(node: Node) -> Node:
    """Return the expression inside parentheses and TypeScript's `as`, `satisfies`, `!` and `<Type>`."""
    while True:
        if node.type in WRAPPERS:
            node = named(node)[0]
        elif node.type == "type_assertion":
            node = named(node)[-1]
        else:
            return node


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all its descendants in document order, without recursion."""
    return (descendant for descendant, _ in levels(node) if descendant.is_named)


def walk_own(node: Node) -> Iterator[Node]:
    """Yield the same without the contents of functions and classes below `node`: the nodes that run with `node`."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if current is node or (current.type not in FUNCTIONS and not current.type.startswith("class")):
            waiting.extend(reversed(current.named_children))


def is_function(node: Node) -> bool:
    """Return whether an expression is a function literal."""
    return unwrap(node).type in FUNCTIONS


def string_value(module: Module, node: Node) -> str | None:
    """Return the text of a string literal, or of a template without substitutions; None for anything else."""
    node = unwrap(node)
    if node.type not in ("string", "template_string"):
        return None
    parts = named(node)
    if any(part.type == "template_substitution" for part in parts):
        return None
    return joined("".join(fragment(module, part) for part in parts))


def fragment(module: Module, part: Node) -> str:
    """Return a part of a string: a text, or an escaped character. Halves of surrogate pairs are returned separately."""
    text = module.text(part)
    return unescaped(text) if part.type == "escape_sequence" else text.replace("\r\n", "\n")


def unescaped(escape: str) -> str:
    """Return the character of an escape sequence, for example a line feed for `\\n`; nothing for a line
    continuation."""
    body = escape[1:]
    if match := re.fullmatch(r"u\{([0-9a-fA-F]{1,6})\}|[ux]([0-9a-fA-F]{2,4})", body):
        code = int(match[1] or match[2], 16)
        return chr(code) if code <= 0x10FFFF else "�"
    if re.fullmatch(r"[0-7]{1,3}", body):
        return chr(int(body, 8) & 0xFF)
    return "" if body[:1] in "\r\n\u2028\u2029" else ESCAPES.get(body, body)


def joined(text: str) -> str:
    """Return `text` with surrogate pairs joined, and U+FFFD for unpaired ones, as in the output."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def identifier(module: Module, node: Node) -> str:
    """Return the name of an identifier, with its escapes decoded."""
    text = module.text(node)
    if "\\" not in text:
        return text
    return joined(re.sub(r"\\u(?:\{[0-9a-fA-F]{1,6}\}|[0-9a-fA-F]{4})", lambda found: unescaped(found[0]), text))


def key_of(module: Module, node: Node) -> str | None:
    """Return the name of a property, from the node of its key or a shorthand; None if it is computed and not a
    literal."""
    if node.type == "computed_property_name":
        node = unwrap(named(node)[0])
        return string_value(module, node) if node.type in ("string", "template_string") else None
    if node.type == "string":
        return string_value(module, node)
    return module.text(node) if node.type == "number" else identifier(module, node)


def properties(module: Module, node: Node) -> dict[str, Node]:
    """Return the entries of an object literal by name: values of pairs, methods, the identifiers of shorthands. The
    last one of a name wins. Spread and computed keys are left out: see `is_open`."""
    by_name: dict[str, Node] = {}
    for member in named(unwrap(node)):
        match member.type:
            case "pair":
                key, value = member.child_by_field_name("key"), member.child_by_field_name("value")
            case "method_definition":
                key, value = member.child_by_field_name("name"), member
            case "shorthand_property_identifier":
                key, value = member, member
            case _:
                continue
        if key is not None and value is not None and (name := key_of(module, key)) is not None:
            by_name[name] = value
    return by_name


def is_open(module: Module, node: Node) -> bool:
    """Return whether an object literal may have more entries than `properties` returns: a spread, a computed key, an
    accessor."""
    for member in named(unwrap(node)):
        key = member.child_by_field_name("key") or member.child_by_field_name("name")
        is_accessor = any(child.type in ("get", "set") for child in member.children)
        if member.type == "spread_element" or is_accessor or (key is not None and key_of(module, key) is None):
            return True
    return False


def member_path(module: Module, node: Node) -> tuple[str, ...]:
    """Return the names of `a.b['c']?.d` as ("a", "b", "c", "d"); empty for anything but such a chain of names."""
    names: list[str] = []
    while True:
        node = unwrap(node)
        match node.type:
            case "identifier" | "this" | "super" | "import" | "shorthand_property_identifier":
                return (identifier(module, node), *reversed(names))
            case "member_expression":
                name = _field(module, node, "property")
            case "subscript_expression":
                index = node.child_by_field_name("index")
                name = None if index is None else string_value(module, index)
            case _:
                return ()
        below = node.child_by_field_name("object")
        if name is None or below is None:
            return ()
        names.append(name)
        node = below


def _field(module: Module, node: Node, field: str) -> str | None:
    child = node.child_by_field_name(field)
    return None if child is None else identifier(module, child)


def callee(module: Module, node: Node) -> tuple[str, ...]:
    """Return the function of a call or `new`, as `member_path`; empty for everything else."""
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    return member_path(module, called) if called is not None else ()


def arguments(node: Node) -> list[Node]:
    """Return the arguments of a call or `new`."""
    list_node = node.child_by_field_name("arguments")
    return named(list_node) if list_node is not None and list_node.type == "arguments" else []


def parameters(node: Node) -> list[Node]:
    """Return the patterns of a function's parameters, without TypeScript's types; one with a default is an
    `assignment_pattern`."""
    if (single := node.child_by_field_name("parameter")) is not None:
        return [single]
    list_node = node.child_by_field_name("parameters")
    return [] if list_node is None else [_parameter(child) for child in named(list_node)]


def _parameter(node: Node) -> Node:
    return node.child_by_field_name("pattern") or node


def statements(node: Node) -> list[Node]:
    """Return the statements of a program, a block, or a function's body; none for an arrow `=> expression`."""
    body = node.child_by_field_name("body") if node.type in FUNCTIONS else node
    return named(body) if body is not None and body.type in ("program", "statement_block") else []


def returned(node: Node) -> list[Node]:
    """Return all expressions that a function may return, in order: that of an arrow, or of each of its `return`
    statements."""
    body = node.child_by_field_name("body")
    if body is None:
        return []
    if body.type != "statement_block":
        return [body]
    return [
        value for descendant in walk_own(body) if descendant.type == "return_statement" for value in named(descendant)
    ]
