"""Translate settings to HTTP options: limits, timeouts, CORS, security headers."""

from typing import Final

from octavo.api.http.hosts import AllowedHosts, allowed_hosts
from octavo.api.http.options import DEFAULT_SECURITY_HEADERS, BodyLimits, CorsMode, CorsOptions, HttpOptions
from octavo.api.http.proxies import TrustedProxies
from octavo.core.host_names import ANY
from octavo.operations.runtime.options import uses_http_caches
from octavo.settings import Settings

_LEAST_RECEIVING: Final = 64
"""Minimum limit of the requests of one client whose bodies arrive at a time."""


def http_options(settings: Settings) -> HttpOptions:
    """Return the options of requests and responses, for all APIs."""
    limits, requests = settings.middlewares, settings.middlewares.requests
    each = requests.concurrency_per_client or max(1, requests.concurrency // 4)
    headers = dict(DEFAULT_SECURITY_HEADERS) | {name.lower(): value for name, value in limits.headers.items()}
    return HttpOptions(
        cors=_cors_options(settings),
        body=BodyLimits(
            json=limits.body.json,
            form=limits.body.form,
            text=limits.body.text,
            file=settings.plugins.upload.config.size_limit,
            upload=limits.body.upload,
            json_depth=limits.body.json_depth,
        ),
        security_headers=tuple((name, value) for name, value in headers.items() if value),
        content_security_policy=limits.security.content_security_policy,
        api_prefix=settings.api.rest.prefix,
        base_path=settings.server.base_path,
        kept_path=settings.server.kept_path,
        max_url_length=requests.url_length,
        max_requests=requests.concurrency,
        max_requests_each=each,
        max_receiving=requests.concurrency,
        max_receiving_each=max(_LEAST_RECEIVING, each // 4),
        max_received_bytes=requests.buffer_memory,
        max_unsent=requests.buffer_memory,
        body_seconds=requests.body_timeout,
        request_seconds=requests.timeout,
        shutdown_seconds=settings.server.shutdown,
        trusted_proxies=TrustedProxies(settings.server.trusted_proxies, unix=settings.server.unix_socket is not None),
        allowed_hosts=_allowed_hosts(settings),
        digit_ids=settings.api.compat.ids == "digits",
        merged_queries=settings.api.compat.query_strings == "merged",
        shows_own_role=settings.api.compat.own_role == "shown",
        split_fields=settings.api.compat.field_lists == "split",
        json_errors=settings.api.compat.error_bodies == "json",
        unkept_errors=uses_http_caches(settings),
        server_timing=settings.mode == "development",
    )


def _allowed_hosts(settings: Settings) -> AllowedHosts | None:
    """Return the allowed hosts. Under the profile `v4`, any host is allowed unless some are configured."""
    server = settings.server
    if ANY in server.allowed_hosts or (settings.api.compat.profile != "safe" and not server.allowed_hosts):
        return None
    return allowed_hosts(server.url, server.allowed_hosts, guesses=True)


def _cors_options(settings: Settings) -> CorsOptions:
    """Return the CORS options. Requests without credentials get `*`, in either mode of v4.

    In development, under the profile `safe`, all ports of this machine are allowed, for front-end dev servers.
    """
    cors, compat, is_developed = settings.middlewares.cors, settings.api.compat, settings.mode == "development"
    rule = compat.cors
    return CorsOptions(
        mode=CorsMode.REFLECT if rule == "reflect" and cors.credentials else CorsMode.ALLOW_LIST,
        origins=frozenset(cors.origins if rule == "exact" else ("*",)),
        methods=cors.methods,
        headers=cors.headers,
        expose=cors.expose,
        max_age=cors.max_age,
        credentials=cors.credentials,
        local=is_developed and compat.profile == "safe",
        logs_refusals=is_developed,
    )
