"""The precedence of a v4 project's configuration, TOML and variables, and missing values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from octavo.settings import inspect_settings, load_settings
from tests.v4.config.project import PACKAGES, SQLITE, found, problems, read, write

READS_PORT = "module.exports = ({ env }) => ({ port: env.int('PORT', 1337) });"
FIXED_PORT = "module.exports = { port: 1400 };"
POSTGRES = {"connection": {"client": "postgres", "connection": {"host": "h", "database": "n"}}}
NO_DATABASE = {"connection": {"client": "postgres", "connection": "@"}}
READS_DATABASE = """
const path = require('path');
module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite');
  const connections = {
    postgres: { connection: { connectionString: env('DATABASE_URL'), host: env('DATABASE_HOST', 'localhost'),
                              database: env('DATABASE_NAME', 'strapi') } },
    sqlite: { connection: { filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) } },
  };
  return { connection: { client, ...connections[client] } };
};
"""
UNKNOWN_DATABASE = "module.exports = () => ({ connection: require('somewhere').connection });"


@pytest.mark.parametrize(
    "script, toml, dotenv, environment, port",
    [
        (FIXED_PORT, "", "", {}, 1400),
        (FIXED_PORT, "port = 1500", "", {}, 1500),
        (FIXED_PORT, "", "PORT=1600", {}, 1400),
        (FIXED_PORT, "", "", {"PORT": "1700"}, 1400),
        (FIXED_PORT, "port = 1500", "", {"PORT": "1700"}, 1500),
        (FIXED_PORT, "port = 1500", "", {"OCTAVO_SERVER__PORT": "1800"}, 1800),
        (READS_PORT, "", "", {}, 1337),
        (READS_PORT, "", "PORT=1600", {}, 1600),
        (READS_PORT, "", "PORT=1600", {"PORT": "1700"}, 1700),
        (READS_PORT, "port = 1500", "", {"PORT": "1700"}, 1700),
        ("module.exports = {};", "", "", {"PORT": "1700"}, 1700),
        ("module.exports = require('somewhere');", "", "", {"PORT": "1700"}, 1700),
    ],
)
def test_precedence_of_sources(
    tmp_path: Path, script: str, toml: str, dotenv: str, environment: Mapping[str, str], port: int
) -> None:
    files = {"config/server.js": script, ".env": dotenv, **({"config/server.toml": toml} if toml else {})}
    assert read(tmp_path, files, environment).server.port == port


def test_a_variable_that_v4_ignores_is_reported(tmp_path: Path) -> None:
    settings = read(tmp_path, {"config/server.js": FIXED_PORT}, {"PORT": "1700"})
    (reported,) = [str(one) for one in settings.findings if one.file == "PORT"]
    assert reported.startswith("PORT: ignored")
    assert "OCTAVO_SERVER__PORT" in reported


@pytest.mark.parametrize(
    "script, environment, expected",
    [
        (READS_DATABASE, {}, ("sqlite", ".tmp/data.db")),
        (READS_DATABASE, {"DATABASE_FILENAME": "x.db"}, ("sqlite", "x.db")),
        (READS_DATABASE, {"DATABASE_URL": "postgres://h/other"}, ("sqlite", ".tmp/data.db")),
        (READS_DATABASE, {"DATABASE_HOST": "h", "DATABASE_NAME": "other"}, ("sqlite", ".tmp/data.db")),
        (READS_DATABASE, {"DATABASE_CLIENT": "postgres", "DATABASE_NAME": "x"}, ("postgres", "x")),
        (READS_DATABASE, {"DATABASE_CLIENT": "postgres", "DATABASE_URL": "postgres://h/y"}, ("postgres", "y")),
        (READS_DATABASE, {"OCTAVO_DATABASE__URL": "postgres://h/z"}, ("postgres", "z")),
        (UNKNOWN_DATABASE, {"DATABASE_URL": "postgres://h/z"}, ("postgres", "z")),
        (UNKNOWN_DATABASE, {"DATABASE_CLIENT": "sqlite", "DATABASE_FILENAME": "w.db"}, ("sqlite", "w.db")),
    ],
)
def test_the_database_is_that_of_v4(
    tmp_path: Path, script: str, environment: Mapping[str, str], expected: tuple[str, str]
) -> None:
    database = load_settings(write(tmp_path, {"config/database.js": script}), environment).database
    assert (database.client, database.filename if database.client == "sqlite" else database.name) == expected


@pytest.mark.parametrize(
    "files, environment, problem_message",
    [
        ({}, {}, "config/database: is missing, so the database is unknown"),
        ({}, {"DATABASE_HOST": "h", "DATABASE_NAME": "n"}, "DATABASE_HOST: is set, but not the kind"),
        ({"config/database.js": UNKNOWN_DATABASE}, {}, "config/database.js:2: connection: cannot be evaluated"),
        ({"config/database.js": UNKNOWN_DATABASE}, {"DATABASE_HOST": "h"}, "config/database.js:2: connection: cannot"),
        ({"config/database.js": "module.exports = {"}, {}, "config/database.js:1"),
        ({"config/database.json": SQLITE, "package.json": "{"}, {}, "package.json: cannot be read"),
    ],
)
def test_a_database_that_is_not_known_stops_the_start(
    tmp_path: Path, files: Mapping[str, Any], environment: Mapping[str, str], problem_message: str
) -> None:
    script = {
        name: text.replace("module", "\nmodule") if name.endswith(".js") else text for name, text in files.items()
    }
    listed = problems(write(tmp_path, script), environment)
    assert len(listed) == 1
    assert listed[0].startswith(problem_message.replace(":1", ":2"))


def test_the_default_database_of_v4_is_used(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, {".tmp/data.db": ""}), {})
    assert settings.database.filename == ".tmp/data.db"


def test_a_database_needs_its_kind_in_any_project(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, {"DATABASE_NAME": "n", "DATABASE_PASSWORD": "hush"})
    assert problem.startswith("DATABASE_NAME: is set, but not the kind")


@pytest.mark.parametrize(
    "script, environment, stops",
    [
        ("jwtSecret: env('OTHER')", {"OTHER": "s"}, False),
        ("jwtSecret: env('OTHER', 'in the code')", {}, False),
        ("jwtSecret: require('vault').secret", {}, True),
        ("jwtSecret: require('vault').secret", {"JWT_SECRET": "s"}, False),
        ("jwtSecret: env('JWT_SECRET') || require('crypto').randomBytes(16)", {"JWT_SECRET": "s"}, False),
    ],
)
def test_secrets(tmp_path: Path, script: str, environment: Mapping[str, str], stops: bool) -> None:
    text = f"module.exports = ({{ env }}) => ({{ 'users-permissions': {{ config: {{ {script} }} }} }});"
    write(tmp_path, {"config/database.json": SQLITE, "config/plugins.js": text})
    listed = problems(tmp_path, environment)
    assert bool(listed) is stops
    assert all(problem.startswith("config/plugins.js:1: users-permissions.config.jwtSecret") for problem in listed)


def test_a_secret_in_the_code_is_used_and_reported_without_its_value(tmp_path: Path) -> None:
    script = "module.exports = ({ env }) => ({ apiToken: { salt: env('MY_SALT', 'hush-hush') } });"
    settings = read(tmp_path, {"config/admin.js": script})
    assert settings.secrets.api_token_salt == "hush-hush"
    (reported,) = [one for one in settings.findings if one.key == "apiToken.salt"]
    assert (reported.value, "set MY_SALT in .env" in reported.message, "hush" in repr(reported)) == ("***", True, False)


def test_an_empty_secret_is_not_reported(tmp_path: Path) -> None:
    script = "module.exports = ({ env }) => ({ apiToken: { salt: env('MY_SALT', '') } });"
    (reported,) = [one for one in read(tmp_path, {"config/admin.js": script}).findings if one.key == "apiToken.salt"]
    assert reported.message == ""


@pytest.mark.parametrize(
    "name, script, setting, closed",
    [
        ("middlewares", "[{ name: 'strapi::cors', config: { origin: (ctx) => [ctx.x] } }]", "origins", ()),
        ("middlewares", "require('./somewhere')", "origins", ()),
        ("api", "{ rest: { maxLimit: require('x').most } }", "max_limit", 100),
        ("api", "require('x')", "max_limit", 100),
    ],
)
def test_unknown_values_of_protective_settings_close_the_feature(
    tmp_path: Path, name: str, script: str, setting: str, closed: Any
) -> None:
    files = {f"config/{name}.js": f"module.exports = {script};"}
    if (script, name) == ("require('x')", "api"):
        assert problems(write(tmp_path, {"config/database.json": SQLITE, **files}))
        files["config/api.toml"] = '[rest]\nprefix = "/api"\n[responses]\nprivateAttributes = []'
    settings = read(tmp_path, files)
    section = settings.middlewares.cors if name == "middlewares" else settings.api.rest
    assert getattr(section, setting) == closed
    assert "closed" in {outcome for outcome, _, _ in found(settings)}
    assert name != "middlewares" or settings.api.compat.cors == "exact"


def test_plugins_that_are_not_installed_are_off(tmp_path: Path) -> None:
    write(tmp_path, {"config/database.json": SQLITE}, {"@strapi/strapi": "^4.1.0"})
    plugins = load_settings(tmp_path, {}).plugins
    assert [plugins.graphql.enabled, plugins.i18n.enabled, plugins.users_permissions.enabled] == [False] * 3
    write(tmp_path, {}, {**PACKAGES, "@strapi/plugin-graphql": "4.1.0"})
    assert load_settings(tmp_path, {}).plugins.graphql.enabled
    write(tmp_path, {"config/plugins.js": "module.exports = { graphql: { enabled: false } };"})
    assert not load_settings(tmp_path, {}).plugins.graphql.enabled


@pytest.mark.parametrize("version", ["5.0.1", "^3.6.0", ">=5"])
def test_projects_of_other_versions_do_not_start(tmp_path: Path, version: str) -> None:
    write(tmp_path, {"config/server.js": FIXED_PORT, "config/database.json": SQLITE}, {"@strapi/strapi": version})
    assert problems(tmp_path) == [
        f"package.json: requires @strapi/strapi {version}: Octavo serves projects of version 4 only"
    ]


@pytest.mark.parametrize("wanted", ["latest", ">=4.0.0", "*"])
def test_a_lock_file_determines_the_version(tmp_path: Path, wanted: str) -> None:
    lock = {"packages": {"node_modules/@strapi/strapi": {"version": "5.1.0"}}}
    write(tmp_path, {"config/database.json": SQLITE, "package-lock.json": lock}, {"@strapi/strapi": wanted})
    says = f"requires @strapi/strapi {wanted}, which is 5.1.0 in package-lock.json"
    assert problems(tmp_path) == [f"package.json: {says}: Octavo serves projects of version 4 only"]
    lock["packages"]["node_modules/@strapi/strapi"]["version"] = "4.20.1"
    write(tmp_path, {"package-lock.json": lock}, {"@strapi/strapi": wanted})
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    "environment, port", [({}, 1401), ({"NODE_ENV": "production"}, 1402), ({"NODE_ENV": "eu"}, 1403)]
)
def test_environments_have_their_own_files(tmp_path: Path, environment: Mapping[str, str], port: int) -> None:
    files = {"config/server.js": "module.exports = { port: 1401, host: 'a.example' };"}
    files |= {
        f"config/env/{name}/server.js": f"module.exports = {{ port: {number} }};"
        for name, number in (("production", 1402), ("eu", 1403))
    }
    write(tmp_path, {"config/database.json": SQLITE, **files})
    settings = load_settings(tmp_path, environment, require_secrets=False)
    assert (settings.server.port, settings.server.host) == (port, "a.example")
    assert settings.mode == ("production" if environment else "development")


UNKNOWN_LIMIT = "module.exports = { rest: { maxLimit: require('x').most } };"


@pytest.mark.parametrize(
    "toml, environment, outcome, source",
    [
        ("", {}, "closed", "config/api.toml"),
        ("[rest]\nmaxLimit = 7", {}, "idle", "config/api.toml"),
        ("", {"OCTAVO_API__REST__MAX_LIMIT": "7"}, "idle", "OCTAVO_API__REST__MAX_LIMIT"),
    ],
)
def test_unknown_values_that_are_overridden_need_no_attention(
    tmp_path: Path, toml: str, environment: Mapping[str, str], outcome: str, source: str
) -> None:
    settings = read(tmp_path, {"config/api.js": UNKNOWN_LIMIT, "config/api.toml": toml}, environment)
    (finding,) = [one for one in settings.findings if one.key == "rest.maxLimit"]
    assert (finding.outcome.value, finding.place) == (outcome, "config/api.js:1")
    assert source in finding.message
    assert settings.api.rest.max_limit == (100 if outcome == "closed" else 7)


def test_unknown_providers_close_their_feature(tmp_path: Path) -> None:
    config = {"upload": {"config": {"provider": "my-own", "providerOptions": {"key": "hush"}}}}
    settings = read(tmp_path, {"config/plugins.json": config})
    reported = {one.key: str(one) for one in settings.findings if one.outcome.value != "taken"}
    assert "uploads are disabled" in reported["upload.config.provider"]
    assert "hush" not in repr(settings.findings)


def test_production_files_that_v4_ignores_are_reported(tmp_path: Path) -> None:
    write(tmp_path, {"config/database.json": SQLITE, "config/env/production/server.json": {"port": 1402}})
    served = [
        load_settings(tmp_path, environment, default_mode="production", require_secrets=False)
        for environment in ({}, {"NODE_ENV": "production"}, {"NODE_ENV": "development"})
    ]
    assert [settings.server.port for settings in served] == [1337, 1402, 1337]
    reported = [[one.file for one in settings.findings if one.outcome.value == "open"] for settings in served]
    assert reported == [["config/env/production"], [], []]


def test_the_inspection_includes_problems_that_stop_a_start(tmp_path: Path) -> None:
    write(tmp_path, {"config/server.js": FIXED_PORT, "config/database.js": UNKNOWN_DATABASE})
    inspected = inspect_settings(tmp_path, {})
    assert inspected.settings.server.port == 1400
    assert [problem.source for problem in inspected.problems] == ["config/database.js:1"]
    assert ("closed", "connection", "database.client") in found(inspected.settings)
