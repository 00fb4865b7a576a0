"""What of a project's JavaScript has been ported: Python that has its name. That alone is no longer closed.

Python is read, not run: a report is made of projects that cannot start yet. What is named here but is no function stops
the start, so nothing is opened by a name alone.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from octavo.project.functions import relative
from octavo.project.lifecycles import owner_of
from octavo.project.lifecycles import paths as hook_paths
from octavo.project.naming import action_name
from octavo.project.v4.code import Finding, State
from octavo.schema.naming import uid_of_folder


def ported_names(project: Path, known: Collection[str]) -> Mapping[str, str]:
    """What is ported, by the names that guards have, with its place; `known` are the content-types."""
    return dict(_hooks(project, known))


def as_ported(found: Finding, ported: Mapping[str, str]) -> Finding:
    """A piece of JavaScript, with what has taken its place."""
    place = ported.get(found.name)
    return replace(found, state=State.PORTED, says=f"ported by {place}: {found.says}") if place else found


def _hooks(project: Path, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """`api::talk.talk.beforeCreate` for `before_create` in `src/api/talk/content-types/talk/lifecycles.py`."""
    source = project / "src"
    for path in hook_paths(source):
        owner, folder = owner_of(path.relative_to(source))
        uid = uid_of_folder(owner, folder, known)
        for name, line in names_in(path):
            yield f"{uid}.{action_name(name)}", f"{relative(path, project)}:{line}"


def names_in(path: Path) -> Iterator[tuple[str, int]]:
    """The names that a module of Python gives something at its top, with their lines; none where it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.Assign(targets=targets):
                yield from ((target.id, node.lineno) for target in targets if isinstance(target, ast.Name))
            case ast.ImportFrom(names=names):
                yield from ((name.asname or name.name, node.lineno) for name in names)
