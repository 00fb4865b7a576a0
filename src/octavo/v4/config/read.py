"""read_v4: read a v4 project's configuration as settings, with the outcome for each key.

`config/*.{js,ts,json}`, overridden by `config/env/<NODE_ENV>/*`, are read as data. No code is run.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.findings import Finding, Outcome, redacted_value
from octavo.settings.model import TABLES
from octavo.settings.package_json import DeclaredPlugin, V4Project, find_v4_project
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import Given, read_plain_table
from octavo.v4.config.matching import NOT_EVALUATED, Matcher, Needed, Outcomes
from octavo.v4.config.rows import KEYS, Row
from octavo.v4.config.security_headers import POLICY_SETTING, default_policy
from octavo.v4.config.table_database import DATABASE, IN_ZONE
from octavo.v4.config.table_middlewares import MIDDLEWARES
from octavo.v4.config.table_plugins import NO_AMOUNT, NO_DEPTH, NO_VALUES, PACKAGES, PASSED, PLUGINS
from octavo.v4.config.table_server import ADMIN, API, SERVER
from octavo.v4.config.tree import Hole, HoleFound, Items, Leaf, Node, Place, Table, leaves, plain


def normalize_plugins(tree: Node) -> Node:
    """Replace `graphql: false` by `graphql: { enabled: false }`."""
    if not isinstance(tree, Table):
        return tree
    members = {
        name: Table({"enabled": node}, node.place) if isinstance(node, Leaf) else node
        for name, node in tree.members.items()
    }
    return Table(members, tree.place, tree.rest)


def normalize_database(tree: Node) -> Node:
    """Replace a connection string by a table with it, and add a time zone other than UTC to MySQL's name."""
    if not isinstance(tree, Table):
        return tree
    outer = tree.members.get("connection")
    client, zone = _client_and_zone(outer)
    if isinstance(outer, Table) and client is not None and zone is not None:
        named = Leaf(f"{client.value}{IN_ZONE}{zone}", client.place)
        outer = Table({**outer.members, "client": named}, outer.place, outer.rest)
        return Table({**tree.members, "connection": outer}, tree.place, tree.rest)
    inner = outer.members.get("connection") if isinstance(outer, Table) else None
    if not isinstance(outer, Table) or not isinstance(inner, Leaf):
        return tree
    address = Table({"connectionString": inner}, inner.place)
    return Table(
        {**tree.members, "connection": Table({**outer.members, "connection": address}, outer.place)}, tree.place
    )


_OFFSET: Final = re.compile(r"[+-](?!00:00)\d\d:\d\d", re.ASCII)
"""A time zone other than UTC. The driver mysql2 reads other values as UTC, except `local`, its default: the zone of the
process."""


def _client_and_zone(connection: Node | None) -> tuple[Leaf | None, str | None]:
    """Return the client of a `connection`, and its time zone if that is not UTC, as far as they are known."""
    client = connection.members.get("client") if isinstance(connection, Table) else None
    inner = connection.members.get("connection") if isinstance(connection, Table) else None
    zone = inner.members.get("timezone") if isinstance(inner, Table) else None
    value = str(zone.value) if isinstance(zone, Leaf) else ""
    return (client if isinstance(client, Leaf) else None), (value if _OFFSET.fullmatch(value) else None)


def normalize_middlewares(tree: Node) -> Node:
    """Convert the list to a table: the options of each middleware by its name; without a name, by a number."""
    if isinstance(tree, Leaf):
        return Hole("it is not a list of middlewares", tree.place)
    if not isinstance(tree, Items):
        return tree
    members: dict[str, Node] = {}
    for number, item in enumerate(tree.items):
        name, node = _middleware(item, number)
        members[name] = node
    return Table(members, tree.place, tree.rest)


def _middleware(item: Node, number: int) -> tuple[str, Node]:
    match item:
        case Leaf(value=str() as name, place=place):
            return name, Table({}, place)
        case Table(members=members, place=place):
            named = members.get("name") or members.get("resolve")
            name = named.value if isinstance(named, Leaf) and isinstance(named.value, str) else f"[{number}]"
            return name, members.get("config", Table({}, place))
        case _:
            return f"[{number}]", item


def own_code(tree: Node) -> Iterator[tuple[str, Place]]:
    """Yield the names of middlewares that are project code, or unknown, with their locations."""
    for name, node in tree.members.items() if isinstance(tree, Table) else ():
        if not name.startswith("strapi::"):
            yield name, node.place


_Shape = Callable[[Node], Node]
_FILES: Final[Mapping[str, tuple[Sequence[Row], _Shape]]] = {
    "server": (SERVER, lambda tree: tree),
    "admin": (ADMIN, lambda tree: tree),
    "api": (API, lambda tree: tree),
    "database": (DATABASE, normalize_database),
    "middlewares": (MIDDLEWARES, normalize_middlewares),
    "plugins": (PLUGINS, normalize_plugins),
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


def pass_on(tree: Node, rows: Sequence[Row], outcomes: Outcomes) -> Node:
    """Read the keys below `PASSED` without a row as settings of the same name; return the tree without them."""
    if not isinstance(tree, Table):
        return tree
    own = {row.path for row in rows}
    for table in PASSED:
        plugin, config = table.split(".")
        outer = tree.members.get(plugin)
        inner = outer.members.get(config) if isinstance(outer, Table) else None
        if not isinstance(outer, Table) or not isinstance(inner, Table):
            continue
        kept = _pass_table(inner, (plugin, config), own, outcomes)
        others = {name: member for name, member in outer.members.items() if name != config}
        members = others | {config: kept} if kept.members or kept.rest else others
        tree = Table(
            {**tree.members, plugin: Table(members, outer.place, outer.rest)},
            tree.place,
            tree.rest,
        )
    return tree


def _pass_table(node: Table, path: tuple[str, ...], own: Collection[tuple[str, ...]], outcomes: Outcomes) -> Table:
    kept: dict[str, Node] = {}
    for name, member in node.members.items():
        inner = (*path, name)
        if inner in own:
            kept[name] = member
        elif isinstance(member, Table) and any(row[: len(inner)] == inner for row in own):
            kept[name] = _pass_table(member, inner, own, outcomes)
        else:
            for below, leaf in leaves(member):
                _pass_leaf(leaf, (*inner, *below), outcomes)
    return Table(
        {name: member for name, member in kept.items() if member != Table({}, member.place)}, node.place, node.rest
    )


def _pass_leaf(node: Node, path: tuple[str, ...], outcomes: Outcomes) -> None:
    place = node.place
    try:
        value: Any = plain(node)
    except HoleFound as found:
        place = found.hole.place
        message = f"{NOT_EVALUATED}: {found.hole.what}; set it in config/plugins.toml"
        _note(outcomes, Outcome.OPEN, path, place, message)
        return
    if value is None or isinstance(node, Table):
        return
    for name in reversed(path):
        value = {name: value}
    for given in read_plain_table(TABLES["plugins"], value, str(place)):
        if isinstance(given, SettingsProblem):
            is_unknown = given.message.startswith("unknown key")
            outcome = Outcome.IDLE if is_unknown else Outcome.OPEN
            advice = "" if is_unknown else "; set it in config/plugins.toml"
            _note(outcomes, outcome, path, place, f"{given.message}{advice}")
            continue
        outcomes.given.append(given)
        setting = ".".join((given.key.file, given.key.dotted, *given.inside))
        outcomes.findings.append(
            Finding(
                outcome=Outcome.TAKEN,
                file=place.file,
                line=place.line,
                key=".".join(path),
                setting=setting,
                value=redacted_value(given.key, given.value),
            )
        )


def _note(outcomes: Outcomes, outcome: Outcome, path: tuple[str, ...], place: Any, message: str) -> None:
    outcomes.findings.append(
        Finding(outcome=outcome, file=place.file, line=place.line, key=".".join(path), message=message)
    )


@dataclass(frozen=True, slots=True)
class V4Files:
    """The configuration of a v4 project. `defaults` are v4's, `given` the project's settings, in order of precedence.

    `has_database`: `config/database` exists, so v4 reads variables for the database only through it. `plugins` are in
    the order of `config/plugins`.
    """

    project: V4Project
    defaults: tuple[Given, ...]
    given: tuple[Given, ...]
    needed: tuple[Needed, ...]
    findings: tuple[Finding, ...]
    has_database: bool
    plugins: tuple[DeclaredPlugin, ...] = ()


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
        plugins=tuple(_declared_plugins(files.read("plugins"))),
    )


def _declared_plugins(tree: Node | None) -> Iterator[DeclaredPlugin]:
    """Yield the plugins in `config/plugins`. A plugin counts as enabled unless it is known to be disabled."""
    for name, node in tree.members.items() if isinstance(tree, Table) else ():
        members = node.members if isinstance(node, Table) else {"enabled": node}
        enabled, resolve = members.get("enabled"), members.get("resolve")
        path = resolve.value if isinstance(resolve, Leaf) else None
        is_disabled = isinstance(enabled, Leaf) and enabled.value is False
        yield DeclaredPlugin(name, not is_disabled, path if isinstance(path, str) else None)


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
        tree = pass_on(tree, rows, outcomes)
    Matcher(rows, outcomes, _NO_PLUGIN if name == "plugins" else None).read(tree)


def _without_own_code(tree: Node, outcomes: Outcomes) -> Node:
    """Return the tree without the project's own code, which is reported, and without empty values. Missing origins mean
    that no origin is allowed."""
    if not isinstance(tree, Table):
        return tree
    for name, place in own_code(tree):
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
