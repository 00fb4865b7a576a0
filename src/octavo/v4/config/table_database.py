"""`config/database` of v4. An unknown database is never guessed: it prevents the start."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.settings.database_url import read_database_url
from octavo.v4.config.convert import flag, text, whole
from octavo.v4.config.rows import Reading, Readings, Row, idle, several, take

_CLIENTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sqlite", "sqlite3", "better-sqlite3", "vscode-sqlite3"), "sqlite"),
    **dict.fromkeys(("postgres", "postgresql", "pg"), "postgres"),
    **dict.fromkeys(("mysql", "mysql2", "mariadb"), "mysql"),
}
_VERIFIED: Final = ("allow", "prefer", "require", "verify-ca", "verify-full")
"""SSL modes in a connection string: v4's driver verifies the server's certificate in each of them."""


IN_ZONE: Final = " with the time zone "
"""Between the name of a client and a time zone other than UTC (`read.normalize_database`)."""


def _client(value: Any) -> str:
    name, _, zone = text(value).partition(IN_ZONE)
    client = _CLIENTS.get(name)
    if zone:
        raise ValueError(
            f"times in UTC, not in connection.timezone {zone!r}: `octavo db copy ... --time-zone {zone}` converts them"
        )
    if client is None:
        raise ValueError(
            f"sqlite, postgres or mysql: {text(value)[:40]!r} is not supported, so export its content from v4 first"
        )
    return client


def _filename(value: Any) -> str:
    if value == ":memory:":
        raise ValueError("a file name, not an in-memory database")
    return text(value)


def _ssl(value: Any) -> Readings:
    verified = "verify-full"
    if isinstance(value, Mapping):
        for name, setting in (("ca", "sslCa"), ("cert", "sslCert"), ("key", "sslKey")):
            if value.get(name) not in (None, ""):
                yield Reading(f"database.{setting}", text(value[name]))
        verified = "verify-full" if flag(value.get("rejectUnauthorized", True)) else "require"
    yield Reading("database.ssl", verified if isinstance(value, Mapping) or flag(value) else "disable")


def _connection_string(value: Any) -> Readings:
    """Return the parts of a connection string, which overrides the other keys."""
    if value in (None, ""):
        return
    for name, part in read_database_url(text(value)).items():
        match name:
            case "client":
                continue
            case "port":
                yield Reading("database.port", whole(part))
            case "ssl":
                yield Reading("database.ssl", "verify-full" if part in _VERIFIED else _other_mode(part))
            case _:
                yield Reading(f"database.{name}", part)


def _other_mode(mode: str) -> str:
    return "require" if mode == "no-verify" else "verify-full" if mode in ("true", "1") else "disable"


def _patience(value: Any) -> int:
    return min(max(whole(value), 100), 600_000)


def _first(value: Any) -> str:
    return text(value[0] if isinstance(value, list) and value else value)


DATABASE: Final[tuple[Row, ...]] = (
    take("connection.client", "database.client", _client, stops=True),
    take("connection.connection.filename", "database.filename", _filename, stops=True),
    take("connection.connection.host", "database.host", text, stops=True),
    take("connection.connection.port", "database.port", whole, stops=True),
    take("connection.connection.database", "database.name", text, stops=True),
    take("connection.connection.user", "database.user", text, stops=True),
    take("connection.connection.username", "database.user", text, stops=True),
    take("connection.connection.socketPath", "database.host", text, stops=True),
    take("connection.connection.password", "database.password", text, stops=True),
    take("connection.searchPath", "database.schema", _first, stops=True),
    take("connection.connection.schema", "database.schema", text, stops=True),
    several("connection.connection.ssl", _ssl, "database.ssl", stops=["database.ssl"]),
    several("connection.connection.uri", _connection_string, "database.url", stops=["database.url"]),
    several("connection.connection.connectionString", _connection_string, "database.url", stops=["database.url"]),
    take("connection.pool.min", "database.pool.min", whole),
    take("connection.pool.max", "database.pool.max", whole),
    take("connection.pool.acquireTimeoutMillis", "database.pool.acquireTimeout", _patience),
    take("connection.acquireConnectionTimeout", "database.pool.acquireTimeout", _patience),
    *idle("not configurable: connections stay open", "connection.pool"),
    *idle(
        "specific to v4's query builder",
        "connection.useNullAsDefault",
        "connection.debug",
        "connection.asyncStackTraces",
    ),
    *idle(
        "not configurable: Octavo sets these options",
        "connection.connection",
        "connection.options",
        "connection.charset",
    ),
    take("settings.runMigrations", "database.runMigrations", flag),
    *idle("not configurable: each start updates the tables, without losing data", "settings"),
)
