"""The meaning of each configuration key of a v4 project, table by table."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from octavo.v4.config.read import read_v4
from octavo.v4.config.rows import KEYS, Row
from octavo.v4.config.security_headers import default_policy
from octavo.v4.config.table_database import DATABASE
from octavo.v4.config.table_middlewares import MIDDLEWARES
from octavo.v4.config.table_plugins import PLUGINS
from octavo.v4.config.table_server import ADMIN, API, SERVER
from tests.v4.config.project import SQLITE, found, problems, read, write

UP = "plugins.users_permissions.config"
CORS = "middlewares.cors"


def cors(**config: Any) -> list[Any]:
    return ["strapi::errors", {"name": "strapi::cors", "config": config}]


def graphql(**config: Any) -> dict[str, Any]:
    return {"graphql": {"config": config}}


def users(**config: Any) -> dict[str, Any]:
    return {"users-permissions": {"config": config}}


def upload(**config: Any) -> dict[str, Any]:
    return {"upload": {"config": config}}


def middleware(name: str, **config: Any) -> list[Any]:
    return [{"name": f"strapi::{name}", "config": config}]


DEFAULT_FROM = {"email": {"config": {"settings": {"defaultFrom": "a@b.example"}}}}
TWO = ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    "file, content, setting, expected",
    [
        ("server", {"host": "0.0.0.0", "port": "1400"}, "server.port", 1400),
        ("server", {"url": "https://a.example/x"}, "server.url", "https://a.example/x"),
        ("server", {"proxy": False}, "server.trusted_proxies", ()),
        ("server", {"proxy": {"global": "http://p"}}, "server.trusted_proxies", ()),
        ("server", {"app": {"keys": ["a", "b"]}}, "secrets.app_keys", ("a", "b")),
        ("server", {"dirs": {"public": "./site"}}, "server.public_folder", "site"),
        ("admin", {"auth": {"secret": "s"}}, "secrets.admin_jwt_secret", "s"),
        ("admin", {"apiToken": {"salt": "s"}}, "secrets.api_token_salt", "s"),
        ("admin", {"transfer": {"token": {"salt": "s"}}}, "secrets.transfer_token_salt", "s"),
        ("admin", {"auth": {"options": {"expiresIn": "2h"}}}, "admin.auth.session_lifespan", 7200),
        ("admin", {"rateLimit": {"enabled": False}}, "admin.rate_limit.enabled", False),
        ("admin", {"rateLimit": {"interval": {"min": 2}}}, "admin.rate_limit.interval", 120),
        ("admin", {"rateLimit": {"max": 9}}, "admin.rate_limit.max", 9),
        ("api", {}, "api.rest.max_limit", -1),
        ("api", {"rest": {"maxLimit": 250}}, "api.rest.max_limit", 250),
        ("api", {"rest": {"prefix": "/v1/"}}, "api.rest.prefix", "/v1"),
        ("api", {"rest": {"withCount": False}}, "api.rest.with_count", False),
        ("api", {"responses": {"privateAttributes": ["id", "x"]}}, "api.responses.private_attributes", ("x",)),
        ("middlewares", cors(), "api.compat.cors", "reflect"),
        ("middlewares", cors(origin="*"), "api.compat.cors", "reflect"),
        ("middlewares", cors(origin="*", credentials=False), f"{CORS}.credentials", False),
        ("middlewares", cors(origin=["https://a.example"]), "api.compat.cors", "exact"),
        ("middlewares", cors(origin=["https://a.example"]), f"{CORS}.credentials", True),
        ("middlewares", cors(origin="https://a.example, https://b.example"), f"{CORS}.origins", TWO),
        ("middlewares", ["strapi::errors"], "api.compat.cors", "exact"),
        ("middlewares", ["strapi::errors"], f"{CORS}.origins", ()),
        ("middlewares", cors(expose="X-A, X-B"), f"{CORS}.expose", ("X-A", "X-B")),
        ("middlewares", ["strapi::cors"], "middlewares.security.content_security_policy", default_policy()),
        ("middlewares", middleware("body", jsonLimit="3mb"), "middlewares.body.json", 3 << 20),
        ("middlewares", ["strapi::body"], "middlewares.body.form", 56 << 10),
        ("middlewares", middleware("poweredBy", poweredBy="Me"), "middlewares.headers", {"x-powered-by": "Me"}),
        ("middlewares", middleware("public", maxAge=120_000), "middlewares.public.max_age", 120),
        ("plugins", users(jwtSecret="s"), "secrets.jwt_secret", "s"),
        ("plugins", users(jwt={"expiresIn": "7d"}), f"{UP}.jwt.expires_in", 604_800),
        ("plugins", users(ratelimit={"enabled": False}), f"{UP}.ratelimit.enabled", False),
        ("plugins", users(ratelimit={"interval": {"min": 1}}), f"{UP}.ratelimit.interval", 60),
        ("plugins", {}, "plugins.graphql.enabled", False),
        ("plugins", graphql(depthLimit=5), "plugins.graphql.config.depth_limit", 5),
        ("plugins", graphql(endpoint="/query"), "plugins.graphql.config.endpoint", "/query"),
        ("plugins", graphql(apolloServer={"tracing": True}), "plugins.graphql.config.tracing", True),
        ("plugins", {"i18n": False}, "plugins.i18n.enabled", False),
        ("plugins", upload(sizeLimit=250), "plugins.upload.config.size_limit", 250),
        ("plugins", upload(breakpoints={"s": 5}), "plugins.upload.config.breakpoints", {"s": 5}),
        ("plugins", upload(providerOptions={"localServer": {"maxage": 9000}}), "middlewares.public.uploads_max_age", 9),
        ("plugins", DEFAULT_FROM, "plugins.email.config.settings.default_from", "a@b.example"),
    ],
)
def test_a_key_takes_effect(tmp_path: Path, file: str, content: Any, setting: str, expected: Any) -> None:
    settings = read(tmp_path, {f"config/{file}.json": content})
    assert attrgetter(setting)(settings) == expected


@pytest.mark.parametrize(
    "connection, expected",
    [
        ({"client": "better-sqlite3", "connection": {"filename": "./.tmp/x.db"}}, ("sqlite", ".tmp/x.db", "prefer")),
        ({"client": "postgres", "connection": "postgres://u:p@h/n"}, ("postgres", "n", "prefer")),
        (
            {
                "client": "postgres",
                "connection": {"host": "x", "connectionString": "postgres://u:p@h/n?sslmode=require"},
            },
            ("postgres", "n", "verify-full"),
        ),
        ({"client": "postgres", "connection": {"database": "n", "ssl": False}}, ("postgres", "n", "disable")),
        ({"client": "pg", "connection": {"database": "n", "ssl": True}}, ("postgres", "n", "verify-full")),
        (
            {"client": "pg", "connection": {"database": "n", "ssl": {"rejectUnauthorized": False}}},
            ("postgres", "n", "require"),
        ),
    ],
)
def test_the_database(tmp_path: Path, connection: Any, expected: tuple[str, str, str]) -> None:
    database = read(tmp_path, {"config/database.json": {"connection": connection}}).database
    assert (database.client, database.name or database.filename, database.ssl) == expected
    assert database.host in ("localhost", "h")


def test_migrations_run_unless_the_project_disables_them(tmp_path: Path) -> None:
    connection = {"client": "sqlite", "connection": {"filename": "a.db"}}
    content = {"connection": connection, "settings": {"runMigrations": False}}
    assert not read(tmp_path, {"config/database.json": content}).database.run_migrations


@pytest.mark.parametrize(
    "connection, problem_message",
    [
        ({"client": "oracledb", "connection": {}}, "'oracledb' is not supported"),
        ({"client": "sqlite", "connection": {"filename": ":memory:"}}, "expected a file name"),
        ({"client": "sqlite", "connection": {}}, "connection.filename: is missing"),
        ({}, "has no client"),
    ],
)
def test_a_database_that_cannot_be_served_stops_the_start(
    tmp_path: Path, connection: Any, problem_message: str
) -> None:
    write(tmp_path, {"config/database.json": {"connection": connection}})
    (problem,) = problems(tmp_path)
    assert problem.startswith("config/database")
    assert problem_message in problem
    assert problems(tmp_path, {"OCTAVO_DATABASE__CLIENT": "sqlite", "OCTAVO_DATABASE__FILENAME": "x.db"}) == []


SECURITY = "middlewares.security.contentSecurityPolicy"


@pytest.mark.parametrize(
    "config, policy, headers",
    [
        ({}, default_policy(), {}),
        ({"contentSecurityPolicy": False, "hsts": False}, "", {"strict-transport-security": ""}),
        (
            {"contentSecurityPolicy": {"useDefaults": False, "directives": {"default-src": ["'self'"]}}},
            "default-src 'self';connect-src 'self' https:;"
            "img-src 'self' data: blob: https://market-assets.strapi.io;media-src 'self' data: blob:",
            {},
        ),
        (
            {"frameguard": {"action": "deny"}, "hsts": {"maxAge": 100, "includeSubDomains": False, "preload": True}},
            default_policy(),
            {"x-frame-options": "DENY", "strict-transport-security": "max-age=100; preload"},
        ),
        (
            {"crossOriginEmbedderPolicy": True, "xssFilter": True, "originAgentCluster": True, "noSniff": False},
            default_policy(),
            {
                "cross-origin-embedder-policy": "require-corp",
                "x-xss-protection": "0",
                "origin-agent-cluster": "?1",
                "x-content-type-options": "",
            },
        ),
        (
            {"expectCt": {"maxAge": 5, "enforce": True}, "referrerPolicy": {"policy": ["origin", "same-origin"]}},
            default_policy(),
            {"expect-ct": "max-age=5, enforce", "referrer-policy": "origin,same-origin"},
        ),
    ],
)
def test_security_headers(tmp_path: Path, config: Any, policy: str, headers: dict[str, str]) -> None:
    listed = ["strapi::cors", {"name": "strapi::security", "config": config}]
    settings = read(tmp_path, {"config/middlewares.json": listed}).middlewares
    assert (settings.security.content_security_policy, settings.headers) == (policy, headers)


def test_directives_are_filled_up_as_v4_does(tmp_path: Path) -> None:
    directives = {"img-src": ["'self'"], "scriptSrc": ["'self'", "x.example"], "style-src": None, "report-uri": "/csp"}
    listed = [{"name": "strapi::security", "config": {"contentSecurityPolicy": {"directives": directives}}}]
    policy = read(tmp_path, {"config/middlewares.json": listed}).middlewares.security.content_security_policy
    assert policy == (
        "img-src 'self' data: blob: https://market-assets.strapi.io;script-src 'self' x.example;report-uri /csp;"
        "connect-src 'self' https:;media-src 'self' data: blob:;default-src 'self';base-uri 'self';"
        "font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';object-src 'none';"
        "script-src-attr 'none'"
    )


@pytest.mark.parametrize("word", ["x;default-src *", "x\r\nset-cookie: a=b", "a,b", "ü"])
def test_a_policy_that_would_break_the_header_is_refused(tmp_path: Path, word: str) -> None:
    config = {"contentSecurityPolicy": {"directives": {"img-src": [word]}}}
    listed = ["strapi::cors", {"name": "strapi::security", "config": config}]
    settings = read(tmp_path, {"config/middlewares.json": listed})
    assert settings.middlewares.security.content_security_policy == default_policy()
    assert ("open", "strapi::security", SECURITY) in found(settings)


@pytest.mark.parametrize("rows", [SERVER, ADMIN, API, DATABASE, MIDDLEWARES, PLUGINS])
def test_tables_name_existing_settings(rows: tuple[Row, ...]) -> None:
    for row in rows:
        assert bool(row.read) != bool(row.why)
        assert {*row.settings, *row.stops, *(reading.setting for reading in row.closed)} <= set(KEYS)
        for reading in row.closed:
            KEYS[reading.setting].kind.from_toml(reading.value)


def test_defaults_of_v4_are_valid_settings(tmp_path: Path) -> None:
    v4 = read_v4(write(tmp_path, {}), {}, "development")
    assert v4 is not None
    for given in v4.defaults:
        given.key.kind.from_toml(given.value)


def test_an_unset_variable_is_reported(tmp_path: Path) -> None:
    plugins = "module.exports = ({ env }) => ({ email: { config: { settings: { defaultFrom: env('FROM') } } } })"
    settings = read(tmp_path, {"config/plugins.js": plugins})
    assert [(one.outcome.value, one.key, one.message) for one in settings.findings if one.key.startswith("email")] == [
        ("idle", "email.config.settings.defaultFrom", "has no value: the variable FROM is not set")
    ]


def test_a_required_unset_variable_is_reported_with_its_location(tmp_path: Path) -> None:
    name = (
        "module.exports = ({ env }) => ({ connection: { client: 'postgres', connection: {\n database: env('DB') } } })"
    )
    write(tmp_path, {"config/database.json": SQLITE, "config/env/development/database.js": name})
    assert problems(tmp_path) == [
        "config/env/development/database.js:2: connection.connection.database: has no value: the variable DB is not"
        " set;"
        " expected the name of the PostgreSQL database"
    ]
    client = "module.exports = ({ env }) => ({ connection: { client: env('DB').split(':')[0] } })"
    (problem,) = problems(write(tmp_path, {"config/env/development/database.js": client}))
    assert "the variable DB is not set (set it in .env); set " in problem
