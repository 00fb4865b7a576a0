"""Names in a function that refer to the context (`ctx`) of a request."""

from typing import Final

from tree_sitter import Node

from octavo.v4.code.describing import called
from octavo.v4.code.harmless_calls import GLOBALS, REFUSING, is_harmless_package, is_method
from octavo.v4.javascript.modules import Binding, bindings_of, names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import callee, identifier, member_path, walk

REQUEST: Final = "requestContext"
_CALCULATES: Final = frozenset(("JSON", "Math", "Number", "String", "Boolean", "Date", "parseInt", "parseFloat"))
HEADERS: Final = (("set",), ("append",), ("response", "set"))
_SCALARS: Final = frozenset(
    (
        *((name,) for name in ("url", "method", "path", "status", "ip", "originalUrl", "hostname", "host", "href")),
        *(("request", name) for name in ("url", "method", "path", "ip")),
        ("response", "status"),
    )
)
"""Parts of the context that are texts or numbers, so that reading them changes nothing."""
_LOGS: Final = (("console",), ("strapi", "log"))
_ACTS: Final = frozenset(
    (
        "call_expression",
        "new_expression",
        "await_expression",
        "assignment_expression",
        "augmented_assignment_expression",
        "update_expression",
        "yield_expression",
        "class",
    )
)
"""Expressions with side effects."""

ASSIGNMENTS: Final = ("assignment_expression", "augmented_assignment_expression")
_SURELY_THERE: Final = len(("ctx", "query", "sort"))
"""Number of names in a path of the context that exists for every request."""


class NotUnderstood(ValueError):
    """The code is not in one of the forms that are known to let every request pass."""


class Context:
    """The names of one function. `bindings` are those with literal values, of the function or its file."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.bindings = dict(bindings_of(module))
        self._paths: dict[str, tuple[str, ...]] = {}

    def shadow(self, pattern: Node, node: Node, value: Node | None, *, constant: bool) -> None:
        """Let a name in the function hide a name of the file."""
        for name, way in names_in(self._module, pattern):
            self._paths.pop(name, None)
            self.bindings[name] = Binding(name, node, value, way, constant=constant)

    def name(self, pattern: Node, path: tuple[str, ...]) -> None:
        """Map the names of a pattern to a path of the context."""
        for name, way in names_in(self._module, pattern):
            if way is not None:
                self._paths[name] = _plain((*path, *way))
                if len(self._paths[name]) > _SURELY_THERE:
                    raise NotUnderstood

    def knows(self, node: Node) -> bool:
        """Return whether a name refers to the context."""
        return identifier(self._module, node) in self._paths

    def is_context_call(self, call: Node) -> bool:
        """Return whether a call is a method of the context."""
        return self._paths.get(callee(self._module, call)[0]) == ("ctx",)

    def path(self, node: Node) -> tuple[str, ...]:
        """Return the path of the context that an expression refers to (`ctx.request.query` as `ctx.query`), or an empty
        one."""
        path = member_path(self._module, node)
        start = self._paths.get(path[0]) if path else None
        return () if start is None else _plain((*start, *path[1:]))

    def check_pure(self, node: Node) -> None:
        """Check that evaluating an expression has no side effects and never fails: a parameter's members may be
        missing.

        Raises NotUnderstood.
        """
        for descendant in walk(node):
            is_sure = descendant.type != "member_expression" or "?." in self._module.text(descendant)
            if not is_sure and len(self.path(descendant)) > _SURELY_THERE:
                raise NotUnderstood
            if descendant.type in _ACTS:
                chain = (
                    callee(self._module, descendant) if descendant.type in ("call_expression", "new_expression") else ()
                )
                if not chain or chain[0] not in _CALCULATES or chain[0] in self.bindings:
                    raise NotUnderstood

    def check_call(self, call: Node) -> None:
        """Check that a call after the response cannot reject. It is not followed. Raises NotUnderstood."""
        chain = callee(self._module, call)
        if not chain:  # a call of another call's result, which is checked separately
            known = any(map(is_method, called(self._module, call)[-1:]))
        elif chain[0] in self.bindings:
            binding = self.bindings[chain[0]]
            imported = binding.imported
            known = (
                is_method(chain[-1]) and len(chain) > 1
                if imported is None
                else is_harmless_package(imported.specifier, chain[1:])
            )
        else:
            known = chain[0] in GLOBALS or chain[:2] == ("strapi", "log") or self.is_context_call(call)
        if not known or ".".join(chain) in REFUSING:
            raise NotUnderstood

    def check_mention(self, node: Node) -> None:
        """Check that only a plain value of the context is read. Raises NotUnderstood."""
        top = node
        while top.parent is not None and top.parent.type in ("member_expression", "subscript_expression"):
            if top.parent.child_by_field_name("object") != top:
                break
            top = top.parent
        parent = top.parent
        is_target = parent is not None and (
            parent.type == "update_expression"
            or (parent.type in ASSIGNMENTS and parent.child_by_field_name("left") == top)
        )
        is_called = parent is not None and parent.child_by_field_name("function") == top
        path = self.path(top)
        if is_target or (is_called and path[1:] not in HEADERS) or not (is_called or path[1:] in _SCALARS):
            raise NotUnderstood


def _plain(path: tuple[str, ...]) -> tuple[str, ...]:
    return ("ctx", *path[2:]) if path[:3] == ("ctx", "request", "query") else path


def uses_caller(module: Module, function: Node) -> bool:
    """Return whether code uses the caller, which fails for anonymous requests even without an effect."""
    return _mentions(module, function, "state")


def uses_current_request(module: Module, function: Node) -> bool:
    """Return whether code that gets no request uses the current one: `strapi.requestContext.get()`."""
    return _mentions(module, function, REQUEST)


def _mentions(module: Module, function: Node, name: str) -> bool:
    return any(
        descendant.type in ("property_identifier", "shorthand_property_identifier_pattern")
        and module.text(descendant) == name
        for descendant in walk(function)
    )


def has_plain_parameters(function: Node) -> bool:
    """Return whether the parameters of a function have no defaults that call functions."""
    given = function.child_by_field_name("parameters")
    return given is None or not any(parameter.type in _ACTS for parameter in walk(given))


def logs(module: Module, node: Node) -> bool:
    """Return whether an expression only writes to the log."""
    chain = callee(module, node) if node.type == "call_expression" else ()
    return any(chain[: len(start)] == start and len(chain) == len(start) + 1 for start in _LOGS)
