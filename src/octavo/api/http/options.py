"""HTTP options with their defaults: limits, timeouts, CORS, security headers."""

from dataclasses import field
from enum import StrEnum
from typing import Final

from octavo.api.http.hosts import AllowedHosts
from octavo.api.http.proxies import TrustedProxies
from octavo.core.values import dataclass


class CorsMode(StrEnum):
    """How to handle requests from other origins."""

    REFLECT = "reflect"  # every origin is allowed, with credentials, as in v4
    ALLOW_LIST = "allow-list"  # listed origins, never with credentials


@dataclass(frozen=True, slots=True)
class CorsOptions:
    """Which pages of other origins can call the API from a browser."""

    mode: CorsMode = CorsMode.ALLOW_LIST
    origins: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
    headers: tuple[str, ...] = ("Content-Type", "Authorization", "Origin", "Accept")
    max_age: int = 31_536_000
    expose: tuple[str, ...] = ()  # response headers that pages can read
    credentials: bool = False  # for listed origins; reflected ones always have them
    local: bool = False  # also allow pages on this machine, on any port
    logs_refusals: bool = False  # once per origin, with the setting to change


MOST_HEADERS: Final = 100
"""Maximum number of headers of a request. With more, the HTTP server usually responds before Octavo."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Limits of request bodies, in bytes unless noted otherwise."""

    json: int = 1 << 20
    form: int = 1 << 20
    text: int = 1 << 20
    file: int = 200 << 20
    upload: int = 200 << 20  # a whole multipart body
    fields: int = 1 << 20  # all parts of a multipart body that are not files
    parts: int = 1000  # number of parts
    json_depth: int = 100  # levels of nesting


DEFAULT_SECURITY_HEADERS: tuple[tuple[str, str], ...] = (
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("x-content-type-options", "nosniff"),
    ("x-dns-prefetch-control", "off"),
    ("x-download-options", "noopen"),
    ("x-frame-options", "SAMEORIGIN"),
    ("x-permitted-cross-domain-policies", "none"),
    ("referrer-policy", "no-referrer"),
    ("server", "web"),  # otherwise the ASGI server sends its own name
)


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """The options of the HTTP application."""

    cors: CorsOptions = field(default_factory=CorsOptions)
    body: BodyLimits = field(default_factory=BodyLimits)
    security_headers: tuple[tuple[str, str], ...] = DEFAULT_SECURITY_HEADERS
    content_security_policy: str = "default-src 'none'; frame-ancestors 'self'"  # empty: not sent
    api_prefix: str = "/api"
    base_path: str = ""  # of the public URL, such as /cms
    kept_path: str = ""  # removed from the paths of requests, because the proxy keeps it
    max_url_length: int = 16_384
    max_requests: int = 1000  # running at once; others are rejected
    max_requests_each: int = 0  # per client; 0: a quarter of all
    max_receiving: int = 1000  # requests whose bodies are still arriving
    max_receiving_each: int = 64  # per client
    max_received_bytes: int = 128 << 20  # of incomplete bodies in memory; a quarter per client
    max_unsent: int = 128 << 20  # bytes of large responses that clients have not read yet
    max_unsent_each: int = 0  # per client; 0: a quarter of all
    body_seconds: float = 10.0  # for a body, plus one for each `body_rate` or `upload_rate` bytes received
    body_rate: int = 1024
    upload_rate: int = 4096
    request_seconds: float = 60.0  # for a response, after the body has arrived
    upload_seconds: float = 900.0  # for a whole body, however steadily it arrives
    drain_seconds: float = 5.0  # how long, and how many bytes, a rejected body is still read
    drain_bytes: int = 64 << 20
    shutdown_seconds: float = 25.0
    trusted_proxies: TrustedProxies = field(default_factory=TrustedProxies)
    allowed_hosts: AllowedHosts | None = None  # None: any
    digit_ids: bool = False  # ids in URLs are digits only; else all numbers in JavaScript's notation
    merged_queries: bool = False  # query strings follow the rules of v4 before 4.26.2
    split_fields: bool = False  # commas separate names in `fields`
    shows_own_role: bool = False  # in responses to users about themselves
    json_errors: bool = False  # 405 as JSON, too; else as plain text, as in v4
    unkept_errors: bool = False  # errors have headers that prevent caching
    server_timing: bool = False  # responses have their duration, and that of their statements
