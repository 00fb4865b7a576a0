"""The code files of a v4 project, parsed once each. Unreadable files become findings."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.v4.code.code import Finding, Kind, State
from octavo.v4.code.data import value_of
from octavo.v4.javascript.modules import Binding, Import, bindings_of, exports_of, follow, required, resolve
from octavo.v4.javascript.parse import Module, parse_file
from octavo.v4.javascript.source import Place, SourceProblem, name_in
from octavo.v4.javascript.syntax import FUNCTIONS, identifier, returned, unwrap

SCRIPTS: Final = frozenset((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"))
_ROUTE_FILES: Final = SCRIPTS | {".json"}
_DECLARATIONS: Final = re.compile(r"\.d\.[cm]?ts$")


class Sources:
    """Reads the files of one project, and collects findings."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.source = project / "src"
        self.findings: list[Finding] = []
        self._bindings: dict[Module, dict[str, Binding]] = {}
        self._modules: dict[Path, Module | None] = {}
        self._typescript = (project / "tsconfig.json").is_file()

    def bindings(self, module: Module) -> dict[str, Binding]:
        """Return the top-level names of a module. The result is cached."""
        if module not in self._bindings:
            self._bindings[module] = bindings_of(module)
        return self._bindings[module]

    def value(self, module: Module, node: Node) -> Any:
        """Return the value of a literal expression. Raises NotData."""
        return value_of(module, node, self.bindings(module))

    def place(self, path: Path) -> Place:
        """Return the start of a file as a location."""
        return Place(name_in(path, self.project))

    def find(self, kind: Kind, name: str, place: Place, says: str, state: State, folder: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(kind, name, place, says, state, folder))

    def module(self, path: Path) -> Module | None:
        """Return a file's syntax tree, or None, with a finding, if it cannot be read."""
        if path not in self._modules:
            try:
                self._modules[path] = parse_file(path, self.project)
            except SourceProblem as problem:
                self._modules[path] = None
                self.find(Kind.UNREADABLE, problem.place.file, problem.place, problem.message, State.CLOSED)
        return self._modules[path]

    def folder(self, folder: Path, *, data: bool = False) -> Iterator[Path]:
        """Yield the files that v4 loads from a folder, in its order, without subfolders. With `data`, also JSON."""
        wanted = _ROUTE_FILES if data else SCRIPTS
        try:
            files = sorted(path for path in folder.iterdir() if path.suffix in wanted and path.is_file())
        except OSError:
            return
        yield from self._chosen([path for path in files if not _DECLARATIONS.search(path.name)])

    def _chosen(self, paths: list[Path]) -> Iterator[Path]:
        """Yield one file for each name: the source, if there is also a compiled file."""
        twins = {path.with_suffix("") for path in paths if "ts" in path.suffix}
        for path in paths:
            if self._typescript and "ts" not in path.suffix and path.with_suffix("") in twins:
                continue
            yield path

    def folders(self, folder: Path) -> Iterator[Path]:
        """Yield the subfolders of a folder, in v4's order."""
        try:
            yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        except OSError:
            return

    def one(self, *stems: Path) -> Path | None:
        """Return the first existing file: each stem with every suffix of scripts."""
        for stem in stems:
            for suffix in (".ts", ".js", ".mjs", ".cjs") if self._typescript else (".js", ".cjs", ".mjs", ".ts"):
                path = stem.with_name(stem.name + suffix)
                if path.is_file():
                    return path
        return None

    def exported(self, module: Module) -> Node | None:
        """Return the exported value of a module, with names resolved; None if it depends on run time."""
        exports = exports_of(module)
        if exports.uncertain is not None or exports.value is None:
            return None
        return unwrap(exports.value)

    def exported_names(self, module: Module) -> dict[str, Node]:
        """Return the named exports of a module (`exports.a =`, `export const a`)."""
        exports = exports_of(module)
        return {} if exports.uncertain is not None or exports.again else exports.names

    def imported(self, module: Module, node: Node) -> tuple[Module, Node] | None:
        """Return the value that a name, or a `require`, imports from another file of the project."""
        node = unwrap(node)
        imported = required(module, node)
        if imported is None and node.type in ("identifier", "shorthand_property_identifier"):
            binding = self.bindings(module).get(identifier(module, node))
            imported = None if binding is None else binding.imported
        return None if imported is None else self.imported_by(module, imported)

    def module_of(self, module: Module, found: Import) -> Module | None:
        """Return the file of the project that an import refers to."""
        path = resolve(module, found.specifier)
        return None if path is None else self.module(Path(os.path.normpath(path)))

    def imported_by(self, module: Module, found: Import) -> tuple[Module, Node] | None:
        """Return the value that an import gets from another file of the project."""
        other = self.module_of(module, found)
        if other is None:
            return None
        if found.name in (None, "default"):
            value = self.exported(other)
            return None if value is None else (other, value)
        exports = exports_of(other)
        value = exports.names.get(found.name or "")
        return None if value is None else (other, unwrap(follow(other, value, self.bindings(other))))

    def resolved(self, module: Module, node: Node) -> tuple[Module, Node]:
        """Return the expression that a name refers to, in this file or another one of the project."""
        node = unwrap(follow(module, node, self.bindings(module)))
        return self.imported(module, node) or (module, node)


def answered(module: Module, node: Node) -> Node | None:
    """Return the expression that a function returns; a node that is not a function is returned unchanged."""
    node = unwrap(node)
    if node.type not in FUNCTIONS:
        return node
    answers = returned(node)
    if len(answers) != 1:
        return None
    return _local(module, node, unwrap(answers[0]))


def _local(module: Module, function: Node, node: Node) -> Node:
    """Return the expression that a name refers to, declared in the function or the file."""
    body = function.child_by_field_name("body")
    if node.type == "identifier" and body is not None and body.type == "statement_block":
        for statement in body.named_children:
            if statement.type in ("lexical_declaration", "variable_declaration"):
                for one in statement.named_children:
                    name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
                    if name is not None and value is not None and module.text(name) == module.text(node):
                        return unwrap(value)
    return unwrap(follow(module, node, bindings_of(module)))
