"""load_settings: merge the sources by precedence, derive defaults from the profile, validate, and create `Settings`.

Variables that name files are read first. Later sources win: defaults, profile, a v4 project's own `config/*.js`, TOML
files, v4 variables in `.env`, in the environment, `OCTAVO_...` in `.env`, in the environment. Raises `SettingsError`
with all problems.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from octavo.settings import values
from octavo.settings.compat import RULES
from octavo.settings.database_url import read_database_url
from octavo.settings.keys import Key, canonical
from octavo.settings.lint import lint_warnings, not_meant, unsafe
from octavo.settings.model import SECTIONS, TABLES, Mode, Settings
from octavo.settings.package_json import depends_on
from octavo.settings.problems import SettingsError, SettingsProblem
from octavo.settings.provider_checks import cache_problems, check_providers
from octavo.settings.sign_in_providers import provider_problems
from octavo.settings.sources import (
    Found,
    Given,
    find_files,
    format_value,
    misspelt,
    placed,
    read_env_file,
    read_files,
    read_v4_variables,
    read_variables,
    stray_database_value,
)
from octavo.settings.v4_package import V4Configuration, read_v4_configuration
from octavo.settings.v4_versions import find_version, known_version
from octavo.settings.variable_files import named_by_file, paths_by_source, with_files

Chosen = dict[tuple[str, ...], Given]

ADOPTED_DATABASE = ".tmp/data.db"

_MODES = values.one_of(("development", "staging", "production"), {"test": "development"})
_KEYS: dict[tuple[str, ...], Key] = {key.attributes: key for table in TABLES.values() for key in table.rows()}
_URL = _KEYS["database", "url"]
_CORS = ("api", "compat", "cors")
_ORIGINS = ("middlewares", "cors", "origins")
_LEVELS = ("api", "rest", "populate_deep")
_CLIENT = ("database", "client")
_PORT = ("database", "port")
_MYSQL_PORT = 3306

POPULATE_DEEP = "strapi-plugin-populate-deep"
"""The v4 plugin for `populate=deep`, which Octavo supports with five levels by default."""

_VERSION = ("api", "compat", "v4_version")
_GRAPHQL = ("plugins", "graphql", "config")

_ENV = ".env: "
"""Prefix of variables of the project's `.env` in messages."""

REQUIRED_SECRETS = ("JWT_SECRET", "API_TOKEN_SALT")
"""Secrets that are required, except in development."""
_NO_SECRET: Final = "expected a secret; {} does not start without it (octavo secrets new --missing adds one to .env)"


def load_settings(
    project: Path,
    environment: Mapping[str, str],
    mode: Mode | None = None,
    *,
    default_mode: Mode = "development",
    require_secrets: bool = True,
) -> Settings:
    """Return the settings of a project folder. `mode` overrides OCTAVO_ENV and NODE_ENV, `default_mode` is the default.

    Raises SettingsError with all problems. `require_secrets=False` is for commands that serve no requests.
    """
    inspected = inspect_settings(project, environment, mode, default_mode=default_mode, require_secrets=require_secrets)
    if inspected.problems:
        raise SettingsError(inspected.problems)
    return inspected.settings


class Inspected(NamedTuple):
    """The settings as far as they could be read, findings for a v4 project, and problems that prevent the start."""

    settings: Settings
    problems: tuple[SettingsProblem, ...]


def inspect_settings(
    project: Path,
    environment: Mapping[str, str],
    mode: Mode | None = None,
    *,
    default_mode: Mode = "development",
    require_secrets: bool = True,
) -> Inspected:
    """Load settings for reports, without raising errors."""
    files = find_files(project)
    problems: list[SettingsProblem] = []
    own = with_files(project, _read_env_file(project, problems), _ENV)
    outer = with_files(project, environment)
    dotenv, environment = own.variables, outer.variables
    problems += (*own.problems, *outer.problems)
    variables = {**dotenv, **environment}
    v4 = _read_v4(project, variables, problems)
    visible = v4.visible if v4 else iter
    chosen: Chosen = {}
    for found in (
        iter(v4.defaults if v4 else ()),
        iter(v4.given if v4 else ()),
        _split_url(read_files(files)),
        visible(_split_url(named_by_file(read_v4_variables(dotenv, _ENV), own.files, _ENV))),
        visible(_split_url(named_by_file(read_v4_variables(environment), outer.files))),
        _split_url(named_by_file(read_variables(dotenv, _ENV), own.files, _ENV)),
        _split_url(named_by_file(read_variables(environment), outer.files)),
    ):
        _choose(chosen, found, problems)
    _drop_other_server(chosen, v4.given if v4 else ())
    mode = mode or _read_mode(variables, default_mode, v4 is not None, problems)
    _take_version(chosen, project)
    _derive(chosen, mode, v4, (v4 is not None or not files) and (project / ADOPTED_DATABASE).is_file())
    if depends_on(project, POPULATE_DEEP):
        chosen.setdefault(_LEVELS, Given(_KEYS[_LEVELS], 5, f"package.json: {POPULATE_DEEP}"))
    missing = list(v4.missing(chosen)) if v4 else [*filter(None, [stray_database_value(chosen)])]
    named = v4.plugins if v4 else ()
    settings = replace(_build(project, mode, not files, chosen), is_v4=v4 is not None, named_plugins=named)
    paths = {**paths_by_source(own.files, _ENV), **paths_by_source(outer.files)}
    value_files = {place: paths[given.source] for place, given in chosen.items() if given.source in paths}
    settings = replace(settings, value_files=value_files)
    settings = replace(settings, findings=tuple(v4.findings(settings)) if v4 else ())
    unmeant, remarks = (
        tuple(not_meant(settings)),
        (*misspelt(dotenv, _ENV), *misspelt(environment), *lint_warnings(settings)),
    )
    is_foreign = settings.is_v4 or settings.adopted  # starts unchanged
    settings = replace(settings, remarks=(*remarks, *unmeant) if is_foreign else remarks)
    problems += missing or _check(settings, require_secrets)
    problems += unsafe(settings)
    problems += () if is_foreign else unmeant
    return Inspected(settings, tuple(problems))


def _read_v4(project: Path, variables: Mapping[str, str], problems: list[SettingsProblem]) -> V4Configuration | None:
    try:
        return read_v4_configuration(project, variables)
    except ValueError as error:
        problems.append(SettingsProblem("package.json", "", str(error)))
        return None


def missing_secrets(settings: Settings) -> tuple[str, ...]:
    """Return the variables of required secrets that are missing."""
    secrets = settings.secrets
    needed = {
        "APP_KEYS": secrets.app_keys,
        "API_TOKEN_SALT": secrets.api_token_salt,
        "ADMIN_JWT_SECRET": secrets.admin_jwt_secret,
        "JWT_SECRET": secrets.jwt_secret,
    }
    return tuple(name for name, value in needed.items() if not value)


def _read_env_file(project: Path, problems: list[SettingsProblem]) -> dict[str, str]:
    try:
        return read_env_file(project)
    except (UnicodeDecodeError, OSError) as error:
        problems.append(SettingsProblem(".env", "", f"cannot be read: {error}"))
        return {}


def _read_mode(variables: Mapping[str, str], default: Mode, is_v4: bool, problems: list[SettingsProblem]) -> Mode:
    """Return the mode. v4 accepts any `NODE_ENV`, the name of a folder in `config/env`: all but development are
    served."""
    name = next((name for name in ("OCTAVO_ENV", "NODE_ENV") if variables.get(name)), None)
    if name is None:
        return default
    try:
        return cast(Mode, _MODES.from_text(variables[name]))
    except ValueError:
        if is_v4 and name == "NODE_ENV":
            return "production"
        problems.append(SettingsProblem(name, "", f"expected {_MODES.expected}, not {format_value(variables[name])}"))
        return "production"


def _split_url(found: Found) -> Found:
    """Add the parts of a database URL, after the other values of the same source."""
    for given in (everything := list(found)):
        yield given
    for given in everything:
        if isinstance(given, Given) and given.key is _URL and given.value:
            yield from _read_url(given)


def _read_url(given: Given) -> Found:
    try:
        parts = read_database_url(given.value)
    except ValueError as error:
        yield SettingsProblem(given.source, "database.url", f"expected {error}")
        return
    for name, text in parts.items():
        key = _KEYS["database", name]
        try:
            yield Given(key, key.kind.from_text(text), given.source)
        except ValueError:
            yield SettingsProblem(given.source, "database.url", f"expected {key.kind.expected} for {name}")


def _choose(chosen: Chosen, found: Iterable[Given | SettingsProblem], problems: list[SettingsProblem]) -> None:
    for given in found:
        if isinstance(given, SettingsProblem):
            problems.append(given)
            continue
        place = given.key.attributes
        before = chosen[place].value if place in chosen else given.key.default
        chosen[place] = replace(given, value=_put(before, given.inside, given.value), inside=())


def _drop_other_server(chosen: Chosen, v4_given: Iterable[Given]) -> None:
    """Remove the keys of a v4 project's MySQL server, such as its port, if another kind of database is configured."""
    theirs = {given.key.attributes: given for given in v4_given if given.key.attributes[0] == "database"}
    client = theirs.get(_CLIENT)
    if client is not None and client.value == "mysql" and chosen[_CLIENT].value != "mysql":
        for place, given in theirs.items():
            if place in chosen and chosen[place].source == given.source:
                del chosen[place]


def _put(content: Any, inside: tuple[str, ...], value: Any) -> Any:
    """Return a copy of a table with one value set; an existing name keeps its spelling."""
    if not inside:
        return value
    copy = dict(content) if isinstance(content, Mapping) else {}
    name = next((known for known in copy if canonical(known) == canonical(inside[0])), inside[0])
    copy[name] = _put(copy.get(name), inside[1:], value)
    return copy


def _take_version(chosen: Chosen, project: Path) -> None:
    """Set the version of v4 from the project's files, unless it is configured."""
    if _VERSION not in chosen and (version := find_version(project)) is not None:
        chosen[_VERSION] = Given(_KEYS[_VERSION], version.version, version.source)


def _derive(chosen: Chosen, mode: Mode, v4: V4Configuration | None, has_v4_database: bool) -> None:
    """Set defaults that depend on other settings."""
    profile_place = ("api", "compat", "profile")
    profile = chosen[profile_place].value if profile_place in chosen else _KEYS[profile_place].default
    _derive_rules(chosen, profile, v4)
    for name in ("tracing", "introspection", "persisted_queries"):
        given = chosen.get((*_GRAPHQL, "apollo_server", name))
        if given is not None and given.value is not None:
            _default(chosen, (*_GRAPHQL, name), given.value, given.source)
    if profile == "safe":
        _default(chosen, (*_GRAPHQL, "persisted_queries"), False, "profile safe")
    if mode == "production":
        _default(chosen, (*_GRAPHQL, "introspection"), False, "production")
    if has_v4_database:
        _default(chosen, ("database", "filename"), ADOPTED_DATABASE, "adopted v4 project")


def _derive_rules(chosen: Chosen, profile: str, v4: V4Configuration | None) -> None:
    """Set the compatibility rules by profile and version, and the allowed origins, which depend on one of them."""
    version = chosen[_VERSION].value if _VERSION in chosen else None
    number = known_version(version)
    lister = _source_of_origins(chosen, {given.source for given in v4.given} if v4 else set())
    if lister is not None:
        chosen[_CORS] = Given(_KEYS[_CORS], "exact", lister)
    for name, rule in RULES.items():
        value = rule.under(profile, number)
        source = f"profile {profile}" if value == rule.under(profile) else f"v4 {version}"
        _default(chosen, ("api", "compat", name), value, source)
    if v4 is not None:
        v4.resolve_origins(chosen, RULES["cors"].under(profile, number))
    if chosen[_CORS].value != "exact":
        _default(chosen, ("middlewares", "cors", "origins"), ("*",), "rule compat.cors")
    if chosen[_CORS].value == "reflect" or (lister is not None and profile == "v4"):
        _default(chosen, ("middlewares", "cors", "credentials"), True, "rule compat.cors")


def _source_of_origins(chosen: Chosen, v4_sources: Container[str]) -> str | None:
    """Return the TOML file or variable that lists the allowed origins and does not set the rule `cors` as well.

    It has priority over the rule in a v4 project's configuration (`v4_sources`).
    """
    origins, cors = chosen.get(_ORIGINS), chosen.get(_CORS)
    if origins is None or origins.source in v4_sources or "*" in origins.value:
        return None
    return origins.source if cors is None or cors.source in v4_sources else None


def _default(chosen: Chosen, place: tuple[str, ...], value: Any, source: str) -> None:
    chosen.setdefault(place, Given(_KEYS[place], value, source))


def _build(project: Path, mode: Mode, adopted: bool, chosen: Chosen) -> Settings:
    sections = {name: _fill(model(), (name,), chosen) for name, model in SECTIONS.items()}
    jwt_secret = sections["plugins"].users_permissions.config.jwt_secret
    sections["secrets"] = replace(sections["secrets"], jwt_secret=jwt_secret)
    sources = {place: given.source for place, given in chosen.items()}
    if sections["database"].is_mysql and _PORT not in chosen:
        sections["database"] = replace(sections["database"], port=_MYSQL_PORT)
    return Settings(project=project, mode=mode, adopted=adopted, sources=sources, **sections)


def _fill(section: Any, place: tuple[str, ...], chosen: Chosen) -> Any:
    """Return the section with the chosen values instead of its defaults."""
    changes: dict[str, Any] = {}
    for part in fields(section):
        inner = (*place, part.name)
        default = getattr(section, part.name)
        if is_dataclass(default):
            changes[part.name] = _fill(default, inner, chosen)
        elif inner in chosen:
            changes[part.name] = chosen[inner].value
    return replace(section, **changes)


def _check(settings: Settings, require_secrets: bool) -> Iterable[SettingsProblem]:
    """Yield the problems that involve several keys."""
    database, cors = settings.database, settings.middlewares.cors
    if database.client != "sqlite" and not database.name:
        yield _nameless(settings)
    yield from _mysql_problems(settings)
    if database.pool.min > database.pool.max:
        yield placed(settings, ("database", "pool", "min"), f"expected at most pool.max, {database.pool.max}")
    if settings.api.compat.cors == "exact" and cors.credentials and "*" in cors.origins:
        expected = "expected a list of exact origins, not *, because credentials are allowed"
        yield placed(settings, ("middlewares", "cors", "origins"), expected)
    if settings.api.compat.cors != "exact" and "*" not in cors.origins:
        expected = f"expected no list: the rule compat.cors {settings.api.compat.cors} allows all origins"
        yield placed(settings, ("middlewares", "cors", "origins"), expected)
    for place, expected in check_providers(settings):
        yield placed(settings, place, expected)
    first = settings.admin.first
    if (first.email is None) != (first.password is None):
        missing = "email" if first.email is None else "password"
        yield placed(settings, ("admin", "first", missing), "expected both email address and password, or neither")
    yield from _provider_problems(settings)
    yield from _cache_problems(settings)
    if settings.mode != "development" and require_secrets:
        for name in REQUIRED_SECRETS:
            if name in missing_secrets(settings):
                yield SettingsProblem(".env", name, _NO_SECRET.format(settings.mode))


def _nameless(settings: Settings) -> SettingsProblem:
    """Return the problem of a database on a server without a name."""
    server = "MySQL" if settings.database.is_mysql else "PostgreSQL"
    expected = f"expected the name of the {server} database"
    source = settings.sources.get(("database", "client"), "")
    if ("database", "name") in settings.sources or not source.endswith("CLIENT"):
        return placed(settings, ("database", "name"), expected)
    return SettingsProblem(f"{source.removesuffix('CLIENT')}NAME", "database.name", expected)


def _mysql_problems(settings: Settings) -> Iterable[SettingsProblem]:
    """Yield the problems of settings that MySQL does not support."""
    database = settings.database
    if database.is_mysql:
        for name, is_set in (("pooler", database.pooler != "none"), ("replicas", bool(database.replicas))):
            if is_set:
                yield placed(settings, ("database", name), "not supported on MySQL and MariaDB; remove it")


def _provider_problems(settings: Settings) -> Iterable[SettingsProblem]:
    place = ("plugins", "users_permissions", "config", "providers")
    for name, given in settings.plugins.users_permissions.config.providers.items():
        for path, message in provider_problems(name, given):
            problem = placed(settings, place, message)
            yield replace(problem, key=f"{problem.key}.{path}")


def _cache_problems(settings: Settings) -> Iterable[SettingsProblem]:
    caching = settings.api.caching
    for path, message in cache_problems(caching):
        problem = placed(settings, ("api", "caching", "purge", "caches"), message)
        yield replace(problem, key=f"{problem.key}.{path}")
    if caching.purge.caches and not caching.surrogate_keys.headers:
        expected = "expected the header with cache tags, such as Surrogate-Key, because caching.purge.caches is set"
        yield placed(settings, ("api", "caching", "surrogate_keys", "headers"), expected)
    lag, again = settings.database.replica_lag, caching.purge.repeat
    if caching.purge.caches and settings.database.replicas and max(again, default=0) <= lag:
        expected = f"expected a last time later than database.replicaLag, {lag} ms, as replicas can be outdated"
        yield placed(settings, ("api", "caching", "purge", "repeat"), expected)
