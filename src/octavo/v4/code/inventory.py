"""Inventory of other code: at start, scheduled, migrations; local plugins, packages, modules."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.v4.code.code import Guard, Kind, State
from octavo.v4.code.describing import called
from octavo.v4.code.effects import Describer
from octavo.v4.code.hooks import LIFECYCLES
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import FUNCTIONS, arguments, named, properties, statements, string_value, unwrap, walk

_STARTS: Final = ("register", "bootstrap", "destroy")
_PARTS: Final = frozenset(
    (
        *("controller", "controllers", "service", "services", "policy", "policies", "container", "routes"),
        *("contentType", "contentTypes"),
    )
)
"""Parts of `strapi` that make up the project's API: assignments to them change it."""
_STRAPI: Final = re.compile(r"strapi", re.IGNORECASE)
_OURS: Final = re.compile(r"^@strapi/(strapi|plugin-(users-permissions|i18n|graphql|upload|email)|provider-.*)$")
_MOST_FILES: Final = 5000
_PASSED_OVER: Final = frozenset(
    ("node_modules", "admin", "dist", "build", "public", "documentation", "__tests__", "tests")
)


def read_start(sources: Sources, path: Path, describer: Describer) -> Iterator[Guard]:
    """Read `register`, `bootstrap` and `destroy` of a file. Middlewares that they add guard all requests."""
    module = sources.module(path)
    if module is None:
        yield Guard(sources.place(path).file, sources.place(path), "cannot be read")
        return
    value = sources.exported(module)
    members = properties(module, value) if value is not None and value.type == "object" else {}
    members |= {name: node for name, node in sources.exported_names(module).items() if name in _STARTS}
    for name in _STARTS:
        if name in members:
            other, node = sources.resolved(module, members[name])
            body = node.child_by_field_name("body") if node.type in FUNCTIONS else node
            empty = body is not None and body.type == "statement_block" and not statements(node)
            state = State.NOTHING if empty else State.OPEN
            says = "empty" if empty else describer.describe(other, node)
            sources.find(Kind.START, f"{sources.place(path).file}: {name}", other.place(node), says, state)
    if value is None and not members and named(module.root):
        sources.find(
            Kind.START,
            sources.place(path).file,
            sources.place(path),
            describer.describe(module, module.root),
            State.OPEN,
        )


def added_middlewares(module: Module, calls: Iterator[Node], describer: Describer) -> Iterator[Guard]:
    """Yield `strapi.server.use(...)` and `strapi.server.app.use(...)`: the added middlewares guard all requests."""
    for call in calls:
        chain = called(module, call)
        if chain[-1:] == ("use",) and "server" in chain[:-1] and chain[0] in ("strapi", "server", "app"):
            place = module.place(call)
            yield Guard(f"{place.file}: server.use", place, describer.describe(module, call))


def replaced_while_running(module: Module, describer: Describer) -> Iterator[Guard]:
    """Yield `strapi.controller(uid).find = ...`, `strapi.container.get("controllers").extend(...)`: replacements made
    at run time. Which part of the API is affected is not examined, so they guard all requests."""
    for descendant in walk(module.root):
        left = descendant.child_by_field_name("left") if descendant.type == "assignment_expression" else None
        chain = (
            called(module, left if left is not None else descendant) if left is not None or _is_call(descendant) else ()
        )
        if chain == ("Object", "assign") and arguments(descendant):
            left = arguments(descendant)[0]
            chain = called(module, left)
        replaces = chain[:1] == ("strapi",) and bool(_PARTS & set(chain[1:])) and LIFECYCLES not in chain[-2:]
        if replaces and (left is not None or chain[-1] == "extend"):
            place = module.place(descendant)
            yield Guard(f"{place.file}: {'.'.join(chain[1:])}", place, describer.describe(module, descendant))


def _is_call(node: Node) -> bool:
    return node.type == "call_expression"


def read_cron(sources: Sources, describer: Describer) -> None:
    """Read scheduled tasks: `config/cron-tasks`, and `cron.tasks` of `config/server`."""
    config = sources.project / "config"
    for folder in (config, *sources.folders(config / "env")):
        for stem in ("cron-tasks", "cron"):
            path = sources.one(folder / stem)
            module = None if path is None else sources.module(path)
            value = None if module is None else sources.exported(module)
            if module is not None and value is not None:
                _tasks(sources, describer, *_answered(sources, module, value))
        path = sources.one(folder / "server")
        module = None if path is None else sources.module(path)
        value = None if module is None else sources.exported(module)
        if module is not None and value is not None:
            _server_tasks(sources, describer, *_answered(sources, module, value))


def _answered(sources: Sources, module: Module, node: Node) -> tuple[Module, Node]:
    other, value = sources.resolved(module, node)
    return other, answered(other, value) or value


def _server_tasks(sources: Sources, describer: Describer, module: Module, node: Node) -> None:
    for key in ("cron", "tasks"):
        members = properties(module, node) if node.type == "object" else {}
        if key not in members:
            return
        module, node = _answered(sources, module, members[key])
    _tasks(sources, describer, module, node)


def _tasks(sources: Sources, describer: Describer, module: Module, node: Node) -> None:
    if node.type != "object":
        sources.find(Kind.CRON, "cron", module.place(node), "computed tasks", State.OPEN)
        return
    noted = {(finding.place, finding.name) for finding in sources.findings if finding.kind is Kind.CRON}
    for name, task in properties(module, node).items():
        other, value = sources.resolved(module, task)
        place, rule = other.place(value), ""
        if value.type == "object":
            options = properties(other, value).get("options")
            found = (
                properties(other, options).get("rule")
                if options is not None and unwrap(options).type == "object"
                else None
            )
            rule = (None if found is None else string_value(other, found)) or ""
        if (place, name) not in noted:
            says = f"{f'at {rule}: ' if rule else ''}{describer.describe(other, value)}"
            sources.find(Kind.CRON, name, place, says, State.OPEN)


def read_migrations(sources: Sources, describer: Describer) -> None:
    """Read `database/migrations`. v4 runs each once."""
    for path in sources.folder(sources.project / "database/migrations"):
        module = sources.module(path)
        if module is not None and named(module.root):
            says = f"runs once, unless v4 has run it: {describer.describe(module, module.root)}"
            sources.find(Kind.MIGRATION, path.stem, sources.place(path), says, State.OPEN)


def read_packages(sources: Sources, packages: Mapping[str, str]) -> None:
    """Read the Strapi packages. Those with a counterpart in Octavo are not open items."""
    for name, version in sorted(packages.items()):
        if _STRAPI.search(name):
            state = State.TAKEN if _OURS.match(name) else State.OPEN
            sources.find(Kind.PACKAGE, name, Place("package.json"), version, state)


def code_files(sources: Sources, folder: Path) -> Iterator[Path]:
    """Yield all scripts below a folder that belong to the server."""
    count = 0
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        waiting += reversed(
            [found for found in sources.folders(current) if found.name not in _PASSED_OVER and not found.is_symlink()]
        )
        for path in sources.folder(current):
            count += 1
            if count > _MOST_FILES:
                return
            yield path


def read_modules(sources: Sources) -> None:
    """Read the files that are not covered otherwise."""
    covered = {finding.place.file for finding in sources.findings}
    for path in code_files(sources, sources.source):
        place = sources.place(path)
        if place.file not in covered:
            sources.find(Kind.MODULE, place.file, place, "a module that other files import", State.OPEN)
