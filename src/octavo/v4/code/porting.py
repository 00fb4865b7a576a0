"""Ported code: Python with the same name as a piece of JavaScript opens what the JavaScript closes.

Python is read, not run, because reports are made for projects that cannot start yet. A name that is not a function
prevents the start, so a name alone opens nothing.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final, TypeGuard

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass
from octavo.project.functions import relative
from octavo.project.lifecycles import owner_of
from octavo.project.lifecycles import paths as hook_paths
from octavo.project.modules import below_owners, code_name, owner_name, python_files
from octavo.project.naming import action_name
from octavo.schema.naming import uid_of_folder
from octavo.v4.code.code import Finding, Kind, State

Places = Mapping[str, str]
"""Locations (`src/api/talk/controllers/talk.py:7`) by the names of guards."""


@dataclass(frozen=True, slots=True)
class Ported:
    """The ported code, by kind and name. A controller's name stands for its file, without any action."""

    hooks: Places = field(default_factory=dict)
    actions: Places = field(default_factory=dict)
    services: Places = field(default_factory=dict)
    policies: Places = field(default_factory=dict)
    middlewares: Places = field(default_factory=dict)
    controllers: Places = field(default_factory=dict)
    routes: Places = field(default_factory=dict)
    """Of plugins: `plugin::users-permissions routes`."""
    fields: Places = field(default_factory=dict)
    """GraphQL fields that Python may configure: `Query.tags`."""
    plugins: Places = field(default_factory=dict)
    """Local plugins: `plugin::shop`."""


_FAMILIES: Final = {
    Kind.HOOK: "hooks",
    Kind.ACTION: "actions",
    Kind.EXTENSION: "actions",
    Kind.SERVICE: "services",
    Kind.POLICY: "policies",
    Kind.MIDDLEWARE: "middlewares",
    Kind.GRAPHQL: "fields",
    Kind.PLUGIN: "plugins",
}
_PLUGIN_ROUTES: Final = "extensions/*/routes/*.py"
_PIECES: Final = ("controllers", "middlewares", "policies", "routes", "services")
_DEEPEST: Final = 5
"""Maximum depth of class inheritance."""
_FIELD: Final = re.compile(r"[A-Z]\w*\.\w+")


def read_ported(project: Path, known: Collection[str]) -> Ported:
    """Return the ported code of a project. `known` are the content types."""
    source = project / "src"
    return Ported(
        dict(_hooks(source, known)),
        dict(_members(source, "controllers", methods_in)),
        dict(_members(source, "services", methods_in)),
        dict(_functions(source, "policies", "policy")),
        dict(_functions(source, "middlewares", "middleware")),
        dict(_controllers(source)),
        dict(_routes(source)),
        dict(_fields(source)),
        dict(_plugins(source)),
    )


def as_ported(found: Finding, ported: Ported) -> Finding:
    """Return the finding for a piece of JavaScript with its replacement."""
    family = _FAMILIES.get(found.kind)
    places = getattr(ported, family) if family else {}
    place = places.get(found.name) or (ported.routes.get(found.name) if found.kind is Kind.EXTENSION else None)
    return replace(found, state=State.PORTED, says=f"ported by {place}: {found.says}") if place else found


def _hooks(source: Path, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield `api::talk.talk.beforeCreate` for `before_create` in `src/api/talk/content-types/talk/lifecycles.py`."""
    for path in hook_paths(source):
        owner, folder = owner_of(path.relative_to(source))
        uid = uid_of_folder(owner, folder, known)
        for name, line in names_in(path):
            action = action_name(name.replace("after_commit_", "after_", 1))  # v4's hooks do not wait for a commit
            yield f"{uid}.{action}", f"{relative(path, source.parent)}:{line}"


def _controllers(source: Path) -> Iterator[tuple[str, str]]:
    for path in python_files(source, *below_owners("controllers")):
        yield code_name(path, source), relative(path, source.parent)


def _members(
    source: Path, folder: str, names: Callable[[Path], Iterator[tuple[str, int]]]
) -> Iterator[tuple[str, str]]:
    """Yield `api::talk.talk.bySlug` for the method `by_slug` in `src/api/talk/controllers/talk.py`."""
    for path in python_files(source, *below_owners(folder)):
        for name, line in names(path):
            yield f"{code_name(path, source)}.{action_name(name)}", f"{relative(path, source.parent)}:{line}"


def _functions(source: Path, folder: str, word: str) -> Iterator[tuple[str, str]]:
    """Yield `api::talk.is-member` for the function in `src/api/talk/policies/is-member.py`."""
    for path in python_files(source, f"{folder}/*.py", *below_owners(folder)):
        yield from (
            (code_name(path, source), f"{relative(path, source.parent)}:{line}")
            for name, line in names_in(path)
            if name == word
        )


def _routes(source: Path) -> Iterator[tuple[str, str]]:
    for path in python_files(source, _PLUGIN_ROUTES):
        yield f"{owner_name(path, source)} routes", relative(path, source.parent)


def _plugins(source: Path) -> Iterator[tuple[str, str]]:
    """Yield `plugin::shop` for Python in `src/plugins/shop`."""
    for path in python_files(source, *(f"plugins/*/{kind}/*.py" for kind in _PIECES), "plugins/*/content-types/*/*.py"):
        yield owner_name(path, source), relative(path, source.parent)


def _fields(source: Path) -> Iterator[tuple[str, str]]:
    """Yield the GraphQL fields that are keys of dictionaries: `{"Query.tags": {"policies": [...]}}`."""
    for path in python_files(source, "*.py", "extensions/*.py", "graphql/*.py"):
        for node in (inner for statement in _statements(path) for inner in ast.walk(statement)):
            for key in node.keys if isinstance(node, ast.Dict) else ():
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and _FIELD.fullmatch(key.value):
                    yield key.value, f"{relative(path, source.parent)}:{key.lineno}"


def methods_in(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the public methods of the classes in a Python module, including those inherited from the project's own
    classes, at the line of the class."""
    statements = _statements(path)
    for node in statements:
        if isinstance(node, ast.ClassDef):
            yield from _methods(node)
            for name in _inherited(node, statements, path, _DEEPEST):
                yield name, node.lineno


def _methods(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
            yield member.name, member.lineno


def _inherited(node: ast.ClassDef, statements: list[ast.stmt], path: Path, deep: int) -> Iterator[str]:
    """Yield the methods of a class's base classes, in its module or in one that it imports."""
    for base in node.bases if deep else ():
        if isinstance(base, ast.Name):
            for base_class, others, place in _classes(base.id, statements, path):
                yield from (name for name, _ in _methods(base_class))
                yield from _inherited(base_class, others, place, deep - 1)


def _classes(name: str, statements: list[ast.stmt], path: Path) -> Iterator[tuple[ast.ClassDef, list[ast.stmt], Path]]:
    """Yield the class with a name in a module, with the statements and the path of the defining module."""
    for node in statements:
        if isinstance(node, ast.ClassDef) and node.name == name:
            yield node, statements, path
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            place = path.parents[node.level - 1].joinpath(*node.module.split(".")).with_suffix(".py")
            for item in node.names:
                if (item.asname or item.name) == name:
                    others = _statements(place)
                    yield from ((other, others, place) for other in others if _is_class(other, item.name))


def _is_class(node: ast.stmt, name: str) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and node.name == name


def names_in(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the top-level names that a Python module assigns, with their lines; none if it cannot be read."""
    for node in _statements(path):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.Assign(targets=targets):
                yield from ((target.id, node.lineno) for target in targets if isinstance(target, ast.Name))
            case ast.ImportFrom(names=names):
                yield from ((name.asname or name.name, node.lineno) for name in names)


def _statements(path: Path) -> list[ast.stmt]:
    try:
        return ast.parse(read_own_file(path, MEGABYTE)).body
    except (SyntaxError, ValueError, OSError):
        return []
