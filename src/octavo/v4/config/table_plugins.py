"""`config/plugins` of v4: `enabled` and the keys of `config`, by the name of each plugin."""

from typing import Any, Final

from octavo.v4.config.convert import bound_or, flag, interval, lifetime, milliseconds, path, size, text, texts, whole
from octavo.v4.config.rows import NOT_CONFIGURABLE, Reading, Readings, Row, idle, several, take

PACKAGES: Final = {
    "documentation": "@strapi/plugin-documentation",
    "graphql": "@strapi/plugin-graphql",
    "i18n": "@strapi/plugin-i18n",
    "users-permissions": "@strapi/plugin-users-permissions",
}
"""Plugins that are only active if the project depends on their package."""

NO_DEPTH: Final = 1000
NO_AMOUNT: Final = 1_000_000
NO_VALUES: Final = 1 << 40
"""GraphQL limits for which v4 has none; `maxResponseSize` still applies."""


def _breakpoints(value: Any) -> Readings:
    if not isinstance(value, dict):
        raise ValueError("an object with widths")
    yield Reading("plugins.upload.config.breakpoints", {name: whole(width) for name, width in value.items()})


_USERS: Final = "plugins.users-permissions.config"
_DOCUMENTATION: Final = "plugins.documentation.config"
_GRAPHQL: Final = "plugins.graphql.config"

PLUGINS: Final[tuple[Row, ...]] = (
    take("users-permissions.enabled", "plugins.users-permissions.enabled", flag),
    take("users-permissions.config.jwtSecret", f"{_USERS}.jwtSecret", text, stops=True),
    take("users-permissions.config.jwt.expiresIn", f"{_USERS}.jwt.expiresIn", lifetime, stops=True),
    take("users-permissions.config.ratelimit.enabled", f"{_USERS}.ratelimit.enabled", flag, closed=True),
    take("users-permissions.config.ratelimit.interval", f"{_USERS}.ratelimit.interval", interval, closed=300),
    take("users-permissions.config.ratelimit.max", f"{_USERS}.ratelimit.max", whole, closed=5),
    take("users-permissions.config.register.allowedFields", f"{_USERS}.register.allowedFields", texts),
    *idle(NOT_CONFIGURABLE, "users-permissions.config.jwt"),
    *idle(NOT_CONFIGURABLE, "users-permissions.config.ratelimit"),
    take("graphql.enabled", "plugins.graphql.enabled", flag),
    take("graphql.config.endpoint", f"{_GRAPHQL}.endpoint", path),
    take("graphql.config.shadowCRUD", f"{_GRAPHQL}.shadowCRUD", flag),
    take("graphql.config.playgroundAlways", f"{_GRAPHQL}.playgroundAlways", flag),
    take("graphql.config.defaultLimit", f"{_GRAPHQL}.defaultLimit", whole),
    take("graphql.config.maxLimit", f"{_GRAPHQL}.maxLimit", whole, closed=100),
    take("graphql.config.depthLimit", f"{_GRAPHQL}.depthLimit", bound_or(NO_DEPTH), closed=7),
    take("graphql.config.amountLimit", f"{_GRAPHQL}.amountLimit", bound_or(NO_AMOUNT), closed=100),
    take("graphql.config.apolloServer.tracing", f"{_GRAPHQL}.apolloServer.tracing", flag),
    take("graphql.config.apolloServer.introspection", f"{_GRAPHQL}.apolloServer.introspection", flag, closed=False),
    take("graphql.config.introspection", f"{_GRAPHQL}.introspection", flag, closed=False),
    *idle(
        "specific to Apollo Server; clients read the schema by introspection",
        "graphql.config.apolloServer",
        "graphql.config.generateArtifacts",
        "graphql.config.artifacts",
        "graphql.config.subscriptions",
        "graphql.config.federation",
        "graphql.config.landingPage",
    ),
    take("documentation.enabled", "plugins.documentation.enabled", flag),
    take("documentation.config.info.title", f"{_DOCUMENTATION}.title", text),
    take("documentation.config.info.version", f"{_DOCUMENTATION}.version", text),
    take("documentation.config.x-strapi-config.path", f"{_DOCUMENTATION}.path", path),
    *idle("generated from the routes", "documentation.config"),
    take("i18n.enabled", "plugins.i18n.enabled", flag),
    take("upload.enabled", "plugins.upload.enabled", flag),
    take("upload.config.sizeLimit", "plugins.upload.config.sizeLimit", size),
    several("upload.config.breakpoints", _breakpoints, "plugins.upload.config.breakpoints"),
    take("upload.config.providerOptions.localServer.maxage", "middlewares.public.uploadsMaxAge", milliseconds),
    *idle(NOT_CONFIGURABLE, "upload.config.providerOptions.localServer"),
    *idle(NOT_CONFIGURABLE, "upload.config.responsiveDimensions", "upload.config.security"),
    take("email.enabled", "plugins.email.enabled", flag),
)

PASSED: Final = ("upload.config", "email.config")
"""Tables whose other keys have the same names in Octavo."""
