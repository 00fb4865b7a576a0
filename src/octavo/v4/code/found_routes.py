"""Routes of plugins that an extension looks up to change them: `plugin.routes['content-api'].routes.find(...)`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tree_sitter import Node

from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.core.values import dataclass
from octavo.v4.code.code import Route
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    identifier,
    member_path,
    parameters,
    returned,
    string_value,
    unwrap,
    walk,
)

_EQUALS: Final = ("===", "==")
_PARTS: Final = ("method", "path", "handler")


@dataclass(frozen=True, slots=True)
class FoundRoute:
    """The look-up of one route of a plugin (`plugin::users-permissions`) by some of its parts."""

    owner: str
    parts: Mapping[str, str]
    place: Place

    def actions(self, added: Sequence[Route]) -> list[str]:
        """Return the actions of the routes that it may find.

        It is empty if the route is unknown, or may be one that the project adds.
        """
        if any(self._is_found(route.method, route.path, route.handler, is_added=True) for route in added):
            return []
        start = f"{self.owner}."
        rows = (row for row in PLUGIN_OPERATIONS if row.action.startswith(start))
        actions = (row.action for row in rows if self._is_found(row.method, row.path, row.action.removeprefix(start)))
        return list(dict.fromkeys(actions))

    def _is_found(self, method: str, path: str, handler: str, *, is_added: bool = False) -> bool:
        """Return whether the parts match. The path of an added route can have a prefix."""
        wanted, path = self.parts.get("path", path).strip("/"), path.strip("/")
        others = (("method", method), ("handler", handler))
        return (path == wanted or (is_added and path.endswith(wanted))) and all(
            self.parts.get(part, value).lower() == value.lower() for part, value in others
        )


def look_ups(
    module: Module, function: Node, owner: str, path_of: Callable[[Node], list[str]]
) -> Iterator[tuple[FoundRoute, Node]]:
    """Yield the look-ups in a function, each with the node of the list of routes.

    `path_of` returns the names after the plugin's. The predicate compares parts of a route with texts; look-ups with
    other predicates are left out.
    """
    for call in walk(function):
        called = call.child_by_field_name("function") if call.type == "call_expression" else None
        given = arguments(call)
        if called is None or len(given) != 1 or path_of(called)[-2:] != ["routes", "find"]:
            continue
        if path_of(called)[:1] == ["routes"] and (parts := _parts(module, given[0])):
            yield FoundRoute(owner, parts, module.place(call)), called


def _parts(module: Module, node: Node) -> dict[str, str]:
    """Return the compared parts of a predicate `(route) => route.method === "GET" && route.path === "/users"`."""
    predicate = unwrap(node)
    given = parameters(predicate) if predicate.type in FUNCTIONS else []
    body = predicate.child_by_field_name("body")
    results = returned(predicate) if body is not None else []
    is_one = body is not None and (body.type != "statement_block" or len(body.named_children) == 1)
    if len(given) != 1 or given[0].type != "identifier" or len(results) != 1 or not is_one:
        return {}
    parts = dict(_compared(module, unwrap(results[0]), identifier(module, given[0])))
    return {} if "" in parts else parts


def _compared(module: Module, node: Node, name: str) -> Iterator[tuple[str, str]]:
    """Yield the parts and texts that are compared; an empty part for any other expression."""
    left, right = (node.child_by_field_name(side) for side in ("left", "right"))
    operator = node.child_by_field_name("operator")
    sign = "" if operator is None else module.text(operator)
    if node.type != "binary_expression" or left is None or right is None:
        yield "", ""
    elif sign == "&&":
        yield from _compared(module, unwrap(left), name)
        yield from _compared(module, unwrap(right), name)
    else:
        path, text = member_path(module, left), string_value(module, right)
        is_known = sign in _EQUALS and len(path) == 2 and path[0] == name and path[1] in _PARTS
        yield (path[1], text) if is_known and text is not None else ("", "")
