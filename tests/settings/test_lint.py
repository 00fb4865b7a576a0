"""Values that are valid but probably not intended: errors in Octavo projects, warnings in v4 projects."""

import json
from pathlib import Path

import pytest

from octavo.settings import Settings, SettingsError, inspect_settings, load_settings

V4 = json.dumps({"dependencies": {"@strapi/strapi": "4.26.2", "@strapi/plugin-graphql": "4.26.2"}})

MISTAKES = [
    ({"PUBLIC_URL": "cms.example.org"}, "server.url: expected a URL that begins with http:// or https://"),
    (
        {"OCTAVO_MIDDLEWARES__CORS__ORIGINS": "a.example"},
        "middlewares.cors.origins: expected origins with their scheme, such as https://a.example",
    ),
    ({"OCTAVO_ADMIN__PATH": "/api"}, "admin.path: expected a path other than api.rest.prefix, /api"),
    ({"OCTAVO_ADMIN__PATH": "/"}, "admin.path: expected a path such as /admin, not /"),
    (
        {"OCTAVO_API__REST__PREFIX": "/graphql"},
        "api.rest.prefix: expected a path other than plugins.graphql.config.endpoint, /graphql",
    ),
    (
        {"OCTAVO_PLUGINS__USER_PERMISSIONS": "{}"},
        "plugins.user-permissions: unknown plugin; did you mean users-permissions?",
    ),
]


def _own(folder: Path) -> Path:
    (folder / "config").mkdir()
    (folder / "config/server.toml").touch()
    return folder


def _of_v4(folder: Path) -> Path:
    (folder / "package.json").write_text(V4, "utf-8")
    return folder


def _remarks(settings: Settings) -> list[str]:
    return list(map(str, settings.remarks))


@pytest.mark.parametrize("given, told", MISTAKES)
def test_invalid_values(tmp_path: Path, given: dict[str, str], told: str) -> None:
    (name,) = given
    with pytest.raises(SettingsError) as refused:
        load_settings(_own(tmp_path), given)
    assert [str(problem) for problem in refused.value.problems] == [f"{name}: {told}"]


@pytest.mark.parametrize("of_v4", [False, True])
@pytest.mark.parametrize("name", ["PUBLIC_URL", "CDN_URL", "STORAGE_CDN_URL"])
@pytest.mark.parametrize("value", ["javascript:alert(1)//", "data:text/html,x", "java script:x", "ftp://a.example"])
def test_urls_that_run_scripts_stop_every_start(tmp_path: Path, name: str, value: str, of_v4: bool) -> None:
    project = _of_v4(tmp_path) if of_v4 else _own(tmp_path)
    with pytest.raises(SettingsError, match="expected a URL that begins with http:// or https://"):
        load_settings(project, {name: value, "DATABASE_URL": "sqlite:///x.db"})


@pytest.mark.parametrize("url", ["localhost:1337", "https://a.example/cms", "cms.example.org", "/cms"])
def test_urls_in_v4_projects_do_not_stop_the_start(tmp_path: Path, url: str) -> None:
    load_settings(_of_v4(tmp_path), {"PUBLIC_URL": url, "DATABASE_URL": "sqlite:///x.db"})


@pytest.mark.parametrize("given, told", MISTAKES)
def test_v4_projects_start_unchanged(tmp_path: Path, given: dict[str, str], told: str) -> None:
    (name,) = given
    assert f"{name}: {told}" in _remarks(load_settings(_of_v4(tmp_path), {**given, "DATABASE_URL": "sqlite:///x.db"}))


def test_time_zones_must_exist(tmp_path: Path) -> None:
    zone = "OCTAVO_SERVER__JOBS__TIME_ZONE"
    load_settings(_own(tmp_path), {zone: "Europe/Berlin"})
    with pytest.raises(SettingsError, match='expected a time zone such as "Europe/Berlin", not "Mars"'):
        load_settings(tmp_path, {zone: "Mars"})


@pytest.mark.parametrize(
    "given, told",
    [
        (
            {"OCTAVO_SERVER_PORT": "5"},
            "OCTAVO_SERVER_PORT: unknown variable; did you mean OCTAVO_SERVER__PORT?",
        ),
        (
            {"DATABASE_REPLICAS": "postgresql://one/a"},
            "DATABASE_REPLICAS: database.replicas: has no effect: SQLite has no replicas",
        ),
        (
            {"OCTAVO_SERVER__PUBLIC_FOLDER": "nowhere"},
            "OCTAVO_SERVER__PUBLIC_FOLDER: server.publicFolder: the folder nowhere does not exist",
        ),
        (
            {"OCTAVO_SERVER__LOG__LEVELS": '{"octavo.htp": "debug", "octavo.api.http": "info"}'},
            'OCTAVO_SERVER__LOG__LEVELS: server.log.levels."octavo.htp": Octavo has no logger of this name',
        ),
    ],
)
def test_warnings(tmp_path: Path, given: dict[str, str], told: str) -> None:
    assert told in _remarks(load_settings(_own(tmp_path), given))


def test_intended_values_cause_no_warning(tmp_path: Path) -> None:
    given = {"PUBLIC_URL": "https://cms.example.org/x", "OCTAVO_MIDDLEWARES__CORS__ORIGINS": "https://a.example"}
    assert _remarks(load_settings(_own(tmp_path), given)) == []


def test_a_missing_name_is_reported_at_the_client_that_needs_it(tmp_path: Path) -> None:
    (problem,) = inspect_settings(_own(tmp_path), {"DATABASE_CLIENT": "postgres"}).problems
    assert str(problem) == "DATABASE_NAME: database.name: expected the name of the PostgreSQL database"
