"""The shape of the package: imports go one way, in the open, and files stay small.

Run as a program, it prints which package uses which.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

LAYERS = (
    ("errors", "hooks"),
    ("schema",),
    ("query", "settings"),
    ("project",),
    ("plan",),
    ("sql",),
    ("database",),
    ("content",),
    ("access",),
    ("controllers",),
    ("http",),
    ("rest", "graphql", "admin"),
    ("handle",),
    ("middlewares",),
    ("bootstrap", "options", "resources"),
    ("app",),
    ("asgi", "seed", "scaffold"),
    ("server",),
    ("cli",),
    ("__main__",),
)
"""From the bottom. A module imports from the layers below it and from its own package, nothing else."""

DOORS = {"rest", "graphql", "admin"}
CLOSED_TO_DOORS = {"plan", "sql", "database"}
"""Doors ask controllers; they know no plan, no SQL and no database."""

OPTIONAL = {"strawberry", "uvloop"}
"""Dependencies that may be missing, and so may be imported inside a function."""

LATE = {
    ("octavo.graphql.endpoint", "octavo.graphql.answering"),
    ("octavo.access.credentials", "octavo.access.jws"),
    ("octavo.content.media_work", "octavo.content.images"),
    ("octavo.content.patterns", "octavo.content.regexes"),
    ("octavo.database", "octavo.database.postgresql"),
    ("octavo.database", "octavo.database.sqlite"),
}
"""What is imported inside a function for the time or memory it takes: graphql-core, once the service has started;
cryptography, Pillow, RE2 and the drivers, when they are needed."""

LINES = 600


@dataclass(frozen=True, slots=True)
class Import:
    """One import of `target` at a line of `module`; `hidden` inside a function."""

    module: str
    target: str
    line: int
    hidden: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for file in sorted((SOURCE / "octavo").rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


def imports_of(module: str, node: ast.AST, hidden: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        inside = hidden or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from (Import(module, target, child.lineno, hidden) for target in targets_of(child))
        yield from imports_of(module, child, inside)


def targets_of(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name
        else:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in modules() else str(node.module)


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for module in modules() for found in imports_of(module, tree_of(module)))


def inner_imports() -> Iterator[Import]:
    """Imports of one part of the package by another; `octavo` itself holds the version and belongs to nobody."""
    for found in imports():
        if found.target.startswith("octavo.") and part_of(found.module) != part_of(found.target):
            yield found


def part_of(module: str) -> str:
    """`octavo.sql.select` -> `sql`."""
    return module.partition(".")[2].partition(".")[0]


def layer_of(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def test_every_part_has_a_layer() -> None:
    placed = {part for layer in LAYERS for part in layer} | {""}
    assert {part_of(module) for module in modules()} - placed == set()


def test_the_package_itself_imports_nothing() -> None:
    assert [str(found) for found in imports() if found.module == "octavo"] == []


def test_imports_go_down() -> None:
    upward = [found for found in inner_imports() if layer_of(part_of(found.target)) >= layer_of(part_of(found.module))]
    assert list(map(str, upward)) == []


def test_doors_know_no_storage() -> None:
    through = [
        found
        for found in inner_imports()
        if part_of(found.module) in DOORS and part_of(found.target) in CLOSED_TO_DOORS
    ]
    assert list(map(str, through)) == []


def test_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for found in imports():
        if found.target in modules():
            graph.setdefault(found.module, set()).add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_hidden_imports() -> None:
    hidden = [
        found
        for found in imports()
        if found.hidden and found.target.split(".")[0] not in OPTIONAL and (found.module, found.target) not in LATE
    ]
    assert list(map(str, hidden)) == []


def test_every_module_says_what_it_is_in_charge_of() -> None:
    assert [module for module in modules() if not ast.get_docstring(tree_of(module))] == []


def test_files_stay_small() -> None:
    lengths = {module: len(file.read_text(encoding="utf-8").splitlines()) for module, file in modules().items()}
    assert {module: length for module, length in lengths.items() if length > LINES} == {}


def render_graph() -> Iterator[str]:
    uses: dict[str, set[str]] = {}
    for found in inner_imports():
        uses.setdefault(part_of(found.module), set()).add(part_of(found.target))
    for layer in LAYERS:
        for part in layer:
            if part in uses:
                yield f"{part}: {', '.join(sorted(uses[part], key=layer_of))}"


if __name__ == "__main__":
    print("\n".join(render_graph()))  # noqa: T201
