"""Drafts: Python files that could replace a v4 project's JavaScript, for review. No code is run, no file overwritten.

For each file, everything that can be translated completely goes into one draft, which can be used directly. The rest
goes into another one (`.py.draft`), which lists what is missing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.schema.custom_fields import known_custom_fields
from octavo.schema.definition_files import PluginDefinitions
from octavo.schema.loader import inspect_definitions
from octavo.schema.registry import Registry
from octavo.v4.adoption.drafts.functions import helpers_of
from octavo.v4.adoption.drafts.library import Library, file_text, needed
from octavo.v4.adoption.drafts.pieces import (
    Piece,
    class_lines,
    hook_lines,
    middleware_lines,
    policy_lines,
    spaced,
    task_lines,
    tasks_lines,
)
from octavo.v4.adoption.drafts.scope import Project, Text
from octavo.v4.adoption.report import DraftItem
from octavo.v4.code.code import Finding, Kind, State
from octavo.v4.code.controllers import CORE_ACTIONS, factory_call
from octavo.v4.code.read import read_code
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import resolved_inside
from octavo.v4.javascript.syntax import FUNCTIONS, parameters, properties

Lines = list[str]
Render = Callable[[Text, Sequence[Piece], Collection[str]], Lines]

_PORTED: Final = (Kind.ACTION, Kind.SERVICE, Kind.POLICY, Kind.MIDDLEWARE, Kind.HOOK, Kind.CRON, Kind.START)
_TO_PORT: Final = (State.OPEN, State.CLOSED)
_CORE_FUNCTIONS: Final = ("find", "findOne", "create", "update", "delete", "count")
_FACTORIES: Final = {"controllers": "createCoreController", "services": "createCoreService"}


@dataclass(frozen=True, slots=True)
class Draft:
    """One Python file. `stands_for` is the JavaScript file, `pieces` the names of its translated parts; `missing` has
    the reason for each statement without a translation."""

    path: str
    text: str
    stands_for: str
    kind: Kind
    pieces: tuple[str, ...]
    missing: tuple[str, ...] = ()
    doubted: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.missing


def drafts(sources: Sources, registry: Registry, findings: Iterable[Finding]) -> Iterator[Draft]:
    """Yield the drafts for all code to port, as far as its structure is known."""
    findings = tuple(findings)
    types = registry.content_types
    library = Library(
        sources,
        Project(
            frozenset(uid for uid, finding in types.items() if finding.localized),
            frozenset(uid for uid, finding in types.items() if finding.is_single),
            _names(findings, Kind.ACTION),
            _names(findings, Kind.SERVICE),
        ),
    )
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.kind in _PORTED and finding.state in _TO_PORT:
            files.setdefault(finding.place.file, []).append(finding)
    for file, wanted in files.items():
        module = sources.module(sources.project / file)
        if module is not None and not module.is_json:
            yield from _File(sources, library, module, wanted).drafts()
    yield from (_module_draft(*written) for written in library.modules())


def _names(findings: Iterable[Finding], kind: Kind) -> frozenset[str]:
    return frozenset(finding.name for finding in findings if finding.kind is kind)


def _module_draft(file: str, path: str, text: str, names: tuple[str, ...]) -> Draft:
    return Draft(path, text, file, Kind.MODULE, names)


class _File:
    """One JavaScript file."""

    def __init__(self, sources: Sources, library: Library, module: Module, wanted: list[Finding]) -> None:
        self._sources = sources
        self._library = library
        self._module = module
        self._path = PurePosixPath(module.file)
        self._wanted = wanted
        self._helpers = helpers_of(module, sources.bindings(module))
        in_config = self._path.parts[0] == "config"
        self._place = "src/cron.py" if in_config else self._path.with_suffix(".py").as_posix()

    def drafts(self) -> Iterator[Draft]:
        """Yield the draft that can be used directly, and the draft with the rest."""
        pieces, render = self._read()
        whole = self._whole(pieces, render)
        usable = [piece for piece in pieces if piece.name in whole]
        rest = [piece for piece in pieces if piece.name not in whole]
        if usable:
            yield self._draft(usable, render, whole)
        if rest:
            yield self._draft(rest, render, {piece.name for piece in pieces})

    def _whole(self, pieces: Sequence[Piece], render: Render) -> set[str]:
        """Return the pieces that can be translated completely, and depend on no piece that cannot."""
        known = {piece.name for piece in pieces}
        while True:
            whole = {piece.name for piece in pieces if piece.name in known and self._is_whole(piece, render, known)}
            if whole == known:
                return whole
            known = whole

    def _is_whole(self, piece: Piece, render: Render, known: Collection[str]) -> bool:
        text = self._new_text()
        self._written(text, [piece], render, known)
        return not text.reasons

    def _new_text(self) -> Text:
        helpers = dict(self._helpers)
        bindings = self._sources.bindings(self._module)
        library = self._library
        return Text(self._module, self._place, library.bring, bindings, project=library.project, helpers=helpers)

    def _written(self, text: Text, pieces: Sequence[Piece], render: Render, known: Collection[str]) -> str:
        lines = render(text, pieces, known)
        helpers = needed(text, self._sources.bindings(self._module), self._owner)
        return file_text(text, [*helpers, *["", ""] * bool(helpers), *lines])

    def _draft(self, pieces: Sequence[Piece], render: Render, known: Collection[str]) -> Draft:
        text = self._new_text()
        written = self._written(text, pieces, render, known)
        return Draft(
            f"{self._place}.draft" if text.reasons else self._place,
            written,
            self._path.as_posix(),
            self._wanted[0].kind,
            tuple(piece.name for piece in pieces),
            tuple(text.reasons),
            text.doubted,
        )

    @property
    def _owner(self) -> str:
        """Return the UID of what the file defines: `api::talk.talk`."""
        parts = self._path.parts
        return f"api::{parts[2]}.{self._path.stem}" if parts[:2] == ("src", "api") else ""

    def _read(self) -> tuple[list[Piece], Render]:
        """Return the pieces of the file to port, and the function that writes them."""
        parts = self._path.parts
        folder = parts[-2] if len(parts) > 1 else ""
        if folder in _FACTORIES:
            return self._class(folder)
        if folder == "policies":
            return self._one(self._sources.exported(self._module)), self._policy
        if folder == "middlewares":
            return self._one(self._inner()), self._middleware
        if self._path.stem == "lifecycles":
            return self._pieces(self._members(self._sources.exported(self._module))), self._hooks
        if self._path.with_suffix("").as_posix() == "src/index":
            return self._pieces(self._members(self._sources.exported(self._module)), ": "), self._starts
        if parts[0] == "config" and self._path.stem != "server":
            value = self._sources.exported(self._module)
            members = self._members(None if value is None else answered(self._module, value))
            return [Piece(name, node) for name, node in members.items()], self._tasks
        return [], self._tasks

    def _one(self, node: Node | None) -> list[Piece]:
        return [Piece(self._path.stem, node)] if node is not None and node.type in FUNCTIONS else []

    def _members(self, value: Node | None) -> Mapping[str, Node]:
        if value is not None and value.type == "object":
            return properties(self._module, value)
        return self._sources.exported_names(self._module) if value is None else {}

    def _pieces(self, members: Mapping[str, Node], before: str = ".") -> list[Piece]:
        """Return the functions to port, by the last part of their names."""
        pieces = []
        for name, value in members.items():
            if any(item.name.endswith(f"{before}{name}") for item in self._wanted):
                other, node = self._sources.resolved(self._module, value)
                if other is self._module and node.type in FUNCTIONS:
                    pieces.append(Piece(name, node))
        return pieces

    def _class(self, folder: str) -> tuple[list[Piece], Render]:
        value = self._sources.exported(self._module)
        made = None if value is None else factory_call(self._module, value, _FACTORIES[folder])
        inside = value if made is None else made[1]
        members = self._members(None if inside is None else answered(self._module, inside))
        is_controller = folder == "controllers"
        core = () if made is None else CORE_ACTIONS if is_controller else _CORE_FUNCTIONS

        def render(text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
            kind = "Controller" if is_controller else "Service"
            return class_lines(text, self._path.stem, kind, self._owner, pieces, [*core, *known])

        return self._pieces(members), render

    def _policy(self, text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
        return policy_lines(text, pieces[0].node, self._owner)

    def _inner(self) -> Node | None:
        """Return the inner function of a middleware factory."""
        value = self._sources.exported(self._module)
        return None if value is None or value.type not in FUNCTIONS else answered(self._module, value)

    def _middleware(self, text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
        value = self._sources.exported(self._module)
        given = [] if value is None else parameters(value)
        return middleware_lines(text, pieces[0].node, given[0] if given else None, self._owner)

    def _hooks(self, text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
        return spaced(hook_lines(text, piece, self._owner) for piece in pieces)

    def _starts(self, text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
        return spaced(task_lines(text, piece.name, piece.node) for piece in pieces)

    def _tasks(self, text: Text, pieces: Sequence[Piece], known: Collection[str]) -> Lines:
        return tasks_lines(text, pieces)


def write_drafts(project: Path, folder: Path) -> tuple[DraftItem, ...]:
    """Write a draft for each JavaScript file to port, at its path below `folder`.

    Raises OSError.
    """
    inspected = inspect_definitions(project, known_custom_fields(project), of_v4=PluginDefinitions())
    registry = inspected.registry or Registry((), ())
    code = read_code(project, registry)
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(drafts(Sources(project), registry, code.findings), key=lambda draft: draft.path)
    return tuple(_item(draft, _write(draft, folder)) for draft in _by_place(ordered))


def _by_place(found: Iterable[Draft]) -> Iterable[Draft]:
    """Return one draft for each path: two JavaScript files may have the same one (`talk.js` next to `talk.ts`)."""
    return {draft.path: draft for draft in found}.values()


def _write(draft: Draft, folder: Path) -> bool:
    """Write a draft, and return whether it was written. Existing files and links out of the folder are left alone."""
    path = folder / draft.path
    above = next(parent for parent in path.parents if parent.exists())
    if resolved_inside(above, folder) is None:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(draft.text)
    except FileExistsError:
        return False
    return True


def _item(draft: Draft, written: bool) -> DraftItem:
    return DraftItem(draft.path, draft.stands_for, draft.pieces, draft.missing, draft.doubted, written)
