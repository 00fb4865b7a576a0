"""Run statements: declarations, changes and returned values. Code that is not understood results in holes."""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, hide
from octavo.v4.javascript.modules import DECLARATIONS
from octavo.v4.javascript.patterns import bind
from octavo.v4.javascript.semantics import SYNTAX, Unknown, is_same, is_truthy
from octavo.v4.javascript.syntax import identifier, named, string_value, walk_own
from octavo.v4.javascript.taint import taint
from octavo.v4.javascript.values import UNDEFINED, Function, Hole, Items, Record, Value

FUNCTIONS = ("function_declaration", "generator_function_declaration")
NOTHING = frozenset(
    {
        "empty_statement",
        "interface_declaration",
        "type_alias_declaration",
        "ambient_declaration",
        "debugger_statement",
        "comment",
        "hash_bang_line",
        "function_signature",
    }
)
"""Statements without an effect."""


class Break(Exception):
    """`break` of a `switch` or a loop."""


def run(context: Context, statements: Sequence[Node], scope: Scope) -> Value | None:
    """Run statements in `scope`, up to the first `return`, and return its value."""
    for statement in statements:
        if (declaration := _declared(statement)).type in FUNCTIONS:
            _declare_function(context, declaration, scope)
    for statement in statements:
        context.spend(statement, scope)
        returned = _run_one(context, statement, scope)
        if returned is not None:
            return returned
    return None


def _run_one(context: Context, statement: Node, scope: Scope) -> Value | None:
    handler = STATEMENTS.get(statement.type)
    if handler is not None:
        return handler(context, statement, scope)
    if statement.type in NOTHING or statement.type in FUNCTIONS:
        return None
    return _lost(context, statement, scope, context.new_hole(statement, scope, "unsupported statement"))


def _lost(context: Context, statement: Node, scope: Scope, hole: Hole) -> Value | None:
    """Handle a statement with unknown effects; return a hole if it may contain a `return`."""
    taint(context, statement, scope, hole)
    leaves = any(descendant.type in ("return_statement", "throw_statement") for descendant in walk_own(statement))
    if (name := statement.child_by_field_name("name")) is not None:
        scope.names[identifier(scope.module, name)] = Value(hole, hole.place)
    return Value(hole, hole.place) if leaves else None


def _declared(statement: Node) -> Node:
    return statement.child_by_field_name("declaration") or statement


def _declare_function(context: Context, node: Node, scope: Scope) -> None:
    if (name := node.child_by_field_name("name")) is not None:
        scope.names[identifier(scope.module, name)] = context.value(Function(node, scope.module, scope), node, scope)


def _declaration(context: Context, statement: Node, scope: Scope) -> None:
    for one in named(statement):
        pattern, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if pattern is None:
            continue
        evaluated = context.evaluate(value, scope) if value is not None else context.value(UNDEFINED, one, scope)
        try:
            bind(context, pattern, evaluated, scope)
        except Unknown as unknown:
            scope.names |= {
                identifier(scope.module, name): context.hole(name, scope, str(unknown))
                for name in walk_own(pattern)
                if name.type in ("identifier", "shorthand_property_identifier_pattern")
            }


def _expression(context: Context, statement: Node, scope: Scope) -> None:
    context.evaluate(named(statement)[0], scope)


def _return(context: Context, statement: Node, scope: Scope) -> Value:
    below = named(statement)
    return context.evaluate(below[0], scope) if below else context.value(UNDEFINED, statement, scope)


def _block(context: Context, statement: Node, scope: Scope) -> Value | None:
    return run(context, named(statement), scope.inner())


def _if(context: Context, statement: Node, scope: Scope) -> Value | None:
    condition = statement.child_by_field_name("condition")
    decided = context.evaluate(condition, scope) if condition is not None else None
    if decided is None or decided.hole is not None:
        hole = decided.data if decided is not None and isinstance(decided.data, Hole) else None
        return _lost(context, statement, scope, hole or context.new_hole(statement, scope, SYNTAX))
    chosen = statement.child_by_field_name("consequence" if is_truthy(decided.data) else "alternative")
    if chosen is None:
        return None
    return run(context, named(chosen) if chosen.type == "else_clause" else [chosen], scope)


def _switch(context: Context, statement: Node, scope: Scope) -> Value | None:
    value, body = statement.child_by_field_name("value"), statement.child_by_field_name("body")
    if value is None or body is None:
        return None
    decided, cases = context.evaluate(value, scope), named(body)
    if decided.hole is not None:
        return _lost(context, statement, scope, decided.hole)
    begin = next((index for index, case in enumerate(cases) if case.type == "switch_default"), None)
    for index, case in enumerate(cases):
        if (expected := case.child_by_field_name("value")) is not None:
            expected_value = context.evaluate(expected, scope)
            if expected_value.hole is not None:
                return _lost(context, statement, scope, expected_value.hole)
            if is_same(decided.data, expected_value.data):
                begin = index
                break
    if begin is None:
        return None
    try:
        chosen = [child for case in cases[begin:] for child in case.children_by_field_name("body") if child.is_named]
        return run(context, chosen, scope.inner())
    except Break:
        return None


def _break(context: Context, statement: Node, scope: Scope) -> None:
    raise Break


def _throw(context: Context, statement: Node, scope: Scope) -> Value:
    return context.hole(statement, scope, "the code throws here, so v4 would not start")


def _for_of(context: Context, statement: Node, scope: Scope) -> Value | None:
    left, right, body = (statement.child_by_field_name(name) for name in ("left", "right", "body"))
    of = statement.child_by_field_name("operator")
    values = context.evaluate(right, scope).data if right is not None else None
    plain = left is not None and body is not None and of is not None and of.type == "of"
    jumps = any(descendant.type in ("continue_statement", "labeled_statement") for descendant in walk_own(statement))
    if not isinstance(values, Items) or values.rest is not None or not plain or jumps or left is None or body is None:
        hole = context.new_hole(statement, scope, "unsupported loop")
        return _lost(context, statement, scope, hole)
    try:
        for value in list(values):
            inner = scope.inner()
            bind(context, left, value, inner)
            if (returned := run(context, [body], inner)) is not None:
                return returned
    except Break:
        pass
    return None


def _export(context: Context, statement: Node, scope: Scope) -> None:
    exports = scope.names["exports"].data
    if not isinstance(exports, Record):
        return
    exports["__esModule"] = context.value(True, statement, scope)
    if (source := statement.child_by_field_name("source")) is not None:
        _export_again(context, statement, string_value(scope.module, source) or "", exports, scope)
        return
    declared, words = statement.child_by_field_name("declaration"), {child.type for child in statement.children}
    if declared is not None:
        before = set(scope.names)
        _run_one(context, declared, scope)
        names = set(scope.names) - before
        if (name := declared.child_by_field_name("name")) is not None:
            names.add(identifier(scope.module, name))
        if "default" not in words:
            exports.update((one, scope.names[one]) for one in sorted(names) if one in scope.names)
    if "default" in words or "=" in words:
        _export_value(context, statement, exports, scope)
    for clause in named(statement):
        for one in named(clause) if clause.type == "export_clause" else []:
            if (name := one.child_by_field_name("name")) is not None:
                outside = scope.module.text(one.child_by_field_name("alias") or name)
                exports[outside] = context.evaluate(name, scope)


def _export_value(context: Context, statement: Node, exports: Record, scope: Scope) -> None:
    node = statement.child_by_field_name("value") or statement.child_by_field_name("declaration") or named(statement)[0]
    value = context.evaluate(node, scope)
    if any(child.type == "=" for child in statement.children):
        module = scope.names["module"].data
        if isinstance(module, Record):
            module["exports"] = value
    else:
        exports["default"] = value


def _export_again(context: Context, statement: Node, specifier: str, exports: Record, scope: Scope) -> None:
    data = context.require(specifier, statement, scope)
    exported = context.value(data, statement, scope)
    clauses = [child for child in named(statement) if child.type == "export_clause"]
    if not clauses:
        if isinstance(data, Record):
            if data.rest is not None:
                hide(exports, data.rest)
            exports.update((key, value) for key, value in data.items() if key != "default")
        elif isinstance(data, Hole):
            hide(exports, data)
    for one in (one for clause in clauses for one in named(clause)):
        if (name := one.child_by_field_name("name")) is not None:
            outside = scope.module.text(one.child_by_field_name("alias") or name)
            inside = scope.module.text(name)
            exports[outside] = default_of(exported) if inside == "default" else exported.at(inside)


def default_of(value: Value) -> Value:
    """Return what `import x from` imports from a module: its default export, or all of a module that is not an ES
    module."""
    return value.at("default") if isinstance(value.data, Record) and "__esModule" in value.data else value


def _import(context: Context, statement: Node, scope: Scope) -> None:
    if any(child.type == "type" for child in statement.children):
        return
    for clause in named(statement):
        source = statement.child_by_field_name("source") or clause.child_by_field_name("source")
        if source is None or clause.type not in ("import_clause", "import_require_clause"):
            continue
        data = context.require(string_value(scope.module, source) or "", statement, scope)
        whole = context.value(data, statement, scope)
        if clause.type == "import_require_clause":
            scope.names[scope.module.text(named(clause)[0])] = whole
            continue
        for child in named(clause):
            _import_names(context, child, whole, scope)


def _import_names(context: Context, node: Node, whole: Value, scope: Scope) -> None:
    if node.type == "identifier":
        scope.names[scope.module.text(node)] = default_of(whole)
    elif node.type == "namespace_import":
        scope.names[scope.module.text(named(node)[0])] = whole
    elif node.type == "named_imports":
        for one in named(node):
            name = one.child_by_field_name("name")
            if name is not None:
                taken = context.property(whole, scope.module.text(name), one, scope)
                scope.names[scope.module.text(one.child_by_field_name("alias") or name)] = taken


STATEMENTS: dict[str, Callable[[Context, Node, Scope], Value | None]] = {
    **dict.fromkeys(DECLARATIONS, _declaration),
    "expression_statement": _expression,
    "return_statement": _return,
    "statement_block": _block,
    "if_statement": _if,
    "switch_statement": _switch,
    "break_statement": _break,
    "throw_statement": _throw,
    "for_in_statement": _for_of,
    "export_statement": _export,
    "import_statement": _import,
}
