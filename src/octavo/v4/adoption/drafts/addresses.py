"""Translate HTTP calls with axios and fetch to `app.http`."""

from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.python import Py, bracketed
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.syntax import arguments, is_open, properties, unwrap

_METHODS: Final = frozenset(("get", "post", "put", "patch", "delete"))
_WITH_BODY: Final = frozenset(("post", "put", "patch"))
_OPTIONS: Final = frozenset(("headers", "params"))
_BODIES: Final = frozenset(("data", "body"))
_IDLE: Final = frozenset(("timeout", "maxBodyLength", "method", "url", "baseURL"))
"""Options that `app.http` replaces, or that are translated separately."""


def ask(scope: Scope, node: Node, name: str) -> Py:
    """Translate `axios.post(url, data, options)`, `axios(options)` or `fetch(url, options)`. Raises Untranslated.

    axios throws for responses with an error status, fetch does not.
    """
    given = arguments(node)
    if name == "fetch" and given:
        options = given[1] if len(given) > 1 else None
        method = "get" if options is None else _method(scope, _members(scope, options))
        parts = [scope.read(scope, given[0]).text, *_options(scope, options)]
        return scope.awaited(_call(scope, method, parts), node, "http answer")
    asked = scope.awaited(_of_axios(scope, node, name, given), node)
    return Py(f"({asked.text}).raise_for_status()", kind="http answer")


def _of_axios(scope: Scope, node: Node, name: str, given: list[Node]) -> str:
    if name in _METHODS and given:
        parts = [scope.read(scope, given[0]).text]
        if name in _WITH_BODY and len(given) > 1:
            parts += _body(scope, given[1])
        rest = given[2 if name in _WITH_BODY else 1 :]
        return _call(scope, name, [*parts, *_options(scope, rest[0] if rest else None)])
    if name in ("request", "") and len(given) == 1:
        members = _members(scope, given[0])
        if "url" in members:
            parts = [scope.read(scope, members["url"]).text, *_options(scope, given[0])]
            return _call(scope, _method(scope, members), parts)
    raise Untranslated(node, "unsupported arguments of an HTTP request")


def _members(scope: Scope, node: Node) -> dict[str, Node]:
    node = unwrap(node)
    if node.type != "object" or is_open(scope.module, node):
        raise Untranslated(node, "the request options must be an object literal")
    return properties(scope.module, node)


def _method(scope: Scope, members: dict[str, Node]) -> str:
    written = scope.module.text(members["method"]).strip("\"'`").lower() if "method" in members else "get"
    if written not in _METHODS:
        raise Untranslated(members["method"], "the HTTP method must be a string literal such as 'post'")
    return written


def _options(scope: Scope, options: Node | None) -> list[str]:
    parts = []
    members = {} if options is None else _members(scope, options)
    for name, value in members.items():
        if name in _BODIES:
            parts += _body(scope, value)
        elif name in _OPTIONS:
            parts.append(f"{name}={scope.read(scope, value).text}")
        elif name not in _IDLE:
            raise Untranslated(value, f"unsupported request option `{name}`")
    return parts


def _body(scope: Scope, node: Node) -> list[str]:
    """Translate the request body: data as JSON, the argument of `JSON.stringify(x)`, and texts unchanged."""
    value = scope.read(scope, node)
    if value.text.startswith("dumps(") and value.text.endswith(")"):
        return [f"json={value.text.removeprefix('dumps(')[:-1]}"]
    if value.kind == "null":
        return []
    return [f"{'content' if value.kind == 'text' else 'json'}={value.text}"]


def _call(scope: Scope, method: str, parts: list[str]) -> str:
    return bracketed(f"{scope.app}.http.{method}(", parts, ")")
