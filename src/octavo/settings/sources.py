"""The sources of settings: TOML files, the project's `.env`, the environment. Each yields its values and problems.

Keys of earlier releases are refused with the key that replaces them, or with what applies instead.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from json import dumps
from pathlib import Path
from typing import Any, Final, NamedTuple

from dotenv import dotenv_values

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass
from octavo.settings.keys import Key, Table, camel, canonical, kebab
from octavo.settings.model import FILES, TABLES, Settings
from octavo.settings.problems import SettingsProblem, unknown
from octavo.settings.values import Misplaced, free_value, quoted


class FormerKey(NamedTuple):
    """The key that replaces a former one, if there is one, and what to know about it. `merged`: the new key has further
    effects."""

    new: str | None = None
    advice: str = ""
    merged: bool = False

    @property
    def message(self) -> str:
        """The problem, for a file or variable that sets the key."""
        verb = "merged into" if self.merged else "renamed to"
        text = "was removed" if self.new is None else f"was {verb} {self.new}"
        return f"{text}{',' if self.merged else ';'} {self.advice}" if self.advice else text


def _always(value: str) -> FormerKey:
    return FormerKey(advice=f"the value is always {value}: delete the key")


_CLIENT: Final = "the share of one client follows from requests.concurrency: delete the key"
_MEMORY: Final = FormerKey(
    "middlewares.requests.bufferMemory", "which limits arriving bodies and waiting responses separately", merged=True
)
_COST: Final = FormerKey(
    "api.reads.maxCost", "which also limits joins and the size of statements, in proportion", merged=True
)

FORMER_KEYS: Final[Mapping[str, FormerKey]] = {
    "server.caches": FormerKey("server.cacheSize"),
    "server.http.timeout": FormerKey(advice="pass seconds to the request; without it, the limit is 10 seconds"),
    "server.http.largestAnswer": FormerKey("server.http.maxResponseSize"),
    "server.metrics.slow": FormerKey("server.metrics.slowThreshold"),
    "server.traces.perSecond": FormerKey(advice="set traces.sample; a worker traces at most 100 requests per second"),
    "server.webhooks.poll": _always("2 seconds"),
    "server.webhooks.keepSize": _always("64 MB"),
    "api.largestAnswer": FormerKey("api.maxResponseSize"),
    "api.reads.joins": _COST,
    "api.reads.statement": _COST,
    "api.events.keepBytes": _always("16 MB"),
    "api.events.heartbeat": _always("15 seconds"),
    "api.events.queue": _always("64 kB"),
    "api.caching.tags": FormerKey("api.caching.etags"),
    "api.caching.answers": FormerKey("api.caching.responses"),
    "api.caching.surrogateKeys.largest": FormerKey("api.caching.surrogateKeys.maxSize"),
    "api.caching.purge.gather": FormerKey("api.caching.purge.delay"),
    "api.caching.purge.again": FormerKey("api.caching.purge.repeat"),
    "api.caching.purge.timeout": _always("5 seconds"),
    "database.pool.patience": FormerKey("database.pool.acquireTimeout"),
    "database.replicaLagBytes": FormerKey(advice="database.replicaLag limits the lag: delete the key"),
    "database.backups.timeZone": FormerKey("server.jobs.timeZone", "it applies to all schedules"),
    "database.backups.timeout": _always("6 hours"),
    "database.backups.leaveFree": FormerKey("database.backups.minFreeSpace"),
    "middlewares.body.parts": _always("1,000"),
    "middlewares.requests.headerCount": _always("100"),
    "middlewares.requests.queue": FormerKey("middlewares.requests.concurrency"),
    "middlewares.requests.queueShare": FormerKey("middlewares.requests.concurrencyPerClient"),
    "middlewares.requests.receiving": FormerKey(
        advice="requests.concurrency also limits requests whose bodies are still arriving"
    ),
    "middlewares.requests.receivingShare": FormerKey(advice=_CLIENT),
    "middlewares.requests.received": _MEMORY,
    "middlewares.requests.unsent": _MEMORY,
    "middlewares.requests.unsentShare": FormerKey(advice="a client gets a quarter of requests.bufferMemory"),
    "middlewares.requests.bodyRate": _always("1 kB per second"),
    "middlewares.requests.uploadRate": _always("4 kB per second"),
    "plugins.graphql.config.limits.tokens": _always("15,000"),
    "plugins.graphql.config.limits.fields": _always("5,000"),
    "plugins.graphql.config.limits.rootFields": _always("200"),
}
"""By the file's name and the key, with dots."""

_BY_NAME: Final = {tuple(canonical(name) for name in place.split(".")): former for place, former in FORMER_KEYS.items()}


def former_key(*path: str) -> FormerKey | None:
    """Return the former key at a path, in any spelling. The first name is the file's."""
    return _BY_NAME.get(tuple(map(canonical, path)))


PREFIX = "OCTAVO_"
LARGEST = MEGABYTE
"""Maximum bytes of a settings file."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value of a source for a key. `inside` is the path within a table with arbitrary names."""

    key: Key
    value: Any
    source: str
    inside: tuple[str, ...] = ()


Found = Iterator[Given | SettingsProblem]

V4_VARIABLES = {key.row.variable: key for table in TABLES.values() for key in table.rows() if key.row.variable}
_VARIABLES = [key.variable for table in TABLES.values() for key in table.rows()]


def find_files(project: Path) -> list[Path]:
    """Return the project's TOML files; without any, the folder is an adopted v4 project."""
    return sorted((project / "config").glob("*.toml"))


def read_files(files: Iterable[Path]) -> Found:
    """Yield the values in TOML files."""
    for file in files:
        source = f"config/{file.name}"
        if file.stem not in FILES:
            yield SettingsProblem(source, "", unknown("file", file.stem, FILES))
            continue
        try:
            content = tomllib.loads(read_own_file(file, LARGEST).decode())
        except tomllib.TOMLDecodeError as error:
            yield SettingsProblem(source, "", f"not valid TOML: {error}")
        except (UnicodeDecodeError, OSError) as error:
            yield SettingsProblem(source, "", f"cannot be read: {error}")
        else:
            yield from read_plain_table(TABLES[file.stem], content, source)


def read_plain_table(
    table: Table, content: Mapping[str, Any], source: str, place: tuple[str, ...] | None = None
) -> Found:
    """Yield the values of a table that is at `place` in its file; by default at its own path."""
    place = table.path[1:] if place is None else place
    seen: set[str] = set()
    for name, value in content.items():
        found = table.find(name)
        path = ".".join((*place, name))
        if found is None:
            yield _read_other(table, name, value, source, path)
            continue
        known, member = found
        if known in seen:
            yield SettingsProblem(source, path, f"set twice, also as another spelling of {known}")
        elif isinstance(member, Key):
            yield from _read_value(member, value, source, path)
        elif isinstance(value, Mapping):
            yield from read_plain_table(member, value, source, (*place, known))
        else:
            yield SettingsProblem(source, path, f"expected a table, not {format_value(value)}")
        seen.add(known)


def _read_other(table: Table, name: str, value: Any, source: str, path: str) -> Given | SettingsProblem:
    former = former_key(*table.path, name)
    if former is not None:
        return SettingsProblem(source, path, former.message)
    if table.others is None:
        return SettingsProblem(source, path, unknown("key", name, table.names))
    if not isinstance(value, Mapping):
        return SettingsProblem(source, path, f"expected a table, not {format_value(value)}")
    return Given(table.others, value, source, (name,))


def _read_value(key: Key, value: Any, source: str, path: str) -> Found:
    try:
        yield Given(key, key.kind.from_toml(value), source)
    except ValueError as error:
        yield from _refused(key, value, source, path, error)


def _refused(key: Key, value: Any, source: str, path: str, error: Exception) -> Iterator[SettingsProblem]:
    """Yield the problems of a value; for each part of it, if its kind reports them separately."""
    if isinstance(error, Misplaced):
        for inner, expected in error.parts:
            yield SettingsProblem(source, f"{path}.{inner}", expected)
    else:
        yield SettingsProblem(source, path, _expected(key, value))


def _expected(key: Key, value: Any) -> str:
    expected = f"expected {key.kind.expected}" + ("" if key.row.secret else f", not {format_value(value)}")
    renamed = key.row.former.get(value) if isinstance(value, str) else None
    return expected if renamed is None else f"{expected}; it was renamed to {dumps(renamed)}"


def format_value(value: Any) -> str:
    """Return a value for a message."""
    text = dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def read_env_file(project: Path) -> dict[str, str]:
    """Return the variables of the project's `.env`, without empty ones. Raises UnicodeDecodeError, OSError."""
    try:
        text = read_own_file(project / ".env", LARGEST).decode()
    except FileNotFoundError:
        return {}
    variables = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in variables.items() if value is not None}


def read_v4_variables(variables: Mapping[str, str], label: str = "") -> Found:
    """Yield the values of v4's variables; empty ones are unset, as in v4."""
    for name, key in V4_VARIABLES.items():
        if variables.get(name):
            yield from _read_text(key, variables[name], label + name)


def read_variables(variables: Mapping[str, str], label: str = "") -> Found:
    """Yield the values of `OCTAVO_<FILE>__<KEY>...` variables."""
    for name, text in variables.items():
        if name.upper().startswith(PREFIX) and "__" in name:
            yield from _read_variable(name, text, label + name)


def misspelt(variables: Mapping[str, str], label: str = "") -> Iterator[SettingsProblem]:
    """Yield warnings for variables with a missing underscore. Not errors: Kubernetes sets similar ones for its
    services."""
    known = {canonical(name): name for name in _VARIABLES}
    for name in variables:
        meant = known.get(canonical(name)) if name.upper().startswith(PREFIX) and "__" not in name else None
        if meant is not None:
            yield SettingsProblem(label + name, "", f"unknown variable; did you mean {meant}?")


def _read_variable(name: str, text: str, source: str) -> Found:
    key, names = _find(name)
    if key is None:
        yield SettingsProblem(source, "", _unknown_variable(name))
    else:
        yield from _read_inside(key, names, text, source) if names else _read_text(key, text, source)


def _find(name: str) -> tuple[Key | None, list[str]]:
    """Return the key of a variable `OCTAVO_...`, and the path inside its table."""
    file, *names = name[len(PREFIX) :].split("__")
    node: Table | Key | None = TABLES.get(file.lower())
    while isinstance(node, Table) and names:
        member = node.members.get(canonical(names[0]))
        if member is None and node.others is not None:
            return node.others, names
        node = member
        names = names[1:]
    return (node, names) if isinstance(node, Key) else (None, [])


def key_of_variable(name: str) -> Key | None:
    """Return the key that a variable `OCTAVO_...` sets, or of which it sets a part."""
    return _find(name)[0]


def _unknown_variable(name: str) -> str:
    former = former_key(*name[len(PREFIX) :].split("__"))
    if former is not None:
        return former.message
    message = unknown("key", name.upper(), _VARIABLES, likeness=0.75)
    return message if "did you mean" in message else "unknown key; see docs/settings.md"


def _read_text(key: Key, text: str, source: str) -> Found:
    """Yield the value of a variable. An empty one is unset if its kind has no empty value, as a number."""
    try:
        yield Given(key, key.kind.from_text(text), source)
    except ValueError as error:
        if text:
            yield from _refused(key, text, source, f"{key.file}.{key.dotted}", error)


def _read_inside(key: Key, names: list[str], text: str, source: str) -> Found:
    """Yield a value within a table with arbitrary names; the result must be a valid table."""
    first = kebab(names[0]) if key.row.entry_names == "kebab" else camel(names[0])
    inside = (first, *map(camel, names[1:]))
    value = text if key.kind.item_is_text else free_value(text)
    given = Given(key, value, source, inside)
    nested = value
    for name in reversed(inside):
        nested = {name: nested}
    try:
        key.kind.from_toml(nested)
    except (ValueError, AttributeError) as error:
        yield from _refused(key, text, source, f"{key.file}.{key.dotted}", error)
    else:
        yield given


_DATABASE_POINTERS = ("host", "port", "name", "user", "password")


def stray_database_value(chosen: Mapping[tuple[str, ...], Given]) -> SettingsProblem | None:
    """Return the problem of a value that points to a database while no source names the kind of database."""
    if ("database", "client") in chosen:
        return None
    pointers = (chosen.get(("database", name)) for name in _DATABASE_POINTERS)
    stray = next((given for given in pointers if given is not None and given.value), None)
    if stray is None:
        return None
    message = "is set, but not the kind of database; set DATABASE_CLIENT, too"
    return SettingsProblem(stray.source, "", message)


_KEYS: Final[dict[tuple[str, ...], Key]] = {key.attributes: key for table in TABLES.values() for key in table.rows()}


def placed(settings: Settings, place: tuple[str, ...], message: str, *inside: str) -> SettingsProblem:
    """Return a problem of a setting, with its source. `inside` are names within its table."""
    key = _KEYS[place]
    file = f"config/{key.file}.toml"
    source = settings.sources.get(place, file)
    silent = next((one for one in settings.findings if one.setting == f"{key.file}.{key.dotted}"), None)
    if place not in settings.sources and silent is not None:  # set by a v4 project, in a key without effect
        return SettingsProblem(silent.place, silent.key, f"{silent.message}; {message}")
    path = key.path[:-1] if key.row.others else key.path
    dotted = ".".join((*path, *map(quoted, inside)))
    return SettingsProblem(source, dotted if source == file else f"{key.file}.{dotted}", message)
