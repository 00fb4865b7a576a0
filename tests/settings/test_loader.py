"""load_settings: precedence of sources, adopted projects, and errors."""

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from octavo.settings import Settings, SettingsError, load_settings, missing_secrets
from octavo.settings.model import Mode

SECRETS = {"JWT_SECRET": "j", "API_TOKEN_SALT": "s"}

REST_KEYS = "defaultLimit, maxLimit, populateDeep, prefix, withCount"


def write_project(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def problems_of(project: Path, environment: Mapping[str, str], mode: Mode | None = None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load_settings(project, environment, mode)
    assert str(caught.value) == "\n".join(str(problem) for problem in caught.value.problems)
    return [str(problem) for problem in caught.value.problems]


def value_at(settings: Settings, dotted: str) -> Any:
    value: Any = settings
    for name in dotted.split("."):
        value = getattr(value, name)
    return value


def test_an_empty_folder_is_an_adopted_project(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert settings == Settings(
        project=tmp_path, adopted=True, sources=settings.sources, middlewares=settings.middlewares
    )
    assert (settings.profile, settings.mode, settings.database_file) == (
        "v4",
        "development",
        tmp_path / ".octavo/data.db",
    )
    assert (settings.middlewares.cors.origins, settings.middlewares.cors.credentials) == (("*",), True)


def test_any_file_makes_it_an_octavo_project(tmp_path: Path) -> None:
    assert not load_settings(write_project(tmp_path, {"config/server.toml": ""}), {}).adopted


@pytest.mark.parametrize(
    "files, environment, filename",
    [
        ({".tmp/data.db": ""}, {}, ".tmp/data.db"),
        ({".tmp/data.db": ""}, {"DATABASE_FILENAME": "x.db"}, "x.db"),
        ({".tmp/data.db": "", ".env": "DATABASE_FILENAME=y.db\n"}, {}, "y.db"),
        ({".tmp/data.db": "", "config/api.toml": ""}, {}, ".octavo/data.db"),
        ({}, {}, ".octavo/data.db"),
    ],
)
def test_the_database_of_a_v4_project(
    tmp_path: Path, files: dict[str, str], environment: dict[str, str], filename: str
) -> None:
    settings = load_settings(write_project(tmp_path, files), environment)
    assert settings.database_file == tmp_path / filename


def test_absolute_paths_of_databases_do_not_change(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"DATABASE_URL": "sqlite:////var/data.db"})
    assert settings.database_file == Path("/var/data.db")


@pytest.mark.parametrize(
    "toml, dotenv, environment, port, source",
    [
        ("", "", {}, 1337, None),
        ("port = 1", "", {}, 1, "config/server.toml"),
        ("port = 1", "PORT=2", {}, 2, ".env: PORT"),
        ("port = 1", "PORT=2", {"PORT": "3"}, 3, "PORT"),
        ("port = 1", "PORT=2\nOCTAVO_SERVER__PORT=4", {"PORT": "3"}, 4, ".env: OCTAVO_SERVER__PORT"),
        ("port = 1", "OCTAVO_SERVER__PORT=4", {"octavo_server__port": "5"}, 5, "octavo_server__port"),
        ("port = 1", "PORT=2", {"PORT": ""}, 2, ".env: PORT"),
    ],
)
def test_later_sources_win(
    tmp_path: Path, toml: str, dotenv: str, environment: dict[str, str], port: int, source: str | None
) -> None:
    project = write_project(tmp_path, {"config/server.toml": toml, ".env": dotenv})
    settings = load_settings(project, environment)
    assert (settings.server.port, settings.sources.get(("server", "port"))) == (port, source)


@pytest.mark.parametrize(
    "file, text, place, value",
    [
        ("api", "[rest]\nmaxLimit = 50", "api.rest.max_limit", 50),
        ("api", "[rest]\nmax_limit = 50", "api.rest.max_limit", 50),
        ("api", "[rest]\nmax-limit = 50", "api.rest.max_limit", 50),
        ("api", "[rest]\nprefix = '/content/'", "api.rest.prefix", "/content"),
        ("api", "[rest]\nprefix = ''", "api.rest.prefix", ""),
        ("database", "client = 'better-sqlite3'", "database.client", "sqlite"),
        ("database", "ssl = true", "database.ssl", "require"),
        ("middlewares", "[body]\njson = '2 MB'", "middlewares.body.json", 2 * 1024**2),
        ("middlewares", "[headers]\nX-A = 'b'", "middlewares.headers", {"X-A": "b"}),
        ("middlewares", "[cors]\nmaxAge = '1h'", "middlewares.cors.max_age", 3600),
        (
            "plugins",
            "[users_permissions.config.jwt]\nexpiresIn = '12h'",
            "plugins.users_permissions.config.jwt.expires_in",
            43200,
        ),
        ("plugins", "[users-permissions.config]\njwtSecret = 'x'", "secrets.jwt_secret", "x"),
        ("plugins", "[graphql.config]\nshadowCRUD = false", "plugins.graphql.config.shadow_crud", False),
        ("plugins", "[graphql.config]\nshadow_crud = false", "plugins.graphql.config.shadow_crud", False),
        ("plugins", "[upload.config]\nbreakpoints = {xl = 9}", "plugins.upload.config.breakpoints", {"xl": 9}),
        (
            "plugins",
            "[seo]\nenabled = true\nconfig.a.b = 1",
            "plugins.others",
            {"seo": {"enabled": True, "config": {"a": {"b": 1}}}},
        ),
    ],
)
def test_keys_of_files(tmp_path: Path, file: str, text: str, place: str, value: object) -> None:
    settings = load_settings(write_project(tmp_path, {f"config/{file}.toml": text}), {})
    assert value_at(settings, place) == value


@pytest.mark.parametrize(
    "name, text, place, value",
    [
        ("OCTAVO_API__REST__MAX_LIMIT", "50", "api.rest.max_limit", 50),
        ("octavo_api__rest__maxLimit", "50", "api.rest.max_limit", 50),
        ("OCTAVO_API__REST__WITH_COUNT", "Off", "api.rest.with_count", False),
        (
            "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED",
            "false",
            "plugins.users_permissions.config.ratelimit.enabled",
            False,
        ),
        ("OCTAVO_PLUGINS__GRAPHQL__CONFIG__SHADOW_CRUD", "no", "plugins.graphql.config.shadow_crud", False),
        (
            "OCTAVO_MIDDLEWARES__CORS__ORIGINS",
            "https://a.example, https://b.example",
            "middlewares.cors.origins",
            ("https://a.example", "https://b.example"),
        ),
        (
            "OCTAVO_MIDDLEWARES__CORS__ORIGINS",
            '["https://a.example"]',
            "middlewares.cors.origins",
            ("https://a.example",),
        ),
        ("OCTAVO_MIDDLEWARES__CORS__ORIGINS", "", "middlewares.cors.origins", ()),
        ("OCTAVO_MIDDLEWARES__HEADERS__X_FRAME_OPTIONS", "1", "middlewares.headers", {"x-frame-options": "1"}),
        (
            "OCTAVO_PLUGINS__UPLOAD__CONFIG__BREAKPOINTS__LARGE",
            "1200",
            "plugins.upload.config.breakpoints",
            {"large": 1200, "medium": 750, "small": 500},
        ),
        (
            "OCTAVO_PLUGINS__MY_SEO__CONFIG__SITE_NAME",
            "Ann",
            "plugins.others",
            {"my-seo": {"config": {"siteName": "Ann"}}},
        ),
        ("OCTAVO_PLUGINS__MY_SEO__CONFIG", '{"a": [1]}', "plugins.others", {"my-seo": {"config": {"a": [1]}}}),
        ("OCTAVO_SECRETS__API_TOKEN_SALT", "x", "secrets.api_token_salt", "x"),
        ("OCTAVO_DATABASE__PASSWORD", "", "database.password", None),
        ("APP_KEYS", "a,b", "secrets.app_keys", ("a", "b")),
        ("JWT_SECRET", "x", "secrets.jwt_secret", "x"),
        ("JWT_SECRET", "x", "plugins.users_permissions.config.jwt_secret", "x"),
        ("DATABASE_CLIENT", "better-sqlite3", "database.client", "sqlite"),
        ("PUBLIC_URL", "https://a.example", "server.url", "https://a.example"),
        ("OCTAVO_ENV", "staging", "mode", "staging"),
        ("NODE_ENV", "test", "mode", "development"),
        ("OCTAVO_TEMPERATURE", "hot", "mode", "development"),
    ],
)
def test_variables(tmp_path: Path, name: str, text: str, place: str, value: object) -> None:
    settings = load_settings(tmp_path, {name: text}, require_secrets=False)
    assert value_at(settings, place) == value


def test_a_variable_keeps_the_spelling_of_a_free_name(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"config/plugins.toml": "[mySEO.config]\nsite_name = 'a'\nother = 1"})
    settings = load_settings(project, {"OCTAVO_PLUGINS__MY_SEO__CONFIG__SITE_NAME": "b"})
    assert settings.plugins.others == {"mySEO": {"config": {"site_name": "b", "other": 1}}}


@pytest.mark.parametrize(
    "dotenv, environment, expected",
    [
        ("DATABASE_CLIENT=sqlite", {"DATABASE_URL": "postgres://h/n"}, ("postgres", "h", "n")),
        ("DATABASE_URL=postgres://h/n", {"DATABASE_CLIENT": "sqlite"}, ("sqlite", "h", "n")),
        ("DATABASE_URL=postgres://h/n", {"OCTAVO_DATABASE__HOST": "other"}, ("postgres", "other", "n")),
        ("DATABASE_URL=postgres://h/n\nDATABASE_HOST=other", {}, ("postgres", "h", "n")),
        ("DATABASE_URL=\nDATABASE_CLIENT=sqlite\nDATABASE_HOST=other", {}, ("sqlite", "other", None)),
    ],
)
def test_a_database_url_beside_single_keys(
    tmp_path: Path, dotenv: str, environment: dict[str, str], expected: tuple[str, str, str | None]
) -> None:
    database = load_settings(write_project(tmp_path, {".env": dotenv}), environment).database
    assert (database.client, database.host, database.name) == expected


@pytest.mark.parametrize("client", ["mysql", "mysql2", "mariadb"])
def test_mysql_has_its_own_default_port(tmp_path: Path, client: str) -> None:
    project = write_project(tmp_path, {".env": f"DATABASE_CLIENT={client}\nDATABASE_NAME=n"})
    database = load_settings(project, {}).database
    assert (database.is_mysql, database.port) == (True, 3306)
    assert load_settings(project, {"DATABASE_PORT": "5432"}).database.port == 5432


@pytest.mark.parametrize(
    "toml, rules",
    [
        ("", ("ignore", "drop", "visible", "valid", "reflect")),
        ("profile = 'safe'", ("refuse", "refuse", "preview", "invalid", "exact")),
        ("profile = 'safe'\ndraftsById = 'visible'", ("refuse", "refuse", "visible", "invalid", "exact")),
        ("unknownOperators = 'refuse'", ("refuse", "drop", "visible", "valid", "reflect")),
    ],
)
def test_profile_and_rules(tmp_path: Path, toml: str, rules: tuple[str, ...]) -> None:
    compat = load_settings(write_project(tmp_path, {"config/api.toml": f"[compat]\n{toml}"}), {}).api.compat
    assert rules == (
        compat.unknown_operators,
        compat.unknown_populate,
        compat.drafts_by_id,
        compat.tokens_after_password_change,
        compat.cors,
    )


@pytest.mark.parametrize(
    "api, middlewares, rule, origins, credentials",
    [
        ("", "", "reflect", ("*",), True),
        ("", "[cors]\norigins = ['*']", "reflect", ("*",), True),
        ("cors = 'exact'", "", "exact", (), False),
        ("profile = 'safe'", "[cors]\norigins = ['https://a.example']", "exact", ("https://a.example",), False),
        ("", "[cors]\norigins = ['https://a.example']", "exact", ("https://a.example",), True),
        ("", "[cors]\norigins = []\ncredentials = false", "exact", (), False),
    ],
)
def test_cors_follows_its_rule(
    tmp_path: Path, api: str, middlewares: str, rule: str, origins: tuple[str, ...], credentials: bool
) -> None:
    files = {"config/api.toml": f"[compat]\n{api}", "config/middlewares.toml": middlewares}
    settings = load_settings(write_project(tmp_path, files), {})
    cors = settings.middlewares.cors
    assert (settings.api.compat.cors, cors.origins, cors.credentials) == (rule, origins, credentials)


@pytest.mark.parametrize("mode, introspection", [("development", True), ("staging", True), ("production", False)])
def test_introspection_is_off_in_production(tmp_path: Path, mode: Mode, introspection: bool) -> None:
    settings = load_settings(tmp_path, SECRETS, mode)
    assert settings.plugins.graphql.config.introspection is introspection


@pytest.mark.parametrize(
    "environment, mode, expected",
    [
        ({}, None, "development"),
        ({"NODE_ENV": "production"}, None, "production"),
        ({"NODE_ENV": "production", "OCTAVO_ENV": "staging"}, None, "staging"),
        ({"NODE_ENV": "development"}, "production", "production"),
    ],
)
def test_mode(tmp_path: Path, environment: dict[str, str], mode: Mode | None, expected: str) -> None:
    assert load_settings(tmp_path, environment | SECRETS, mode).mode == expected


@pytest.mark.parametrize(
    "files, environment, expected",
    [
        (
            {"config/api.toml": "[rest]\nmaxLimt = 1"},
            {},
            ["config/api.toml: rest.maxLimt: unknown key; did you mean maxLimit?"],
        ),
        (
            {"config/api.toml": "[rest]\nMAXLIMIT = 1"},
            {},
            [f"config/api.toml: rest.MAXLIMIT: unknown key; expected one of {REST_KEYS}"],
        ),
        (
            {"config/api.toml": "[rest]\nmaxLimit = 1\nmax_limit = 2"},
            {},
            ["config/api.toml: rest.max_limit: set twice, also as another spelling of maxLimit"],
        ),
        ({"config/api.toml": "rest = 1"}, {}, ["config/api.toml: rest: expected a table, not 1"]),
        (
            {"config/api.toml": "[rest]\nmaxLimit = '50'"},
            {},
            ['config/api.toml: rest.maxLimit: expected a whole number, at least -1, not "50"'],
        ),
        (
            {"config/api.toml": "[rest]\nmaxLimit = true"},
            {},
            ["config/api.toml: rest.maxLimit: expected a whole number, at least -1, not true"],
        ),
        (
            {"config/api.toml": "[compat]\nprofile = 'v5'"},
            {},
            ['config/api.toml: compat.profile: expected one of v4, safe, not "v5"'],
        ),
        (
            {"config/api.toml": "[compat]\nfirstAdministrator = 'sealed'"},
            {"OCTAVO_API__COMPAT__RELATION_ERRORS": "placed"},
            [
                'config/api.toml: compat.firstAdministrator: expected one of anyone, code, not "sealed"; '
                'it was renamed to "code"',
                "OCTAVO_API__COMPAT__RELATION_ERRORS: api.compat.relationErrors: expected one of flat, withPath, not "
                '"placed"; it was renamed to "withPath"',
            ],
        ),
        (
            {"config/api.toml": "[rest\n"},
            {},
            ["config/api.toml: not valid TOML: Expected ']' at the end of a table declaration (at line 1, column 6)"],
        ),
        ({"config/apis.toml": ""}, {}, ["config/apis.toml: unknown file; did you mean api?"]),
        ({"config/plugins.toml": "seo = 1"}, {}, ["config/plugins.toml: seo: expected a table, not 1"]),
        (
            {"config/plugins.toml": "[i18n.config]\nlocale = 'de'"},
            {},
            ["config/plugins.toml: i18n.config.locale: unknown key; did you mean defaultLocale?"],
        ),
        ({"config/database.toml": "password = 1"}, {}, ["config/database.toml: password: expected a string"]),
        (
            {"config/database.toml": "[pool]\nmin = 5\nmax = 2"},
            {},
            ["config/database.toml: pool.min: expected at most pool.max, 2"],
        ),
        (
            {"config/database.toml": "client = 'postgres'"},
            {},
            ["config/database.toml: name: expected the name of the PostgreSQL database"],
        ),
        (
            {
                "config/middlewares.toml": "[cors]\norigins = ['*']\ncredentials = true",
                "config/api.toml": "[compat]\nprofile = 'safe'",
            },
            {},
            [
                "config/middlewares.toml: cors.origins: expected a list of exact origins, not *, because "
                "credentials are allowed",
            ],
        ),
        (
            {
                "config/middlewares.toml": "[cors]\norigins = ['https://a.example']",
                "config/api.toml": "[compat]\ncors = 'reflect'",
            },
            {},
            [
                "config/middlewares.toml: cors.origins: expected no list: the rule compat.cors reflect allows all "
                "origins",
            ],
        ),
        ({".env": "PORT=abc"}, {}, ['.env: PORT: server.port: expected a whole number, 0 to 65535, not "abc"']),
        ({}, {"PORT": "70000"}, ['PORT: server.port: expected a whole number, 0 to 65535, not "70000"']),
        (
            {},
            {"DATABASE_CLIENT": "oracle"},
            ['DATABASE_CLIENT: database.client: expected one of sqlite, postgres, mysql, not "oracle"'],
        ),
        (
            {"config/database.toml": "replicas = ['a']\npooler = 'prepared'\n[backups]\nschedule = '0 3 * * *'"},
            {"DATABASE_URL": "mysql://u@h/n"},
            [
                "config/database.toml: pooler: not supported on MySQL and MariaDB; remove it",
                "config/database.toml: replicas: not supported on MySQL and MariaDB; remove it",
            ],
        ),
        (
            {},
            {"DATABASE_URL": "oracle://u:secret@h/n"},
            [
                "DATABASE_URL: database.url: expected a URL such as sqlite:///data.db or "
                "postgresql://user:password@host:5432/name"
            ],
        ),
        (
            {},
            {"DATABASE_URL": "postgres://h/n?sslmode=maybe"},
            [
                "DATABASE_URL: database.url: expected one of disable, allow, prefer, require, verify-ca, "
                "verify-full for ssl",
            ],
        ),
        (
            {},
            {"OCTAVO_API__REST__MAX_LIMT": "1"},
            ["OCTAVO_API__REST__MAX_LIMT: unknown key; did you mean OCTAVO_API__REST__MAX_LIMIT?"],
        ),
        ({}, {"OCTAVO_API__REST": "1"}, ["OCTAVO_API__REST: unknown key; did you mean OCTAVO_API__REST__PREFIX?"]),
        ({}, {"OCTAVO_WEATHER__WIND": "1"}, ["OCTAVO_WEATHER__WIND: unknown key; see docs/settings.md"]),
        (
            {},
            {"OCTAVO_API__REST__MAX_LIMIT__X": "1"},
            ['OCTAVO_API__REST__MAX_LIMIT__X: api.rest.maxLimit: expected a whole number, at least -1, not "1"'],
        ),
        (
            {},
            {"OCTAVO_PLUGINS__UPLOAD__CONFIG__BREAKPOINTS__LARGE": "big"},
            [
                "OCTAVO_PLUGINS__UPLOAD__CONFIG__BREAKPOINTS__LARGE: plugins.upload.config.breakpoints: "
                'expected a table of whole numbers, not "big"',
            ],
        ),
        (
            {},
            {"OCTAVO_ENV": "prod", **SECRETS},
            ['OCTAVO_ENV: expected one of development, staging, production, not "prod"'],
        ),
        (
            {"config/api.toml": "[rest]\nx = 1", "config/server.toml": "host = 1"},
            {"PORT": "x"},
            [
                f"config/api.toml: rest.x: unknown key; expected one of {REST_KEYS}",
                'config/server.toml: host: expected an address, or "unix:" and an absolute path, not 1',
                'PORT: server.port: expected a whole number, 0 to 65535, not "x"',
            ],
        ),
    ],
)
def test_all_errors_are_listed(
    tmp_path: Path, files: dict[str, str], environment: dict[str, str], expected: list[str]
) -> None:
    assert problems_of(write_project(tmp_path, files), environment) == expected


def test_files_that_are_not_text(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"config/api.toml": "", ".env": ""})
    (project / "config/api.toml").write_bytes(b"\xff")
    (project / ".env").write_bytes(b"A=\xff")
    assert [text.split(":")[0] for text in problems_of(project, {})] == [".env", "config/api.toml"]


def test_large_env_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"#" * 1_100_000)
    assert problems_of(tmp_path, {}) == [".env: cannot be read: .env is larger than the limit of 1 MB"]


HOW = " (octavo secrets new --missing adds one to .env)"


@pytest.mark.parametrize("mode", ["staging", "production"])
def test_secrets_are_required_outside_development(tmp_path: Path, mode: Mode) -> None:
    assert problems_of(tmp_path, {}, mode) == [
        f".env: JWT_SECRET: expected a secret; {mode} does not start without it" + HOW,
        f".env: API_TOKEN_SALT: expected a secret; {mode} does not start without it" + HOW,
    ]
    assert load_settings(tmp_path, SECRETS, mode).mode == mode
    assert load_settings(tmp_path, {}, mode, require_secrets=False).mode == mode


@pytest.mark.parametrize(
    "environment, missing",
    [
        ({}, ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "JWT_SECRET")),
        (SECRETS, ("APP_KEYS", "ADMIN_JWT_SECRET")),
        ({**SECRETS, "APP_KEYS": "a", "ADMIN_JWT_SECRET": "b"}, ()),
    ],
)
def test_missing_secrets(tmp_path: Path, environment: dict[str, str], missing: tuple[str, ...]) -> None:
    assert missing_secrets(load_settings(tmp_path, environment)) == missing


def test_secrets_do_not_appear_in_repr(tmp_path: Path) -> None:
    environment = dict.fromkeys(
        ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "JWT_SECRET", "TRANSFER_TOKEN_SALT", "DATABASE_PASSWORD"),
        "hush-hush",
    ) | {"DATABASE_URL": "postgres://u:hush-hush@h/n", "OCTAVO_PLUGINS__MAIL__CONFIG__API_KEY": "hush-hush"}
    assert "hush" not in repr(load_settings(tmp_path, environment))


def test_settings_can_be_pickled_for_worker_processes(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"OCTAVO_MIDDLEWARES__HEADERS__X_A": "b"})
    assert pickle.loads(pickle.dumps(settings)) == settings


@pytest.mark.parametrize(
    "package, toml, levels",
    [
        ('{"dependencies": {"strapi-plugin-populate-deep": "^3.0.1"}}', "", 5),
        ('{"dependencies": {"strapi-plugin-populate-deep": "^3.0.1"}}', "[rest]\npopulateDeep = 3", 3),
        ('{"dependencies": {"strapi-plugin-populate-deep": "^3.0.1"}}', "[rest]\npopulateDeep = 0", 0),
        ('{"dependencies": {}}', "", 0),
        ("[]", "", 0),
    ],
)
def test_populate_deep_is_enabled_by_its_plugin(tmp_path: Path, package: str, toml: str, levels: int) -> None:
    project = write_project(tmp_path, {"package.json": package, "config/api.toml": toml})
    assert load_settings(project, {}).api.rest.populate_deep == levels


@pytest.mark.parametrize("name", ["PORT", "OCTAVO_SERVER__PORT", "octavo_server__port"])
def test_an_empty_variable_is_not_set(tmp_path: Path, name: str) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/server.toml").write_text("port = 8080\n", "utf-8")
    settings = load_settings(tmp_path, {name: ""})
    assert settings.server.port == 8080
    assert settings.sources["server", "port"] == "config/server.toml"


def test_an_empty_text_or_list_is_a_value(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/server.toml").write_text('url = "https://x.org"\ntrustedProxies = ["::1"]\n', "utf-8")
    server = load_settings(tmp_path, {"OCTAVO_SERVER__URL": "", "OCTAVO_SERVER__TRUSTED_PROXIES": ""}).server
    assert (server.url, server.trusted_proxies) == ("", ())
