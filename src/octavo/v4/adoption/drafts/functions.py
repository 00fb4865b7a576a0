"""Translate functions: parameters, bodies, and whether they have to be async."""

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts import assigning
from octavo.v4.adoption.drafts.expressions import reach, read
from octavo.v4.adoption.drafts.python import Py, indented, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Frame, Helper, Scope, Text, Untranslated
from octavo.v4.adoption.drafts.statements import answer, block
from octavo.v4.javascript.modules import Binding
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, identifier, named, parameters, statements, unwrap, walk

Lines = list[str]

CONTEXTS: Final = frozenset(("ctx", "context", "koaContext", "policyContext"))
"""Common names of the context parameter."""
_WAITS: Final = frozenset(("state", "body", "strapi", "fetch", "axios"))
"""Names whose use requires `await` in Python."""


def new_scope(text: Text, app: str, owner: str, role: str) -> Scope:
    """Return the scope for translating a function of a file."""
    return Scope(text, Frame(role=role), {}, app, owner, read, reach, define)


def body_lines(scope: Scope, function: Node) -> Lines:
    """Translate the body of a function whose parameters are declared. Returns at least `pass`."""
    body = function.child_by_field_name("body")
    if body is None:
        return ["pass"]
    is_block = body.type == "statement_block"
    lines = block(scope, statements(body), tail=True) if is_block else answer(scope, unwrap(body))
    if scope.frame.goes_on and not lines[-1].startswith(("return", "raise")):
        lines.append("return answer")
    if scope.frame.goes_on and scope.frame.role == "action":
        lines.insert(0, "answer = None")
    if scope.frame.nonlocals:
        lines.insert(0, f"nonlocal {', '.join(sorted(scope.frame.nonlocals))}")
    return lines if any(not line.startswith("#") for line in lines) else [*lines, "pass"]


def define(scope: Scope, node: Node, wish: str) -> str:
    """Write a nested function before the current statement, and return its name.

    Raises Untranslated.
    """
    if scope.inside:
        raise Untranslated(node, "cannot translate a function with several statements inside another one")
    name = scope.declare(wish)
    inner = scope.inner(Frame())
    given, lines = parameters_of(inner, node)
    lines += body_lines(inner, node)
    scope.before += [f"async def {name}({', '.join(given)}):", *map(indented, lines)]
    return name


def guarded_parameters(scope: Scope, node: Node) -> tuple[Lines, Lines]:
    """Translate parameters like `parameters_of`, but with a `raise` for what cannot be translated."""
    try:
        return parameters_of(scope, node)
    except Untranslated as missing:
        scope.text.reasons.append(missing.why)
        return ["*given"], [f"raise NotImplementedError({text_literal(missing.why)})"]


def parameters_of(scope: Scope, node: Node) -> tuple[Lines, Lines]:
    """Return the parameters of a function in Python, and the lines that unpack them."""
    given, lines = Lines(), Lines()
    for pattern in parameters(node):
        default = ""
        if pattern.type == "assignment_pattern":
            inside = named(pattern)
            pattern, default = inside[0], read(scope, inside[1]).text
            if any(descendant.type in ("identifier", "this") for descendant in walk(inside[1])):
                raise Untranslated(inside[1], "the default of a parameter must be a constant")
        if pattern.type == "identifier":
            given.append(f"{_named(scope, identifier(scope.module, pattern))}{f'={default}' if default else ''}")
        elif pattern.type == "object_pattern":
            name = scope.declare("given")
            given.append(f"{name}{'=None' if default else ''}")
            value = f"{name} or {{}}" if default else name
            lines += assigning.declared(scope, pattern, Py(value, kind="dict"))
        elif pattern.type == "rest_pattern":
            given.append(f"*{scope.declare(identifier(scope.module, named(pattern)[0]), 'list')}")
        else:
            raise Untranslated(pattern, "unsupported parameter pattern")
    seen_default = False
    for name in given:
        if seen_default and "=" not in name and not name.startswith("*"):
            raise Untranslated(node, "a parameter without a default follows one with a default")
        seen_default = seen_default or "=" in name
    return given, lines


def _named(scope: Scope, name: str) -> str:
    if name == "strapi":
        scope.alias(name, Py("app", kind="strapi"))
        scope.app = "app"
        return "app"
    if name in CONTEXTS:
        scope.alias(name, Py("request", kind="ctx"))
        return "request"
    return scope.declare(name)


def helpers_of(module: Module, bindings: Mapping[str, Binding], before: str = "_") -> dict[str, Helper]:
    """Return the top-level functions of a file: whether they are async and need `app`, including functions they
    call."""
    functions = {
        name: unwrap(binding.value)
        for name, binding in bindings.items()
        if binding.imported is None and binding.value is not None and unwrap(binding.value).type in FUNCTIONS
    }
    words = {name: _words(module, node) for name, node in functions.items()}
    waits = {name for name, node in functions.items() if _is_async(module, node) or words[name] & _WAITS}
    needs = {name for name, node in functions.items() if "strapi" in words[name] and not _is_given_app(module, node)}
    for _ in functions:
        waits |= {name for name in functions if words[name] & waits}
        needs |= {name for name in functions if words[name] & needs}
    return {name: Helper(before + python_name(name).strip("_"), name in waits, name in needs) for name in functions}


def _words(module: Module, node: Node) -> set[str]:
    return {
        module.text(descendant)
        for descendant in walk(node)
        if descendant.type in ("identifier", "property_identifier", "shorthand_property_identifier_pattern")
    }


def _is_async(module: Module, node: Node) -> bool:
    return any(descendant.type == "await_expression" for descendant in walk(node)) or any(
        child.type == "async" for child in node.children
    )


def _is_given_app(module: Module, node: Node) -> bool:
    return any(parameter.type == "identifier" and module.text(parameter) == "strapi" for parameter in parameters(node))


def helper_lines(text: Text, name: str, node: Node, owner: str) -> Lines:
    """Translate a top-level function of the file."""
    helper = text.helpers[name]
    scope = new_scope(text, "app", owner, "")
    given, lines = guarded_parameters(scope, node)
    lines += body_lines(scope, node)
    if scope.frame.awaits and not helper.is_async:
        text.reasons.append("the function awaits: make it `async`, and await it in its callers")
    head = "async def" if helper.is_async else "def"
    return [f"{head} {helper.name}({', '.join(['app'] * helper.takes_app + given)}):", *map(indented, lines)]
