"""`middlewares.toml`: settings for every request."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import DURATION, SIZE, USES


@dataclass(frozen=True, slots=True, kw_only=True)
class Cors:
    """Cross-origin requests."""

    origins: tuple[str, ...] = setting(
        (),
        "Allowed origins; `*` reflects any. A list without `*` makes the rule `compat.cors` `exact`. In "
        "development, the profile `safe` also allows pages on localhost.",
        default_doc="`*` unless the rule `compat.cors` is `exact`",
    )
    methods: tuple[str, ...] = setting(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"), "Allowed methods.")
    headers: tuple[str, ...] = setting(("Content-Type", "Authorization", "Origin", "Accept"), "Allowed headers.")
    credentials: bool = setting(
        False, "Allow cookies and credentials.", default_doc="true if the rule `compat.cors` is `reflect`"
    )
    expose: tuple[str, ...] = setting((), "Response headers that pages can read.")
    max_age: int = setting(
        31_536_000,
        "How long browsers can cache the response to a preflight request.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="365d",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Limits on bodies of requests."""

    json: int = setting(1024**2, "Maximum size of a JSON body.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="1 MB")
    form: int = setting(
        1024**2, "Maximum size of a form without files.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="1 MB"
    )
    text: int = setting(1024**2, "Maximum size of a text body.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="1 MB")
    upload: int = setting(
        200 * 1024**2, "Maximum size of a form with files.", kind=SIZE, bounds=AT_LEAST_ONE, default_doc="200 MB"
    )
    json_depth: int = setting(
        64, "Maximum nesting of a JSON body; raise it for deeply nested documents of text editors.", bounds=(1, 500)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Limits on requests as a whole."""

    url_length: int = setting(
        16 * 1024,
        "Maximum size of path and query; raise it for clients that send long `populate` parameters.",
        kind=SIZE,
        bounds=(256, None),
        default_doc="16 kB",
    )
    timeout: int = setting(
        60,
        "Maximum time of a response, without its body; slower ones become 503.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="60s",
    )
    concurrency: int = setting(
        1000,
        "Maximum running requests of a worker, and of requests whose bodies are still arriving; more receive 503.",
        bounds=AT_LEAST_ONE,
    )
    concurrency_per_client: int = setting(
        0,
        "Maximum running requests of one client (an address, or the /64 network of an IPv6 address); more receive 429. "
        "Raise it for front-end servers that send all requests from one address.",
        bounds=AT_LEAST_ZERO,
        default_doc="a quarter of `concurrency`",
    )
    buffer_memory: int = setting(
        128 * 1024**2,
        "Maximum memory of a worker for bodies that are still arriving, and as much again for responses of more than "
        "256 kB that wait for slow clients; a client gets a quarter. Files are written to disk.",
        kind=SIZE,
        bounds=(1024**2, None),
        default_doc="128 MB",
    )
    body_timeout: int = setting(
        10,
        "Time for a body to arrive; raise it for clients on slow networks. Each kB (forms with files: each 4 kB) adds "
        "a second; slower bodies receive 408.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="10s",
    )


DEFAULT_POLICY: Final = "default-src 'none'; frame-ancestors 'self'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """Security headers besides `headers`."""

    content_security_policy: str = setting(
        DEFAULT_POLICY,
        "`Content-Security-Policy` of responses that set none; empty for none.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicFiles:
    """The files of the public folder."""

    max_age: int = setting(
        0,
        "How long browsers can use a cached file without checking it.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="0",
    )
    uploads_max_age: int = setting(
        0, "The same for uploaded files.", kind=DURATION, bounds=AT_LEAST_ZERO, default_doc="0"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Middlewares:
    """Settings for every request."""

    use: tuple[Any, ...] = setting(
        (),
        "Middlewares of `src/middlewares` around every request, the first outermost: names (`global::timing`), or "
        'tables (`{name = "global::timing", config = {}}`).',
        kind=USES,
    )
    cors: Cors = table(Cors, "Requests from front ends on other origins ([details](guides/front-ends.md)).")
    body: Body = table(Body, "Limits on bodies of requests; larger ones receive 413.")
    requests: Requests = table(Requests, "Limits on requests ([details](operating.md#limits-and-clients)).")
    security: Security = table(Security, "Security headers.")
    public: PublicFiles = table(PublicFiles, "Browser caching of the files in the public folder.")
    headers: Mapping[str, str] = setting(
        {},
        "Headers added to every response, in addition to or instead of the security headers; an empty value "
        "removes a header.",
        entry_names="kebab",
    )
