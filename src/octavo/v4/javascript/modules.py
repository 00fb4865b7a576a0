"""Find the exports, declarations and imports of a module, and the files of its imports. Nothing is evaluated."""

import os
import re
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import SUFFIXES, Module
from octavo.v4.javascript.source import resolved_inside
from octavo.v4.javascript.syntax import (
    arguments,
    callee,
    identifier,
    key_of,
    member_path,
    named,
    properties,
    statements,
    string_value,
    unwrap,
    walk,
)

DECLARATIONS = ("lexical_declaration", "variable_declaration")


@dataclass(frozen=True, slots=True)
class Import:
    """`require` or `import` of `specifier`. `name` is what is imported: None for the module, "default", or a name."""

    specifier: str
    node: Node
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """A top-level name of the module. `value` is its expression, or the function or class itself.

    `taken` is the path of destructuring, for example ("a", "b") in `const { a: { b } } = value`; None if it is unknown.
    `imported` is set if the value is an import. `constant` is False for `let` and `var`, which may be reassigned.
    """

    name: str
    node: Node
    value: Node | None
    taken: tuple[str, ...] | None = ()
    imported: Import | None = None
    constant: bool = True


@dataclass(slots=True)
class Exports:
    """The exports of a module. `value` is the expression of `module.exports =`, `export default`, `export =`, or of a
    JSON file; `names` are named exports (`exports.a =`, `export const a`, and the entries of `value` if it is an object
    literal).

    `again` are modules that are re-exported (`export * from`). `uncertain` is the first node that makes the exports
    depend on run time, such as an assignment to `module.exports` in a branch.
    """

    value: Node | None = None
    names: dict[str, Node] = field(default_factory=dict)
    again: list[Import] = field(default_factory=list)
    uncertain: Node | None = None


def exports_of(module: Module) -> Exports:
    """Return the exports of a module. Names are resolved to their declarations: `module.exports = config` returns the
    object of `const config`."""
    exports = Exports()
    if module.is_json:
        exports.value = module.root
    else:
        bindings = bindings_of(module)
        seen = set()
        for statement in statements(module.root):
            if statement.type == "export_statement":
                _add_export(module, statement, exports, bindings)
            elif statement.type == "expression_statement":
                seen.update(_add_assignment(module, named(statement)[0], exports, bindings))
        exports.uncertain = exports.uncertain or next(
            (
                descendant
                for descendant in walk(module.root)
                if _assigns_exports(module, descendant) and descendant.id not in seen
            ),
            None,
        )
    if exports.value is not None and unwrap(exports.value).type == "object":
        exports.names = properties(module, exports.value) | exports.names
    return exports


def _add_export(module: Module, statement: Node, exports: Exports, bindings: dict[str, Binding]) -> None:
    if (source := statement.child_by_field_name("source")) is not None:
        exports.again += _exported_again(module, statement, string_value(module, source) or "")
        return
    declaration = statement.child_by_field_name("declaration")
    words = {child.type for child in statement.children if not child.is_named}
    if "default" in words or "=" in words:
        value = statement.child_by_field_name("value") or declaration or named(statement)[0]
        exports.value = follow(module, value, bindings)
    elif declaration is not None:
        exports.names |= {found.name: found.value or found.node for found in declared(module, declaration)}
    for clause in named(statement):
        for one in named(clause) if clause.type == "export_clause" else []:
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            if name is not None:
                value, outside = follow(module, name, bindings), module.text(alias or name)
                if outside == "default":
                    exports.value = value
                else:
                    exports.names[outside] = value


def _exported_again(module: Module, statement: Node, specifier: str) -> Iterator[Import]:
    clauses = [child for child in named(statement) if child.type == "export_clause"]
    if not clauses:
        yield Import(specifier, statement)
    for clause in clauses:
        for one in named(clause):
            if (name := one.child_by_field_name("name")) is not None:
                yield Import(specifier, one, module.text(name))


def _add_assignment(
    module: Module, node: Node, exports: Exports, bindings: dict[str, Binding], depth: int = 0
) -> set[int]:
    """Add `exports.a = ...` and similar assignments, including the second of `module.exports = exports.a = ...`. Return
    the ids of the handled nodes."""
    target = _export_target(module, node)
    right = node.child_by_field_name("right")
    if target is None or right is None:
        return set()
    seen = {node.id}
    if depth < 5:
        seen |= _add_assignment(module, unwrap(right), exports, bindings, depth + 1)
    value = follow(module, _assigned(right), bindings)
    match target:
        case () | ("default",):
            exports.value = value
        case (name,):
            exports.names[name] = value
        case _:
            exports.uncertain = node
    return seen


def _assigned(node: Node) -> Node:
    while (node := unwrap(node)).type == "assignment_expression":
        right = node.child_by_field_name("right")
        if right is None:
            break
        node = right
    return node


def _assigns_exports(module: Module, node: Node) -> bool:
    target = _export_target(module, node)
    return target is not None and target[:1] != ("__esModule",)


def _export_target(module: Module, node: Node) -> tuple[str, ...] | None:
    """Return the path of the exports that an assignment sets: () for all, ("a",) for one name; None for other
    targets."""
    left = node.child_by_field_name("left")
    if node.type != "assignment_expression" or left is None:
        return None
    match member_path(module, left):
        case ("module", "exports", *rest) | ("exports", *rest):
            return tuple(rest)
    return None


def follow(module: Module, node: Node, bindings: dict[str, Binding]) -> Node:
    """Return the expression that a top-level constant refers to; any other node is returned unchanged."""
    for _ in range(20):
        node = unwrap(node)
        if node.type not in ("identifier", "shorthand_property_identifier"):
            break
        binding = bindings.get(identifier(module, node))
        if binding is None or not binding.constant or binding.value is None or binding.taken != () or binding.imported:
            break
        node = binding.value
    return node


def bindings_of(module: Module) -> dict[str, Binding]:
    """Return the top-level names of a module: constants, functions, classes, imports."""
    if module.is_json:
        return {}
    bindings: dict[str, Binding] = {}
    for statement in statements(module.root):
        if statement.type == "import_statement":
            bindings |= {binding.name: binding for binding in _imported(module, statement)}
        else:
            inner = statement.child_by_field_name("declaration") or statement
            bindings |= {binding.name: binding for binding in declared(module, inner)}
    return bindings


def declared(module: Module, node: Node) -> Iterator[Binding]:
    """Yield the names that one statement declares: `const`, `let`, `var`, a function, a class."""
    if node.type in DECLARATIONS:
        constant = node.children[0].type == "const"
        for one in named(node):
            pattern, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            if pattern is not None:
                imported = required(module, value) if value is not None else None
                for name, taken in names_in(module, pattern):
                    yield Binding(name, one, value, taken, _taken_import(imported, taken), constant)
    elif node.type.endswith("_declaration") and (own := node.child_by_field_name("name")) is not None:
        yield Binding(identifier(module, own), node, node)


def _taken_import(imported: Import | None, taken: tuple[str, ...] | None) -> Import | None:
    if imported is None or imported.name is not None or not taken:
        return imported
    return Import(imported.specifier, imported.node, taken[0])


def names_in(
    module: Module, pattern: Node, way: tuple[str, ...] | None = ()
) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Yield the names in a destructuring pattern, each with its path from the value; None if it is not plain (a
    default, a rest, a computed key)."""
    waiting: list[tuple[Node, tuple[str, ...] | None]] = [(pattern, way)]
    while waiting:
        node, way = waiting.pop()
        match node.type:
            case "identifier":
                yield identifier(module, node), way
            case "shorthand_property_identifier_pattern":
                taken = identifier(module, node)
                yield taken, None if way is None else (*way, taken)
            case "pair_pattern":
                key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
                own = key_of(module, key) if key is not None else None
                if value is not None:
                    waiting.append((value, None if way is None or own is None else (*way, own)))
            case "object_pattern":
                waiting += [(child, way) for child in reversed(named(node))]
            case "array_pattern":
                waiting += [
                    (child, None if way is None else (*way, str(index))) for index, child in enumerate(named(node))
                ]
            case "object_assignment_pattern" | "assignment_pattern" | "rest_pattern":
                waiting.append((named(node)[0], None))


def _imported(module: Module, statement: Node) -> Iterator[Binding]:
    for clause in named(statement):
        if clause.type == "import_require_clause":
            source = clause.child_by_field_name("source")
            specifier = string_value(module, source) if source is not None else None
            one = Import(specifier or "", statement)
            yield Binding(module.text(named(clause)[0]), statement, None, (), one)
        elif clause.type == "import_clause":
            source = statement.child_by_field_name("source")
            specifier = (string_value(module, source) if source is not None else None) or ""
            yield from _import_clause(module, statement, clause, specifier)


def _import_clause(module: Module, statement: Node, clause: Node, specifier: str) -> Iterator[Binding]:
    for child in named(clause):
        match child.type:
            case "identifier":
                yield Binding(module.text(child), statement, None, (), Import(specifier, statement, "default"))
            case "namespace_import":
                yield Binding(module.text(named(child)[0]), statement, None, (), Import(specifier, statement))
            case "named_imports":
                for one in named(child):
                    name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                    if name is not None:
                        taken = Import(specifier, one, string_value(module, name) or module.text(name))
                        yield Binding(module.text(alias or name), statement, None, (), taken)


def required(module: Module, node: Node) -> Import | None:
    """Return the import in an expression: `require('x')`, `await import('x')`, and `.name` of either."""
    node = unwrap(node)
    if node.type == "await_expression":
        return required(module, named(node)[0])
    if node.type == "member_expression":
        below, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        imported = required(module, below) if below is not None and unwrap(below).type != "member_expression" else None
        return (
            Import(imported.specifier, imported.node, module.text(name))
            if imported is not None and name is not None
            else None
        )
    if node.type == "call_expression" and callee(module, node) in (("require",), ("import",)):
        given = arguments(node)
        specifier = string_value(module, given[0]) if given else None
        return Import(specifier, node) if specifier is not None else None
    return None


def resolve(module: Module, specifier: str) -> Path | None:
    """Return the file of the project for a relative specifier, resolved as in Node; None for packages, and for files
    that do not exist, cannot be parsed or are outside the project (also through a link)."""
    if module.path is None or module.project is None or not re.match(r"\.{1,2}(/|$)", specifier):
        return None
    return find_script(module.path.parent / specifier, module.project)


def find_script(path: Path, project: Path) -> Path | None:
    """Return the file that Node loads for a path without suffix, or for a folder; None if it is not in the project."""
    target = Path(os.path.normpath(path))
    candidates = [target, *(target.with_name(target.name + suffix) for suffix in SUFFIXES)]
    candidates += [target / f"index{suffix}" for suffix in SUFFIXES]
    if target.suffix in (".js", ".mjs", ".cjs"):  # TypeScript imports use the name of the compiled file
        candidates.append(target.with_suffix(target.suffix.replace("j", "t")))
    for candidate in candidates:
        try:
            exists = candidate.is_file() and candidate.suffix.lower() in SUFFIXES
        except (OSError, ValueError):
            return None
        if exists:
            return candidate if resolved_inside(candidate, project) is not None else None
    return None
