"""`config/middlewares` of v4: the keys of `config`, by the name of each middleware."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.v4.config.convert import flag, milliseconds, size, text, texts, whole
from octavo.v4.config.rows import NOT_CONFIGURABLE, Reading, Readings, Row, idle, several, take
from octavo.v4.config.security_headers import POLICY_SETTING, read_security

_ROOM: Final = 64 * 1024
"""Bytes of a form besides its file."""
_NOBODY: Final = (Reading("api.compat.cors", "exact"), Reading("middlewares.cors.origins", []))


def _origins(value: Any) -> Readings:
    """Yield the allowed origins. The text `*` allows any, a list exact ones; a `*` in a list depends on the version."""
    if value != "*":
        yield Reading("api.compat.cors", "exact")
        yield Reading("middlewares.cors.origins", texts(value))


def _largest_file(value: Any) -> Readings:
    most = size(value)
    yield Reading("middlewares.body.upload", most + _ROOM)


def _powered_by(value: Any) -> Readings:
    yield Reading("middlewares.headers", text(value), ("x-powered-by",))


def _headers(value: Any) -> Readings:
    if not isinstance(value, Mapping):
        raise ValueError("an object with headers")
    for name, word in value.items():
        yield Reading("middlewares.headers", text(word), (name,))


MIDDLEWARES: Final[tuple[Row, ...]] = (
    several("strapi::cors.origin", _origins, "middlewares.cors.origins", closed=_NOBODY),
    take("strapi::cors.credentials", "middlewares.cors.credentials", flag, closed=False),
    take("strapi::cors.methods", "middlewares.cors.methods", texts),
    take("strapi::cors.headers", "middlewares.cors.headers", texts),
    take("strapi::cors.expose", "middlewares.cors.expose", texts),
    take("strapi::cors.maxAge", "middlewares.cors.maxAge", whole),
    *idle("v4 ignores it, too", "strapi::cors.enabled"),
    *idle("always on: errors have CORS headers, too", "strapi::cors.keepHeaderOnError"),
    several("strapi::security", read_security, POLICY_SETTING, "middlewares.headers"),
    take("strapi::body.jsonLimit", "middlewares.body.json", size),
    take("strapi::body.formLimit", "middlewares.body.form", size),
    take("strapi::body.textLimit", "middlewares.body.text", size),
    several("strapi::body.formidable.maxFileSize", _largest_file, "middlewares.body.upload"),
    *idle(NOT_CONFIGURABLE, "strapi::body"),
    several("strapi::poweredBy.poweredBy", _powered_by, "middlewares.headers"),
    several("strapi::responseHeaders.headers", _headers, "middlewares.headers"),
    take("strapi::public.maxAge", "middlewares.public.maxAge", milliseconds),
    *idle(NOT_CONFIGURABLE, "strapi::public"),
    *idle(NOT_CONFIGURABLE, "strapi::query"),
    *idle(NOT_CONFIGURABLE, "strapi::errors", "strapi::responses", "strapi::response-time", "strapi::ip"),
    *idle("set [log] in config/server.toml instead", "strapi::logger"),
    *idle("Octavo has no Koa sessions", "strapi::session"),
    *idle("compress responses in your reverse proxy instead", "strapi::compression"),
    *idle("Octavo serves `favicon.png` or `favicon.ico` of the project", "strapi::favicon"),
    *idle("Octavo logs errors", "plugin::sentry"),
)
