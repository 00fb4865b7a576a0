"""Translate statements, line by line. Those without a translation become a comment and a `raise`."""

from collections.abc import Callable, Sequence
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts import assigning, members
from octavo.v4.adoption.drafts.expressions import reach, read
from octavo.v4.adoption.drafts.lists import bind
from octavo.v4.adoption.drafts.operators import condition
from octavo.v4.adoption.drafts.python import Binds, Py, bracketed, comment, indented, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.modules import DECLARATIONS, Import, names_in, required
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    identifier,
    named,
    parameters,
    statements,
    unwrap,
    walk_own,
)

Lines = list[str]

_MOST_QUOTED: Final = 30
_OTHER_LOOP: Final = "cannot translate a `for` loop that does not count up from one number to another"
_TYPES: Final = ("interface_declaration", "type_alias_declaration", "empty_statement", "comment", "debugger_statement")
_ENDS: Final = ("break_statement", "return_statement", "throw_statement", "continue_statement")


def block(scope: Scope, listed: Sequence[Node], *, tail: bool) -> Lines:
    """Translate the statements of a block. `tail`: it is at the end of the function, so a response can be returned."""
    listed = [one for one in listed if one.type not in _TYPES]
    lines: Lines = []
    for number, one in enumerate(listed):
        following = listed[number + 1] if number + 1 < len(listed) else None
        is_end = following is None or (following.type == "return_statement" and not named(following))
        lines += statement(scope, one, tail=(tail or following is not None) and is_end)
    return lines


def statement(scope: Scope, node: Node, *, tail: bool) -> Lines:
    """Translate one statement, with functions written before it. Without a translation, return a `raise` with the
    reason."""
    return _guarded(scope, node, lambda: _WRITERS.get(node.type, _unknown)(scope, node, tail))


def answer(scope: Scope, body: Node) -> Lines:
    """Translate the body of `() => expression`."""
    return _guarded(scope, body, lambda: _returned(scope, body))


def _guarded(scope: Scope, node: Node, write: Callable[[], Lines]) -> Lines:
    kept = len(scope.before), len(scope.doubts)
    try:
        with scope.deeper(node):
            lines = write()
    except Untranslated as missing:
        del scope.before[kept[0] :], scope.doubts[kept[1] :]
        return _untranslated(scope, node, missing)
    lines = [*_checks(scope, kept[1]), *scope.before[kept[0] :], *lines]
    del scope.before[kept[0] :]
    return lines


def _checks(scope: Scope, kept: int) -> Lines:
    doubts = scope.doubts[kept:]
    del scope.doubts[kept:]
    scope.text.doubted += len(doubts)
    return [f"# check: {says}" for says in doubts]


def _untranslated(scope: Scope, node: Node, missing: Untranslated) -> Lines:
    """Return the JavaScript as a comment, and a `raise`. The names that it declares are known afterwards."""
    scope.text.reasons.append(missing.why)
    if node.type in DECLARATIONS:
        for one in named(node):
            pattern = one.child_by_field_name("name")
            for name, _ in names_in(scope.module, pattern) if pattern is not None else ():
                scope.declare(name)
    quoted = scope.module.text(node).splitlines()
    rest = [f"... {len(quoted) - _MOST_QUOTED} more lines"] if len(quoted) > _MOST_QUOTED else []
    place = scope.module.place(missing.node)
    says = text_literal(f"{place.file}:{place.line}: {missing.why}")
    return [
        *comment("\n".join([*quoted[:_MOST_QUOTED], *rest])),
        f"raise NotImplementedError({says})",
    ]


def _unknown(scope: Scope, node: Node, tail: bool) -> Lines:
    raise Untranslated(node, f"unsupported syntax: {node.type.replace('_', ' ')}")


def _declaration(scope: Scope, node: Node, tail: bool) -> Lines:
    lines: Lines = []
    for one in named(node):
        pattern, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if pattern is None:
            raise Untranslated(node, "declaration without a name")
        imported = None if value is None else required(scope.module, value)
        if imported is not None:
            lines += _required(scope, one, pattern, imported)
        elif value is None:
            lines.append(f"{scope.declare(identifier(scope.module, pattern))} = None")
        elif unwrap(value).type in FUNCTIONS and pattern.type == "identifier":
            name = scope.define(scope, unwrap(value), identifier(scope.module, pattern))
            scope.alias(identifier(scope.module, pattern), Py(name, kind="function"))
        else:
            lines += assigning.declared(scope, pattern, reach(scope, value))
    return lines


def _required(scope: Scope, node: Node, pattern: Node, found: Import) -> Lines:
    """Translate `const x = require("x")` inside a function."""
    value = members.imported(scope, found) or scope.text.bring(scope.text, found)
    if value is None:
        raise Untranslated(node, f"unsupported import: `{scope.module.text(pattern)}` from {found.specifier}")
    return assigning.declared(scope, pattern, value)


def _function(scope: Scope, node: Node, tail: bool) -> Lines:
    own = node.child_by_field_name("name")
    if own is None:
        raise Untranslated(node, "function without a name")
    name = identifier(scope.module, own)
    scope.alias(name, Py(scope.define(scope, node, name), kind="function"))
    return []


def _expression(scope: Scope, node: Node, tail: bool) -> Lines:
    inner = unwrap(named(node)[0])
    if inner.type in ("assignment_expression", "augmented_assignment_expression", "update_expression"):
        return assigning.assignment(scope, inner, tail=tail)
    if inner.type == "unary_expression" and scope.module.text(inner).startswith("delete"):
        return assigning.deletion(scope, inner)
    bare = unwrap(named(inner)[0]) if inner.type == "await_expression" else inner
    if bare.type == "call_expression":
        looped = _for_each(scope, bare) or _transaction(scope, bare)
        if looped is not None:
            return looped
    return _alone(scope, node, bare, read(scope, inner), tail=tail)


def _alone(scope: Scope, node: Node, bare: Node, value: Py, *, tail: bool) -> Lines:
    """Translate an expression statement."""
    match value.kind:
        case "refusal" | "thrown":
            if not tail and value.kind == "refusal":
                scope.doubt("raises an error; in JavaScript the function continues")
            return _refuse(scope, value)
        case "answered":
            throws = scope.module.text(bare).startswith("ctx.throw")
            return assigning.answered(scope, node, value, tail=tail or throws)
        case "text" if bare.type == "string":
            return []  # "use strict"
        case "next":
            scope.frame.goes_on = True
            return [f"answer = {value.text}"]
    return value.text.split("\n")


def _refuse(scope: Scope, value: Py) -> Lines:
    scope.frame.refuses += 1
    return [f"raise {value.text}"]


def _for_each(scope: Scope, call: Node) -> Lines | None:
    """Translate `list.forEach((item) => { ... })` to a loop."""
    function = call.child_by_field_name("function")
    given = arguments(call)
    name = function.child_by_field_name("property") if function is not None else None
    below = function.child_by_field_name("object") if function is not None else None
    if name is None or below is None or scope.module.text(name) != "forEach" or len(given) != 1:
        return None
    body, patterns = unwrap(given[0]).child_by_field_name("body"), parameters(unwrap(given[0]))
    if body is None or not 1 <= len(patterns) <= 2:
        raise Untranslated(call, "the callback of `forEach` must be a function literal with one or two parameters")
    if any(descendant.type == "return_statement" for descendant in walk_own(body)):
        raise Untranslated(call, "cannot translate `return` inside `forEach`")
    source, inner = read(scope, below), scope.inner()
    variable = bind(inner, patterns[0], "entry" if source.kind == "entries" else "")
    head = f"for {variable} in {source.text}:"
    if len(patterns) == 2:
        head = f"for {bind(inner, patterns[1], 'number')}, {variable} in enumerate({source.text}):"
    lines = block(inner, statements(body), tail=False) if body.type == "statement_block" else [read(inner, body).text]
    return [head, *_body(lines)]


def _transaction(scope: Scope, call: Node, *, returned: bool = False) -> Lines | None:
    """Translate `strapi.db.transaction(async () => { ... })`, if its result is ignored or returned."""
    function, given = call.child_by_field_name("function"), arguments(call)
    if function is None or scope.module.text(function) != "strapi.db.transaction" or len(given) != 1:
        return None
    if unwrap(given[0]).type not in FUNCTIONS:
        raise Untranslated(call, "the callback of a transaction must be a function literal")
    body = unwrap(given[0]).child_by_field_name("body")
    if body is None or body.type != "statement_block" or parameters(unwrap(given[0])):
        raise Untranslated(call, "the callback of a transaction must have a block body and no parameters")
    if not returned and any(descendant.type == "return_statement" for descendant in walk_own(body)):
        raise Untranslated(call, "cannot translate `return` inside a transaction")
    scope.frame.awaits = True
    return [f"async with {scope.app}.transaction():", *_body(block(scope.inner(), statements(body), tail=returned))]


def _body(lines: Lines) -> Lines:
    """Indent lines; without any, return `pass`."""
    has_code = any(not line.startswith("#") for line in lines)
    return [indented(line) for line in (lines if has_code else [*lines, "pass"])]


def _return(scope: Scope, node: Node, tail: bool) -> Lines:
    values = named(node)
    if values:
        return _returned(scope, unwrap(values[0]))
    return ["return True" if scope.frame.role == "policy" else "return answer" if scope.frame.goes_on else "return"]


def _returned(scope: Scope, given: Node) -> Lines:
    role = scope.frame.role
    if given.type == "assignment_expression":
        return assigning.assignment(scope, given, tail=True)
    bare = unwrap(named(given)[0]) if given.type == "await_expression" else given
    if bare.type == "call_expression" and (inside := _transaction(scope, bare, returned=True)) is not None:
        return inside
    value = read(scope, given)
    if value.kind in ("refusal", "thrown"):
        return _refuse(scope, value)
    if role == "policy":
        return [_passing(scope, value)]
    if role.startswith("hook"):
        return [*([] if value.kind == "null" else value.text.split("\n")), "return"]
    if role in ("action", "middleware"):
        return assigning.answered(scope, given, value, tail=True)
    return f"return {value.text}".split("\n")


def _passing(scope: Scope, value: Py) -> str:
    """Return the result of a policy: in v4, only true and undefined pass."""
    if value.kind in ("bool", "null"):
        return f"return {'True' if value.kind == 'null' else value.text}"
    scope.doubt("a policy in v4 allows the request only if it returns `true`")
    return f"return {value.within(Binds.ADD)} is True"


def _if(scope: Scope, node: Node, tail: bool) -> Lines:
    test, first = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if test is None or first is None:
        raise Untranslated(node, "incomplete `if` statement")
    lines = [f"if {condition(scope, test).text}:", *_body(_branch(scope, first, tail))]
    other = node.child_by_field_name("alternative")
    if other is not None:
        inner = _branch(scope, named(other)[0], tail)
        if named(other)[0].type == "if_statement" and inner and inner[0].startswith("if "):
            lines += [f"el{inner[0]}", *inner[1:]]
        else:
            lines += ["else:", *_body(inner)]
    return lines


def _branch(scope: Scope, node: Node, tail: bool) -> Lines:
    listed = statements(node) if node.type == "statement_block" else [node]
    return block(scope.inner(), listed, tail=tail)


def _for_of(scope: Scope, node: Node, tail: bool) -> Lines:
    left, right, body = (node.child_by_field_name(name) for name in ("left", "right", "body"))
    if left is None or right is None or body is None:
        raise Untranslated(node, "incomplete loop")
    source, inner = read(scope, right), scope.inner()
    if any(child.type == "in" for child in node.children):
        scope.doubt("iterates over the keys of a dictionary; of a list, JavaScript iterates over the indexes")
    if left.type == "array_pattern" and all(part.type == "identifier" for part in named(left)):
        variable = ", ".join(inner.declare(identifier(scope.module, part)) for part in named(left))
    else:
        variable = bind(inner, left, "entry" if source.kind == "entries" else "")
    listed = statements(body) if body.type == "statement_block" else [body]
    return [f"for {variable} in {source.text}:", *_body(block(inner, listed, tail=False))]


def _for(scope: Scope, node: Node, tail: bool) -> Lines:
    """Translate `for (let i = 0; i < n; i++)`. Other loops of this form have no translation."""
    start, test, step, body = (
        node.child_by_field_name(name) for name in ("initializer", "condition", "increment", "body")
    )
    if start is None or test is None or step is None or body is None or start.type not in DECLARATIONS:
        raise Untranslated(node, _OTHER_LOOP)
    inner, one = scope.inner(), named(start)[0]
    pattern, first = one.child_by_field_name("name"), one.child_by_field_name("value")
    compared = unwrap(named(test)[0]) if test.type == "expression_statement" else unwrap(test)
    operator, last = compared.child_by_field_name("operator"), compared.child_by_field_name("right")
    counts = (
        scope.module.text(step) in (f"{scope.module.text(pattern)}++", f"++{scope.module.text(pattern)}")
        if pattern
        else False
    )
    if pattern is None or first is None or last is None or operator is None or operator.type != "<" or not counts:
        raise Untranslated(node, _OTHER_LOOP)
    begin, end = read(scope, first).text, read(scope, last).text
    variable = inner.declare(identifier(scope.module, pattern), "index")
    span = f"range({end})" if begin == "0" else f"range({begin}, {end})"
    listed = statements(body) if body.type == "statement_block" else [body]
    return [f"for {variable} in {span}:", *_body(block(inner, listed, tail=False))]


def _while(scope: Scope, node: Node, tail: bool) -> Lines:
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if test is None or body is None:
        raise Untranslated(node, "incomplete loop")
    return [f"while {condition(scope, test).text}:", *_body(_branch(scope, body, False))]


def _try(scope: Scope, node: Node, tail: bool) -> Lines:
    body, handler, last = (node.child_by_field_name(name) for name in ("body", "handler", "finalizer"))
    if body is None:
        raise Untranslated(node, "`try` without a body")
    refused = scope.frame.refuses
    lines = ["try:", *_body(block(scope.inner(), statements(body), tail=tail and last is None))]
    if scope.frame.refuses > refused and handler is not None:
        scope.text.octavo.add("OctavoError")
        lines += ["except OctavoError:", "    raise"]
    if handler is not None:
        inner, named_as = scope.inner(), handler.child_by_field_name("parameter")
        head = "except Exception:"
        if named_as is not None:
            head = f"except Exception as {inner.declare(scope.module.text(named_as), 'error')}:"
        caught = handler.child_by_field_name("body")
        lines += [head, *_body(block(inner, statements(caught) if caught is not None else [], tail=tail))]
    if last is not None:
        lines += ["finally:", *_body(block(scope.inner(), statements(named(last)[0]), tail=False))]
    return lines


def _throw(scope: Scope, node: Node, tail: bool) -> Lines:
    value = read(scope, named(node)[0])
    if value.kind not in ("error value", "error"):
        raise Untranslated(node, "cannot raise a value that is not an error")
    return [f"raise {value.text}"]


def _switch(scope: Scope, node: Node, tail: bool) -> Lines:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or body is None:
        raise Untranslated(node, "incomplete `switch` statement")
    subject, tests, lines = read(scope, value).within(Binds.ADD), list[str](), Lines()
    cases = named(body)
    for number, case in enumerate(cases):
        own = case.child_by_field_name("value")
        inside = [one for one in named(case) if own is None or one.id != own.id]
        if len(inside) == 1 and inside[0].type == "statement_block":
            inside = statements(inside[0])
        tests += [] if own is None else [read(scope, own).text]
        if not inside and number + 1 < len(cases):
            continue
        if inside and inside[-1].type not in _ENDS and number + 1 < len(cases):
            raise Untranslated(case, "a `case` falls through to the next one")
        if inside and inside[-1].type == "break_statement":
            inside = inside[:-1]
        if any(descendant.type == "break_statement" for one in inside for descendant in walk_own(one)):
            raise Untranslated(case, "a `case` has several `break` statements")
        test = f"{subject} == {tests[0]}" if len(tests) == 1 else f"{subject} in {bracketed('(', tests, ')')}"
        head = "else:" if case.type == "switch_default" else f"{'el' if lines else ''}if {test}:"
        if head == "else:" and (not lines or number + 1 < len(cases)):
            raise Untranslated(case, "`default` is not the last case")
        lines += [head, *_body(block(scope.inner(), inside, tail=tail))]
        tests = []
    return lines


def _leave(scope: Scope, node: Node, tail: bool) -> Lines:
    if named(node):
        raise Untranslated(node, "cannot translate `break` or `continue` with a label")
    return [node.type.removesuffix("_statement")]


def _nested(scope: Scope, node: Node, tail: bool) -> Lines:
    return block(scope.inner(), statements(node), tail=tail)


_WRITERS: Final[dict[str, Callable[[Scope, Node, bool], Lines]]] = {
    **dict.fromkeys(DECLARATIONS, _declaration),
    **dict.fromkeys(("break_statement", "continue_statement"), _leave),
    **dict.fromkeys(("function_declaration", "generator_function_declaration"), _function),
    "expression_statement": _expression,
    "return_statement": _return,
    "if_statement": _if,
    "for_in_statement": _for_of,
    "for_statement": _for,
    "while_statement": _while,
    "try_statement": _try,
    "throw_statement": _throw,
    "switch_statement": _switch,
    "statement_block": _nested,
}
