"""`config/server`, `config/admin` and `config/api` of v4."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.v4.config.convert import flag, interval, lifetime, limit, path, text, texts, whole
from octavo.v4.config.rows import NOT_CONFIGURABLE, SCHEDULED_TASKS, Reading, Readings, Row, idle, several, take

_PROXIES: Final = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
"""v4 trusts any client's forwarding headers; a real reverse proxy has a local or private address."""


def _proxy(value: Any) -> Readings:
    trusts = value.get("koa") if isinstance(value, Mapping) else value
    yield Reading("server.trustedProxies", _PROXIES if flag(trusts) else [])


def _headers(value: Any) -> Readings:
    if not isinstance(value, Mapping):
        raise ValueError
    yield Reading("server.webhooks.defaultHeaders", {str(name): text(one) for name, one in value.items()})


def _panel(value: Any) -> Readings:
    if not flag(value):
        yield Reading("admin.panel", "off")


def _panel_path(value: Any) -> Readings:
    """Yield the panel's settings. In v4, its URL is on another host if it is deployed separately."""
    url = urlsplit(text(value))
    if url.netloc:
        yield Reading("admin.panel", "off")
    elif url.path.strip("/"):
        yield Reading("admin.path", path(url.path))


SERVER: Final[tuple[Row, ...]] = (
    take("host", "server.host", text),
    take("port", "server.port", whole),
    take("url", "server.url", text),
    several("proxy", _proxy, "server.trustedProxies", closed=[Reading("server.trustedProxies", [])]),
    take("app.keys", "secrets.appKeys", texts),
    take("dirs.public", "server.publicFolder", text),
    *idle("not configurable: Octavo logs request errors with the request ID", "emitErrors", "logger"),
    *idle("specific to v4's HTTP server", "socket", "http", "keepAliveTimeout"),
    several("webhooks.defaultHeaders", _headers, "server.webhooks.defaultHeaders"),
    take("webhooks.populateRelations", "server.webhooks.populateRelations", flag),
    take("cron.enabled", "server.jobs.cron", flag),
    *idle(SCHEDULED_TASKS, "cron"),
    *idle("transfers are not supported; use `octavo export` and `octavo import`", "transfer"),
    *idle("only config/admin configures the panel", "admin"),
    *idle(NOT_CONFIGURABLE, "dirs"),
)

ADMIN: Final[tuple[Row, ...]] = (
    take("auth.secret", "secrets.adminJwtSecret", text),
    take("auth.options.expiresIn", "admin.auth.sessionLifespan", lifetime),
    take("apiToken.salt", "secrets.apiTokenSalt", text, stops=True),
    take("transfer.token.salt", "secrets.transferTokenSalt", text),
    several("url", _panel_path, "admin.path", "admin.panel"),
    several("serveAdminPanel", _panel, "admin.panel"),
    *idle(
        "applies only to the build of the panel",
        "path",
        "autoOpen",
        "watchIgnoreFiles",
        "build",
        "flags",
        "host",
        "port",
        "head",
        "locales",
    ),
    take("rateLimit.enabled", "admin.rateLimit.enabled", flag, closed=True),
    take("rateLimit.interval", "admin.rateLimit.interval", interval, closed=300),
    take("rateLimit.max", "admin.rateLimit.max", whole, closed=5),
    *idle(NOT_CONFIGURABLE, "rateLimit"),
    *idle(NOT_CONFIGURABLE, "auth", "forgotPassword", "sso"),
    *idle("specific to v4's panel or enterprise edition", "auditLogs", "preview", "history", "transfer"),
)


def _private(value: Any) -> Readings:
    yield Reading("api.responses.privateAttributes", [name for name in texts(value) if name != "id"])


API: Final[tuple[Row, ...]] = (
    take("rest.prefix", "api.rest.prefix", path, stops=True),
    take("rest.defaultLimit", "api.rest.defaultLimit", whole),
    take("rest.maxLimit", "api.rest.maxLimit", limit, closed=100),
    take("rest.withCount", "api.rest.withCount", flag),
    several(
        "responses.privateAttributes",
        _private,
        "api.responses.privateAttributes",
        stops=["api.responses.privateAttributes"],
    ),
)
