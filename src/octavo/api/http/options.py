"""What can be set about HTTP: limits, time-outs, CORS, security headers. Data only, with the defaults."""

from dataclasses import field
from enum import StrEnum

from octavo.api.http.hosts import AllowedHosts
from octavo.api.http.proxies import TrustedProxies
from octavo.core.values import dataclass


class CorsMode(StrEnum):
    """How other origins are met."""

    REFLECT = "reflect"  # every origin is allowed, credentials too: what v4 does
    ALLOW_LIST = "allow-list"  # exact origins, never credentials


@dataclass(frozen=True, slots=True)
class CorsOptions:
    """Who may call from a browser page of another origin."""

    mode: CorsMode = CorsMode.ALLOW_LIST
    origins: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
    headers: tuple[str, ...] = ("Content-Type", "Authorization", "Origin", "Accept")
    max_age: int = 31_536_000
    expose: tuple[str, ...] = ()  # headers of answers that pages may read
    credentials: bool = False  # for listed origins; reflected ones always may
    local: bool = False  # allow pages on this machine too, at any port
    logs_refusals: bool = False  # once for each origin, with the setting


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How much of a body is accepted, in bytes unless named otherwise."""

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
    ("server", "web"),  # the server underneath would tell its own name
)


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Everything that the application itself needs to know."""

    cors: CorsOptions = field(default_factory=CorsOptions)
    body: BodyLimits = field(default_factory=BodyLimits)
    security_headers: tuple[tuple[str, str], ...] = DEFAULT_SECURITY_HEADERS
    content_security_policy: str = "default-src 'none'; frame-ancestors 'self'"  # none is sent if it is empty
    api_prefix: str = "/api"
    max_url_length: int = 16_384
    max_headers: int = 100
    max_requests: int = 1000  # under way at once; further ones are sent away
    max_requests_each: int = 0  # of one client; 0: a quarter of all
    max_receiving: int = 1000  # requests whose bodies are still arriving
    max_receiving_each: int = 64  # of one client
    max_received_bytes: int = 128 << 20  # of incomplete bodies in memory; of one client a quarter
    max_unsent: int = 128 << 20  # bytes of large answers that wait for clients to take them
    max_unsent_each: int = 0  # of one client; 0: a quarter of all
    body_seconds: float = 10.0  # for a body, and one more for each `body_rate` or `upload_rate` bytes that have arrived
    body_rate: int = 1024
    upload_rate: int = 4096
    request_seconds: float = 60.0  # for an answer, from when the body is there
    upload_seconds: float = 900.0  # for a whole body, however steadily it arrives
    drain_seconds: float = 5.0  # how long, and how much, is still read of a body that was refused
    drain_bytes: int = 64 << 20
    shutdown_seconds: float = 25.0
    trusted_proxies: TrustedProxies = field(default_factory=TrustedProxies)
    allowed_hosts: AllowedHosts | None = None  # None: any
    digit_ids: bool = False  # ids in addresses are digits only, not whatever JavaScript reads as a number
    merged_queries: bool = False  # query strings are read by the rules of v4 before 4.26.2
    split_fields: bool = False  # commas part the names in `fields`
    shows_own_role: bool = False  # of the user who asks for themselves
    json_errors: bool = False  # 405 too; else as plain text, as v4 does
    unkept_errors: bool = False  # caches in front are told to keep none of them
    server_timing: bool = False  # answers tell how long they took, and their statements
