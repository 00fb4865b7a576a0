"""Describe a piece of code in one line, by its calls, assignments and exceptions."""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import callee, member_path, string_value, walk

_WRITES: Final = re.compile(r"^(create|update|delete|upsert|insert|remove)(Many|OrUpdate)?$")
_READS: Final = re.compile(r"^(find(One|Many|Page|WithCount)?|count|load|search)$")
_STORES: Final = ("strapi", "entityService", "db", "query", "service")
_LONGEST_CHAIN: Final = 60
_STARTS: Final = {
    **dict.fromkeys(
        ("axios", "fetch", "got", "request", "https", "http", "needle", "superagent"), "sends HTTP requests"
    ),
    "fs": "reads or writes files",
    "super": "calls the core action {}",
}
_ENDS: Final = {
    **dict.fromkeys(("slugify", "slug", "getSlug", "generateSlug", "generateUIDField"), "creates slugs"),
    **dict.fromkeys(("send", "sendMail", "sendTemplatedEmail", "sendTransacEmail"), "sends mail"),
    **dict.fromkeys(("raw", "rawQuery"), "runs SQL"),
    "redirect": "redirects",
    "routes": "adds routes",
}
_REFUSALS: Final = frozenset(
    ("throw", "badRequest", "unauthorized", "forbidden", "notFound", "conflict", "internalServerError", "assert")
)


def describe(module: Module, node: Node, nothing: str = "custom code") -> str:
    """Describe the code below a node: `sets title; sends HTTP requests; can reject`."""
    facts = list(dict.fromkeys(_facts(module, node)))
    return "; ".join(facts[:6]) if facts else nothing


def throws(module: Module, node: Node) -> bool:
    """Return whether the code below a node may reject: it contains a `throw`, a call of `ctx.badRequest`, or
    similar."""
    return any(refuses(module, found) for found in walk(node))


def called(module: Module, node: Node) -> tuple[str, ...]:
    """Return the path of the called function, through calls: `strapi.db.query(uid).create` is one chain."""
    names: list[str] = []
    current: Node | None = node
    while current is not None and len(names) < _LONGEST_CHAIN:
        if current.type == "call_expression":
            current = current.child_by_field_name("function")
        elif current.type == "member_expression":
            found = current.child_by_field_name("property")
            if found is not None:
                names.append(module.text(found))
            current = current.child_by_field_name("object")
        elif current.type == "subscript_expression":
            index = current.child_by_field_name("index")
            names.append((None if index is None else string_value(module, index)) or "?")
            current = current.child_by_field_name("object")
        else:
            if current.type in ("identifier", "this", "super", "import"):
                names.append(module.text(current))
            elif current.type in ("await_expression", "parenthesized_expression") and current.named_children:
                current = current.named_children[0]
                continue
            break
    return tuple(reversed(names))


def refuses(module: Module, node: Node) -> bool:
    """Return whether a node is a `throw`, a call of `ctx.badRequest`, or similar."""
    if node.type == "throw_statement":
        return True
    chain = callee(module, node) if node.type == "call_expression" else ()
    return len(chain) > 1 and chain[-1] in _REFUSALS and chain[0] != "console"


def _facts(module: Module, node: Node) -> Iterator[str]:
    fields = []
    for found in walk(node):
        match found.type:
            case "assignment_expression" | "augmented_assignment_expression":
                left = found.child_by_field_name("left")
                path = member_path(module, left) if left is not None else ()
                if "data" in path[:-1]:
                    fields.append(path[-1])
                elif path[:2] in (("ctx", "query"), ("context", "query")):
                    yield f"changes the query ({'.'.join(path[2:]) or 'all parameters'})"
                elif path[-1:] == ("where",) or "where" in path[1:-1] or "filters" in path[1:-1]:
                    yield "changes the filters"
                elif path[1:2] == ("body",) or path[1:3] == ("request", "body"):
                    yield "sets the response" if path[1] == "body" else "changes the request body"
            case "call_expression" | "new_expression":
                yield from _call(module, found)
        if refuses(module, found):
            yield "can reject"
    if fields:
        yield f"sets {', '.join(dict.fromkeys(fields))}"


def _call(module: Module, node: Node) -> Iterator[str]:
    chain = called(module, node)
    if not chain:
        return
    last = chain[-1]
    if chain[0] in _STARTS:
        yield _STARTS[chain[0]].format(last)
    elif last in _ENDS:
        yield _ENDS[last]
    elif any(word in chain for word in _STORES) and _WRITES.match(last):
        yield "writes entries"
    elif any(word in chain for word in _STORES) and _READS.match(last):
        yield "reads entries"
    elif chain[-2:] == ("requestContext", "get"):
        yield "reads the request"
    elif chain[0] == "strapi" and "service" in chain and last != "service":
        yield f"calls the service function {last}"
