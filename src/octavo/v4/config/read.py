"""read_v4: read a v4 project's configuration as settings, with the outcome for each key.

`config/*.{js,ts,json}`, overridden by `config/env/<NODE_ENV>/*`, are read as data. No code is run.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass
from octavo.settings.findings import Finding, Outcome
from octavo.settings.package_json import V4Project, find_v4_project
from octavo.settings.sources import Given
from octavo.v4.config import shapes
from octavo.v4.config.matching import Matcher, Needed, Outcomes
from octavo.v4.config.passing import pass_on
from octavo.v4.config.rows import KEYS, Row
from octavo.v4.config.security_headers import POLICY_SETTING, default_policy
from octavo.v4.config.table_database import DATABASE
from octavo.v4.config.table_middlewares import MIDDLEWARES
from octavo.v4.config.table_plugins import NO_AMOUNT, NO_DEPTH, NO_VALUES, PACKAGES, PASSED, PLUGINS
from octavo.v4.config.table_server import ADMIN, API, SERVER
from octavo.v4.config.tree import Hole, Node, Table

_Shape = Callable[[Node], Node]
_FILES: Final[Mapping[str, tuple[Sequence[Row], _Shape]]] = {
    "server": (SERVER, lambda tree: tree),
    "admin": (ADMIN, lambda tree: tree),
    "api": (API, lambda tree: tree),
    "database": (DATABASE, shapes.database),
    "middlewares": (MIDDLEWARES, shapes.middlewares),
    "plugins": (PLUGINS, shapes.plugins),
}
_DEFAULTS: Final[Mapping[str, object]] = {
    "api.rest.maxLimit": -1,
    "middlewares.body.form": 56 * 1024,
    "middlewares.body.text": 56 * 1024,
    "middlewares.cors.credentials": True,
    "middlewares.public.maxAge": 60,
    POLICY_SETTING: default_policy(),
    "plugins.graphql.config.depthLimit": NO_DEPTH,
    "plugins.graphql.config.amountLimit": NO_AMOUNT,
    "plugins.graphql.config.limits.values": NO_VALUES,
}
"""v4's defaults, where Octavo's are different."""
_NO_PLUGIN: Final = "unknown plugin, or unknown key of a plugin; see the plugins in `octavo adopt`"
_PATHS: Final = ("database.filename", "server.publicFolder")


@dataclass(frozen=True, slots=True)
class V4Files:
    """The configuration of a v4 project. `defaults` are v4's, `given` the project's settings, in order of precedence.

    `has_database`: `config/database` exists, so v4 reads variables for the database only through it. `plugins` are the
    names in `config/plugins`, in order.
    """

    project: V4Project
    defaults: tuple[Given, ...]
    given: tuple[Given, ...]
    needed: tuple[Needed, ...]
    findings: tuple[Finding, ...]
    has_database: bool
    plugins: tuple[str, ...] = ()


def read_v4(folder: Path, variables: Mapping[str, str], environment: str) -> V4Files | None:
    """Return the configuration with `NODE_ENV=environment`, or None for a folder that is not a v4 project.

    Raises ValueError if `package.json` cannot be read.
    """
    project = find_v4_project(folder)
    if project is None:
        return None
    from octavo.v4.config.files import ConfigFiles  # loading the parsers takes time and memory

    files = ConfigFiles(folder, variables, environment)
    outcomes = Outcomes()
    for name, (rows, shape) in _FILES.items():
        tree = files.read(name)
        if tree is not None:
            _read_file(name, shape(tree), rows, outcomes)
    keys = {name: {row.path: row.settings[0] for row in rows if row.settings} for name, (rows, _) in _FILES.items()}
    outcomes.findings += [*files.unset(keys), *files.others(_FILES)]
    defaults = [Given(KEYS[name], value, f"default of v4 ({project.version})") for name, value in _DEFAULTS.items()]
    defaults += _missing_plugins(project)
    return V4Files(
        project=project,
        defaults=tuple(defaults),
        given=tuple(_named_from(folder, given) for given in outcomes.given),
        needed=tuple(outcomes.needed),
        findings=tuple(outcomes.findings),
        has_database=files.read("database") is not None,
        plugins=tuple(plugins.members) if isinstance(plugins := files.read("plugins"), Table) else (),
    )


def _named_from(folder: Path, given: Given) -> Given:
    """Return a setting with file paths relative to the project, if they are in it."""
    if f"{given.key.file}.{given.key.dotted}" not in _PATHS:
        return given
    path = Path(os.path.normpath(folder / given.value))
    return replace(given, value=str(path.relative_to(folder) if path.is_relative_to(folder) else path))


def _read_file(name: str, tree: Node, rows: Sequence[Row], outcomes: Outcomes) -> None:
    if name == "middlewares":
        tree = _without_own_code(tree, outcomes)
    if name == "plugins":
        tree = pass_on(tree, PASSED, rows, outcomes)
    Matcher(rows, outcomes, _NO_PLUGIN if name == "plugins" else None).read(tree)


def _without_own_code(tree: Node, outcomes: Outcomes) -> Node:
    """Return the tree without the project's own code, which is reported, and without empty values. Missing origins mean
    that no origin is allowed."""
    if not isinstance(tree, Table):
        return tree
    for name, place in shapes.own_code(tree):
        message = "project code, which does not run; if it could guard requests, it closes the API"
        outcomes.findings.append(
            Finding(outcome=Outcome.IDLE, file=place.file, line=place.line, key=name, message=message)
        )
    kept = {
        name: node
        for name, node in tree.members.items()
        if name.startswith("strapi::") and node != Table({}, node.place)
    }
    if "strapi::cors" not in tree.members:
        kept["strapi::cors"] = Table({"origin": Hole("the list does not include strapi::cors", tree.place)}, tree.place)
    return Table(kept, tree.place, tree.rest)


def _missing_plugins(project: V4Project) -> list[Given]:
    return [
        Given(KEYS[f"plugins.{name}.enabled"], False, f"package.json has no {package}")
        for name, package in PACKAGES.items()
        if not project.has(package)
    ]
