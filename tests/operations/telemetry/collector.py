"""An OTLP collector: receives spans over HTTP as protobuf, and echoes the headers of every GET request."""

import gzip
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PATIENCE = 60.0


@dataclass(frozen=True)
class Seen:
    """A received span."""

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    failed: bool
    links: list[tuple[str, str]]
    seconds: float


@dataclass
class Collector:
    """Listens on `port` until it is stopped."""

    spans: list[Seen] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    raw: bytes = b""

    def __post_init__(self) -> None:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                self._answer(b"")

            def do_GET(self) -> None:
                reported = {name.lower(): value for name, value in self.headers.items()}
                collector.asked.append(reported)
                self._answer(json.dumps(reported).encode())

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        assert path == "/v1/traces"
        body = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        self.raw += body
        self.headers.append(headers)
        for part in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(_attributes(part.resource.attributes))
            for scope in part.scope_spans:
                self.spans += [_seen(span) for span in scope.spans]

    def named(self, name: str) -> Seen:
        [found] = [span for span in self.spans if span.name == name]
        return found

    def wait_for(self, name: str) -> Seen:
        """Wait for a span and return it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if any(span.name == name for span in self.spans):
                return self.named(name)
            time.sleep(0.05)
        raise TimeoutError(name)


def _seen(span: Any) -> Seen:
    return Seen(
        name=span.name,
        kind=span.kind,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        attributes=_attributes(span.attributes),
        failed=span.status.code == 2,
        links=[(one.trace_id.hex(), one.span_id.hex()) for one in span.links],
        seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
    )


def _attributes(values: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in values}
