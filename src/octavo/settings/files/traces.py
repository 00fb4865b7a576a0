"""`server.toml`, the table `traces`: where spans of requests are sent, through OpenTelemetry."""

from collections.abc import Mapping

from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import HEADERS, SHARE
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Where spans of requests, statements, jobs and calls to other machines are sent. It takes the package
    `octavo[opentelemetry]`."""

    endpoint: str = setting(
        "",
        "Address of a collector that speaks OTLP over HTTP, as in `http://127.0.0.1:4318`; `/v1/traces` is added. "
        "Without it nothing is followed.",
        variable="OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    headers: Mapping[str, str] = setting(
        {},
        "Headers for the collector, such as its key.",
        kind=HEADERS,
        variable="OTEL_EXPORTER_OTLP_HEADERS",
        secret=True,
    )
    service: str = setting("octavo", "What this service is called there.", variable="OTEL_SERVICE_NAME")
    sample: float = setting(
        1.0,
        "Which share of the requests and jobs is followed, from 0 to 1. Where a caller says in `traceparent` whether "
        "it is followed, that counts.",
        kind=SHARE,
        variable="OTEL_TRACES_SAMPLER_ARG",
    )
    per_second: int = setting(
        100, "Follow no more requests and jobs a second in each worker, whoever asks for it.", bounds=AT_LEAST_ONE
    )
