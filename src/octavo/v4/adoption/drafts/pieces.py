"""Translate the pieces that v4 loads by their location to Python for the corresponding location."""

from collections.abc import Iterable
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.adoption.drafts import assigning
from octavo.v4.adoption.drafts.expressions import reach, read
from octavo.v4.adoption.drafts.functions import body_lines, guarded_parameters, new_scope
from octavo.v4.adoption.drafts.python import Py, comment, indented, method_of, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Text, Untranslated
from octavo.v4.javascript.syntax import FUNCTIONS, identifier, parameters, properties, unwrap

Lines = list[str]


_CORE: Final = ("find", "findOne", "create", "update", "delete", "count")
"""Functions that core controllers call on services."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A JavaScript function, such as an action, a hook or a task, with its name there."""

    name: str
    node: Node


def class_lines(text: Text, stem: str, kind: str, owner: str, pieces: Iterable[Piece], known: Iterable[str]) -> Lines:
    """Return `class TalkController(Controller)`, or a service. `known` are all names of `this`."""
    text.octavo.add(kind)
    name = "".join(part[:1].upper() + part[1:] for part in stem.replace("-", "_").replace(".", "_").split("_"))
    methods = {one: method_of(one) for one in known}
    lines = [f"class {name}{kind}({kind}):"]
    for number, piece in enumerate(pieces):
        if kind == "Service" and piece.name in _CORE and f"{owner}.{piece.name}" not in text.project.own_actions:
            text.reasons.append(
                f"core actions in Octavo call `{piece.name}` with other arguments and use another result"
            )
        scope = new_scope(text, "self.app", owner, "action" if kind == "Controller" else "")
        scope.alias("this", Py("self", kind="self"))
        scope.alias("super", Py("super()", kind="super"))
        for own, method in methods.items():
            scope.alias(f"this.{own}", Py(method))
        given = _given(scope, piece.node, ("request",) if kind == "Controller" else None)
        names = [_left_out(one) for one in given.names] if kind == "Service" else given.names
        head = f"async def {methods[piece.name]}({', '.join(['self', *names])}):"
        body = [_place(text, piece.node), head]
        body += map(indented, [*given.lines, *body_lines(scope, piece.node)])
        lines += [""] * (number > 0) + [indented(line) for line in body]
    return lines


def _left_out(parameter: str) -> str:
    """Return a parameter with a default, because all parameters are optional in JavaScript."""
    return parameter if "=" in parameter or parameter.startswith("*") else f"{parameter}=None"


@dataclass(frozen=True, slots=True)
class _Given:
    names: Lines
    lines: Lines


_KINDS: Final = {"request": "ctx", "context": "policy", "event": "event", "config": "dict", "app": "strapi"}
"""The kinds of the arguments that Octavo passes, by their names in Python."""


def _given(scope: Scope, node: Node, names: tuple[str, ...] | None) -> _Given:
    """Return the parameters of a function: those passed by v4 under Python's names, others unchanged."""

    if names is None:
        return _Given(*guarded_parameters(scope, node))
    lines = Lines()
    for pattern, name in zip(parameters(node), names, strict=False):
        value = Py(name, kind=_KINDS[name])
        inner = pattern
        if pattern.type == "assignment_pattern":
            inner = pattern.named_children[0]
        try:
            lines += assigning.declared(scope, inner, value) if inner.type != "identifier" else []
        except Untranslated as missing:
            scope.text.reasons.append(missing.why)
            lines.append(f"raise NotImplementedError({text_literal(missing.why)})")
        if inner.type == "identifier":
            scope.alias(identifier(scope.module, inner), value)
    return _Given(list(names), lines)


def policy_lines(text: Text, node: Node, owner: str) -> Lines:
    """Return `policy(context, config)`. In v4, a policy that returns nothing passes, so the draft returns True."""
    scope = new_scope(text, "context.app", owner, "policy")
    given = _given(scope, node, ("context", "config"))
    body = [*given.lines, *body_lines(scope, node)]
    if not body[-1].startswith(("return", "raise")):
        body = [line for line in body if line != "pass"] + ["return True"]
    return [_place(text, node), f"async def policy({', '.join(given.names)}):", *map(indented, body)]


def middleware_lines(text: Text, node: Node, config: Node | None, owner: str) -> Lines:
    """Return `middleware(request, next, config)` from v4's `(config, { strapi }) => (ctx, next) => ...`."""
    scope = new_scope(text, "request.app", owner, "middleware")
    if config is not None and config.type == "identifier":
        scope.alias(identifier(text.module, config), Py("config", kind="dict"))
    patterns = parameters(node)
    for pattern, value in zip(patterns, (Py("request", kind="ctx"), Py("next", kind="next function")), strict=False):
        if pattern.type == "identifier":
            scope.alias(identifier(text.module, pattern), value)
    body = body_lines(scope, node)
    return [_place(text, node), "async def middleware(request, next, config):", *map(indented, body)]


def hook_lines(text: Text, piece: Piece, owner: str) -> Lines:
    """Return `before_create(event)` and similar hooks. Hooks that only send email or HTTP calls run after the
    commit."""
    scope = new_scope(text, "event.app", owner, f"hook {piece.name}")
    given = _given(scope, piece.node, ("event",))
    body = [*given.lines, *body_lines(scope, piece.node)]
    name = python_name(piece.name)
    written = "\n".join(body)
    if name.startswith("after_") and "find" not in name and "count" not in name and _only_notifies(written):
        name = name.replace("after_", "after_commit_", 1)
    return [_place(text, piece.node), f"async def {name}({', '.join(given.names)}):", *map(indented, body)]


def _only_notifies(written: str) -> bool:
    notifies = ".app.http." in written or ".app.mail." in written
    return notifies and ".entries(" not in written and "raise " not in written


def task_lines(text: Text, name: str, node: Node) -> Lines:
    """Return the function of a scheduled task."""
    scope = new_scope(text, "app", "", "")
    for pattern in parameters(node):
        if pattern.type == "identifier":
            scope.alias(identifier(text.module, pattern), Py("app", kind="strapi"))
    return [_place(text, node), f"async def {name}(app):", *map(indented, body_lines(scope, node))]


def tasks_lines(text: Text, tasks: Iterable[Piece]) -> Lines:
    """Return `tasks = {...}`, with the functions before it."""
    lines, entries = Lines(), Lines()
    for number, piece in enumerate(tasks):
        node = unwrap(piece.node)
        members = properties(text.module, node) if node.type == "object" else {}
        task = unwrap(members.get("task", node))
        function = python_name(piece.name) if piece.name.isidentifier() else f"task_{number + 1}"
        try:
            if task.type in FUNCTIONS:
                lines += [*task_lines(text, function, task), "", ""]
            else:
                called = reach(new_scope(text, "app", "", ""), task)
                lines += [
                    _place(text, node),
                    f"async def {function}(app):",
                    f"    {_call_of(text, called, node)}",
                    "",
                    "",
                ]
            options = read(new_scope(text, "app", "", ""), members["options"]).text if "options" in members else ""
        except Untranslated as missing:
            text.reasons.append(missing.why)
            lines += [*comment(text.module.text(node)), "", ""]
            continue
        value = f'{{"task": {function}, "options": {options}}}' if options else function
        entries.append(f"{text_literal(piece.name)}: {value},")
    return [*lines, "tasks = {", *map(indented, entries), "}"]


def spaced(parts: Iterable[Lines]) -> Lines:
    """Join functions with blank lines."""
    lines: Lines = []
    for part in parts:
        lines += [*["", ""] * bool(lines), *part]
    return lines


def _call_of(text: Text, called: Py, node: Node) -> str:
    helper = text.helpers.get(called.kind.removeprefix("helper "))
    if helper is None:
        raise Untranslated(node, f"the task `{called.text}` is not defined in this file")
    return f"{'await ' if helper.is_async else ''}{helper.name}({'app' if helper.takes_app else ''})"


def _place(text: Text, node: Node) -> str:
    place = text.module.place(node)
    return f"# {' '.join(place.file.split())}:{place.line}"
