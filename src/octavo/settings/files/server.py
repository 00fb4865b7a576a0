"""`server.toml`: where and how the service listens."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args
from urllib.parse import quote, urlsplit

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import (
    DURATION,
    HEADERS,
    HOSTS,
    LISTENING_HOST,
    MILLISECONDS,
    NETWORKS,
    PERMISSIONS,
    SHARE,
    SIZE,
    TIME_ZONE,
    entries_of,
    long_text,
    one_of,
    optional,
)

UNIX: Final = "unix:"
"""What the path of a Unix socket begins with in `server.host`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """Sending of webhook messages, and the delivery log."""

    default_headers: Mapping[str, str] = setting(
        {}, "Headers of each message, in addition to those of its webhook, such as a key for all receivers."
    )
    populate_relations: bool = setting(
        False,
        "Include related entries of changes in the admin pages instead of their number. For `compat.webhookBodies "
        '= "request"`.',
    )
    private_hosts: tuple[str, ...] = setting(
        (),
        "Private hosts (`name` or `name:port`) that can receive webhooks, such as a build server. All other private "
        "networks, and this machine, are refused.",
    )
    timeout: int = setting(
        15,
        "Timeout of a delivery, for receivers that answer only after their work.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="15s",
    )
    attempts: int = setting(
        8,
        "Maximum attempts to deliver a message: the first retry follows after 5 to 10 seconds, each further one "
        "after four times as long, at most 6 hours. Eight attempts take 5 to 10 hours.",
        bounds=(1, 30),
    )
    disable_after: int = setting(
        10,
        "Disable a webhook after this many failed messages in a row; 0 for never. Use 0 if receivers are often down.",
        bounds=AT_LEAST_ZERO,
    )
    keep: int = setting(
        14 * 86_400,
        "How long the delivery log is stored, within 64 MB.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="14d",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Export of traces of requests, statements, jobs and outgoing calls. Requires the package
    `octavo[opentelemetry]`."""

    endpoint: str = setting(
        "",
        "URL of an OTLP collector over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is appended. Without "
        "it, tracing is off.",
        variable="OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    headers: Mapping[str, str] = setting(
        {},
        "Headers for the collector, such as its key.",
        kind=HEADERS,
        variable="OTEL_EXPORTER_OTLP_HEADERS",
        secret=True,
    )
    service: str = setting("octavo", "Name of this service in traces.", variable="OTEL_SERVICE_NAME")
    sample: float = setting(
        1.0,
        "Share of requests and jobs to trace, from 0 to 1, and at most 100 per second; lower it if the collector is "
        "expensive. The caller's decision in `traceparent` takes precedence.",
        kind=SHARE,
        variable="OTEL_TRACES_SAMPLER_ARG",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """Optimizations of reads and writes."""

    simple: bool = setting(
        False,
        "Turn off all optimizations that have a simpler equivalent, to find out whether one of them causes a problem: "
        "the response cache, request coalescing, prepared writes, maintained counts, substring indexes, separate "
        "counts of pages, and cached long statements. Responses stay the same.",
    )


Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Log output: one event per line, to standard error."""

    format: Literal["auto", "text", "json"] = setting(
        "auto", "Format of log lines: `json`, or `text`; `auto` is text in development, otherwise JSON."
    )
    level: Level = setting("info", "Minimum level of log lines.")
    levels: Mapping[str, str] = setting(
        {},
        'Levels of single loggers, such as `"octavo.api.http" = "debug"`; log lines contain the names.',
        kind=entries_of(one_of(get_args(Level)), "levels by the names of logs"),
    )
    access: bool = setting(
        False, "Log each request, with the logger `octavo.access`. Turn it on if no proxy logs requests."
    )
    access_sample: int = setting(
        1,
        "Log one in this many requests; raise it on busy services. Responses with 500 and above are always logged.",
        bounds=AT_LEAST_ONE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingHttp:
    """Outgoing requests of the project's code with `app.http`."""

    private_hosts: tuple[str, ...] = setting(
        (),
        "Private hosts (`name` or `name:port`) that project code can call, also over plain HTTP. All other private "
        "networks, and this machine, are refused.",
    )
    max_response_size: int = setting(
        10 * 1024**2,
        "Maximum size of a response; raise it to download large files.",
        kind=SIZE,
        bounds=AT_LEAST_ONE,
        default_doc="10 MB",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """Functions of the project that run in the background."""

    timeout: int = setting(
        600,
        "Timeout of scheduled tasks, and of jobs that set none.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="10m",
    )
    time_zone: str = setting(
        "UTC",
        "Time zone of scheduled backups, and of scheduled tasks that set none, such as `Europe/Berlin`.",
        kind=TIME_ZONE,
    )
    cron: bool = setting(True, "Run scheduled tasks and backups; turn it off on copies of a site, such as staging.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Access to metrics, at `/metrics` and with `octavo status` and `octavo slow`."""

    token: str | None = setting(
        None,
        "Token for `/metrics` (`Authorization: Bearer ...`), at least 16 characters. Without it, metrics are off.",
        kind=optional(long_text(16)),
        secret=True,
    )
    slow_threshold: int = setting(
        1000,
        "Minimum duration of requests in the list of slow requests (`octavo slow`).",
        kind=MILLISECONDS,
        bounds=AT_LEAST_ZERO,
        default_doc="1s",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where and how the service listens."""

    host: str = setting(
        "127.0.0.1",
        "Address to listen on; `0.0.0.0` for requests from other machines, as in a container. Or `unix:` and the path "
        "of a Unix socket (`unix:/run/octavo/octavo.sock`).",
        variable="HOST",
        kind=LISTENING_HOST,
    )
    port: int = setting(1337, "Port to listen on.", variable="PORT", bounds=(0, 65535))
    socket_mode: str = setting("660", "Permissions of the Unix socket, in octal digits.", kind=PERMISSIONS)
    socket_owner: str = setting(
        "",
        "User and group of the Unix socket, such as `octavo:www-data` or `:www-data`; by default those of the process.",
    )
    workers: int = setting(
        1, "Worker processes of `octavo start`: at most one for each processor core.", bounds=AT_LEAST_ONE
    )
    url: str = setting(
        "",
        "Public URL of the service, used in links such as those in email. Set it in production. It can have a path "
        "(`https://example.org/cms`).",
        variable="PUBLIC_URL",
    )
    url_path: Literal["stripped", "kept"] = setting(
        "stripped",
        "Whether the proxy strips the path of `url` from requests, or keeps it. Without a path in `url`, this has no "
        "effect.",
    )
    cache_size: int = setting(
        64 * 1024**2,
        "Memory for the caches of each worker (statements, GraphQL documents, responses). Raise it if the response "
        "cache is on and evicts entries. The signal `USR1` logs "
        "the contents and hit rates of all caches.",
        kind=SIZE,
        bounds=(1024**2, None),
        default_doc="64 MB",
    )
    trusted_proxies: tuple[str, ...] = setting(
        (),
        "Addresses or networks of proxies whose forwarded headers Octavo trusts. Set it behind a proxy: limits per "
        "client and logs depend on it.",
        kind=NETWORKS,
    )
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "Allowed `Host` headers, besides the host of `url` and loopback: names, addresses, `*.example.com` for a "
        "domain and its subdomains, `*` for any. Other hosts receive 400, except for `/_health` and `/_ready`.",
        kind=HOSTS,
        default_doc="under `safe` the host of `url`, or without it addresses and names without a dot; under `v4` any",
    )
    public_folder: str = setting("public", "Folder of public files, with `uploads` in it.")
    background: bool = setting(
        True,
        "Run background work in each worker: webhooks, hooks after commits, jobs. If it is off, other processes on "
        "the database must do this work.",
    )
    code_timeout: int = setting(
        20,
        "Maximum time of the project's policies, middlewares and controllers for one request, without core actions.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="20s",
    )
    hook_timeout: int = setting(
        5,
        "Maximum time of a lifecycle hook; its transaction waits for it. Prefer a job for long work.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="5s",
    )
    follow_definitions: bool = setting(
        False,
        "Reload all processes on the database within a second after one of them has changed definitions. They must "
        "share the project's files.",
    )
    http: OutgoingHttp = table(OutgoingHttp, "Requests that project code sends with `app.http`.")
    custom: Mapping[str, Any] = setting({}, "Custom settings for project code (`app.custom`): any table.")
    shutdown: int = setting(
        30,
        "Time for running requests at a stop; less than the time after which the service manager kills Octavo.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="30s",
    )
    drain: int = setting(
        0,
        "How long a stopping service still accepts requests while `/_ready` returns 503, so that balancers notice.",
        kind=DURATION,
        bounds=AT_LEAST_ZERO,
        default_doc="0s",
    )
    webhooks: Webhooks = table(Webhooks, "Delivery of [webhooks](webhooks.md).")
    jobs: Jobs = table(Jobs, "[Background jobs and scheduled tasks](jobs.md) of the project, and scheduled backups.")
    log: Log = table(Log, "Log lines, one for each event, on standard error ([details](operating.md#logs)).")
    metrics: Metrics = table(
        Metrics, "Metrics for Prometheus, `octavo status` and `octavo slow` ([details](operating.md#metrics))."
    )
    traces: Traces = table(
        Traces, "Traces for OpenTelemetry; requires `octavo[opentelemetry]` ([details](operating.md#traces))."
    )
    performance: Performance = table(Performance, "For troubleshooting.")

    @property
    def unix_socket(self) -> Path | None:
        """The path of the Unix socket to listen on, or None."""
        return Path(self.host.removeprefix(UNIX)) if self.host.startswith(UNIX) else None

    @property
    def base_path(self) -> str:
        """The path of the public URL, without a slash at the end: empty, or such as `/cms`."""
        if not self.url.startswith(("http://", "https://", "/")):
            return ""
        path = urlsplit(self.url).path.strip("/")
        return "/" + quote(path, safe="/-._~%+@=") if path else ""

    @property
    def kept_path(self) -> str:
        """The path that requests begin with, because the proxy keeps it."""
        return self.base_path if self.url_path == "kept" else ""
