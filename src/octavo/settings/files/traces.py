"""`server.toml`, the table `traces`: where spans of requests are sent, through OpenTelemetry."""

from collections.abc import Mapping

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import HEADERS, SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Where spans of requests, statements, jobs and calls to other machines are sent. It takes the package
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
        "Share of requests and jobs to trace, from 0 to 1. The caller's decision in `traceparent` takes precedence.",
        kind=SHARE,
        variable="OTEL_TRACES_SAMPLER_ARG",
    )
    per_second: int = setting(100, "Maximum traced requests and jobs per second in each worker.", bounds=AT_LEAST_ONE)
