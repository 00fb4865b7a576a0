"""Tracing: requests and jobs as OpenTelemetry spans, sent to a collector.

Sampling is decided when a request or job begins; others cost only that decision. Spans have names of routes, methods,
status codes and the text of statements. They never have query strings, bodies, headers, values of statements or
messages of exceptions. Imports OpenTelemetry, so import this module only if tracing is enabled.
"""

import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from math import inf
from random import random
from typing import Any, Final

from opentelemetry import context as contexts
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from octavo import __version__
from octavo.api.http.request import Request
from octavo.api.http.request_ids import TRACE
from octavo.api.http.response import LiveResponse, Response
from octavo.api.http.router import METHODS, Handler
from octavo.core.errors import OctavoError
from octavo.core.net.calls import CALLS
from octavo.core.threads import CARRYING, Work, in_thread
from octavo.core.values import dataclass
from octavo.database.connection import Watch, unnoted
from octavo.events.jobs.registry import TOPIC as JOBS
from octavo.events.messages import Message, Topic
from octavo.events.origin import LINKS, WORK, Origin
from octavo.operations.telemetry.child_spans import (
    FAILED_BY,
    Attributes,
    SpansWithin,
    Stop,
    TracedAuthenticator,
    TracedCachingReader,
    TracedMailer,
    TracedReader,
)

_MOST_CHILDREN: Final = 128
"""Maximum number of child spans: a request can run thousands of statements."""
_LONGEST_TEXT: Final = 4000
_QUEUE: Final = 2048
_BATCH: Final = 256
_PATIENCE_SECONDS: Final = 5
_FAILED: Final = 500
_OPERATION: Final = re.compile(r"\s*(\w+)")
_PARENT: Final = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_TRACE_ID: Final = re.compile("(?!0{32})[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """Where spans are sent: `endpoint` is the whole URL.

    `sample` is the share of traced requests, `per_second` the maximum. `system` is the database's name in
    OpenTelemetry.
    """

    endpoint: str
    headers: Mapping[str, str]
    service: str
    sample: float
    system: str
    per_second: int = 100


class _Followed:
    """The state of a traced request or job: how many more spans it can have, and when its last statement ended."""

    __slots__ = ("left", "read_until")

    def __init__(self) -> None:
        self.left = _MOST_CHILDREN
        self.read_until = 0

    def takes_another(self) -> bool:
        self.left -= 1
        return self.left >= 0


_FOLLOWED: Final[ContextVar[_Followed | None]] = ContextVar("octavo_followed", default=None)


class _Ids(RandomIdGenerator):
    """Generates trace ids. A new trace gets its request's id in the log, if that is a valid trace id."""

    name: str = ""

    def generate_trace_id(self) -> int:
        return int(self.name, 16) if _TRACE_ID.fullmatch(self.name) else super().generate_trace_id()


class _Call:
    """A call to another service."""

    __slots__ = ("_span", "headers")

    def __init__(self, headers: Mapping[str, str], span: Span | None = None) -> None:
        self.headers = headers
        self._span = span

    def answered(self, status: int) -> None:
        """Record the response's status."""
        if self._span is not None:
            self._span.set_attribute("http.response.status_code", status)
            if status >= 400:
                self._span.set_status(StatusCode.ERROR)


class Traces:
    """Tracing for one process. Opened and closed with its infrastructure."""

    def __init__(self, options: TraceOptions) -> None:
        self._ids = _Ids()
        self.share = options.sample
        self._per_second = options.per_second
        self._second, self._begun = 0.0, 0
        self._under_way = 0
        self._else_from = inf
        self._watch = Watch(unnoted, self.record_statement)
        self._database: Attributes = {"db.system.name": options.system}
        resource = Resource.create({"service.name": options.service, "service.version": __version__})
        limits = SpanLimits(max_attribute_length=_LONGEST_TEXT)
        self._provider = TracerProvider(
            sampler=ALWAYS_ON, resource=resource, id_generator=self._ids, span_limits=limits, shutdown_on_exit=False
        )
        exporter = OTLPSpanExporter(options.endpoint, headers=dict(options.headers), timeout=_PATIENCE_SECONDS)
        processor = BatchSpanProcessor(exporter, max_queue_size=_QUEUE, max_export_batch_size=_BATCH)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("octavo", __version__)
        self._within = SpansWithin(self._ids, resource, processor)
        self.authenticator = partial(TracedAuthenticator, self._stop)
        self.reader = partial(TracedReader, self._stop)
        self.kept_reader = partial(TracedCachingReader, self._stop)
        self.mailer = TracedMailer
        CALLS.follow, CARRYING.carried, LINKS.tell = self._follow_call, _carried, _link

    async def flush(self) -> None:
        """Send queued spans."""
        await in_thread(partial(self._provider.force_flush, _PATIENCE_SECONDS * 1000))

    async def close(self) -> None:
        """Send queued spans and stop tracing."""
        if CALLS.follow == self._follow_call:
            CALLS.follow = CARRYING.carried = LINKS.tell = None
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        await in_thread(partial(ending.join, _PATIENCE_SECONDS))

    # Requests and jobs

    def chooses(self, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether to trace a request with these headers, before any other work.

        The caller can decide in its `traceparent`. Other requests are sampled already.
        """
        if TRACE in headers:
            parent = _parent(headers)
            is_chosen = parent.trace_flags.sampled if parent is not None else self._is_of_share()
            return is_chosen and self._has_room()
        return self._has_room()

    def _is_of_share(self) -> bool:
        return random() < self.share  # noqa: S311 - no secret

    def follow(self, handler: Handler, request: Request) -> Awaitable[Response]:
        """Answer a traced request. This is the outermost middleware."""
        return self._follow(handler, request, _parent(request.headers))

    def topic(self, topic: Topic) -> Topic:
        """Return the topic with traced deliveries: a sample, and jobs that traced requests queued."""
        return replace(topic, handler=partial(self._deliver, topic.handler))

    def _has_room(self) -> bool:
        now = time.monotonic()
        if now - self._second >= 1:
            self._second, self._begun = now, 0
        self._begun += 1
        return self._begun <= self._per_second

    async def _follow(self, handler: Handler, request: Request, parent: SpanContext | None) -> Response:
        method = request.method if request.method in METHODS else "HTTP"
        self._ids.name = request.id
        span = self._tracer.start_span(
            method,
            set_span_in_context(NonRecordingSpan(parent)) if parent else contexts.Context(),
            SpanKind.SERVER,
            {"http.request.method": method, "url.path": request.raw_path, "octavo.request": request.id},
        )
        self._ids.name = ""
        request.when_done(lambda: _end(span))
        status: int | None = None
        try:
            with self._inside(span) as followed:
                response = await handler(request)
                self._note_answer(followed)
            status = response.status
            if isinstance(response, LiveResponse):
                span.end()  # a stream can last for hours: trace only its start
        except OctavoError as error:
            status = error.status
            raise
        except Exception:
            status = _FAILED
            raise
        finally:
            if request.route:
                span.update_name(f"{method} {request.route}")
                span.set_attribute("http.route", request.route)
            if status is not None:
                span.set_attribute("http.response.status_code", status)
            if status is None or status >= _FAILED:
                span.set_status(StatusCode.ERROR)
        return response

    def _note_answer(self, followed: _Followed) -> None:
        """Record the time between the last statement and the response: serialization and project code."""
        if followed.read_until and followed.takes_another():
            self._within.note("answer", SpanKind.INTERNAL, {}, followed.read_until, time.time_ns())

    async def _deliver(self, handler: Callable[[Message], Awaitable[object]], message: Message) -> object:
        link = message.payload.get("link") if isinstance(message.payload, dict) else None
        actor_payload = _parent({TRACE: link.encode()}) if isinstance(link, str) else None
        if not ((actor_payload is not None or self._is_of_share()) and self._has_room()):
            return await handler(message)
        attributes: dict[str, str | int] = {
            "messaging.operation.type": "process",
            "messaging.destination.name": message.topic,
            "messaging.message.id": str(message.id),
            "octavo.attempt": message.attempt,
        }
        if message.topic == JOBS:
            attributes["octavo.job"] = str(message.payload.get("name"))
        name, context = f"process {message.topic}", contexts.Context()
        links = [Link(actor_payload)] if actor_payload else []
        span = self._tracer.start_span(name, context, SpanKind.CONSUMER, attributes, links)
        try:
            with self._inside(span):
                return await handler(message)
        except BaseException as error:
            _note_failure(span, error)
            raise
        finally:
            span.end()

    # Child spans

    def watching(self, watch: Watch | None) -> Watch:
        """Return an observer of statements that also calls the observer `watch`.

        It receives statements only while something is traced, so that they cost no more otherwise.
        """
        others = watch or Watch(unnoted, lambda *_: None, inf)

        def both(text: str, seconds: float) -> None:
            if seconds >= others.seen_from:
                others.see(text, seconds)
            if _FOLLOWED.get() is not None:
                self.record_statement(text, seconds)

        self._watch, self._else_from = Watch(others.note, both), others.seen_from
        self._see(0)
        return self._watch

    def _see(self, more: int) -> None:
        """Change the number of running traces."""
        self._under_way += more
        self._watch.seen_from = 0.0 if self._under_way else self._else_from

    def record_statement(self, text: str, seconds: float) -> None:
        """Record a statement that has just ended."""
        followed = _FOLLOWED.get()
        if followed is None or not followed.takes_another():
            return
        end = followed.read_until = time.time_ns()
        match = _OPERATION.match(text)
        operation = match[1].upper() if match else "SQL"
        asked = {**self._database, "db.operation.name": operation, "db.query.text": text[:_LONGEST_TEXT]}
        self._within.note(operation, SpanKind.CLIENT, asked, end - int(seconds * 1e9), end)

    def _stop(self, name: str) -> AbstractContextManager[object] | None:
        """Return a context manager for a step of a request, or None if it is not traced or has enough spans."""
        followed = _FOLLOWED.get()
        return None if followed is None or not followed.takes_another() else Stop(self._within, name)

    @contextmanager
    def _follow_call(self, name: str, attributes: Attributes) -> Iterator[_Call]:
        """Trace an outgoing call. An untraced one sends a `traceparent` that is not sampled."""
        followed = _FOLLOWED.get()
        if followed is None or not followed.takes_another():
            yield _Call(self._unfollowed())
            return
        span = self._tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
        token = contexts.attach(set_span_in_context(span))
        try:
            yield _Call(_traceparent(span.get_span_context()), span)
        except BaseException as error:
            _note_failure(span, error)
            raise
        finally:
            contexts.detach(token)
            span.end()

    @contextmanager
    def _inside(self, span: Span) -> Iterator[_Followed]:
        """Make spans in the block children of a span."""
        followed = _Followed()
        ours, theirs = _FOLLOWED.set(followed), contexts.attach(set_span_in_context(span))
        self._see(1)
        try:
            yield followed
        finally:
            self._see(-1)
            contexts.detach(theirs)
            _FOLLOWED.reset(ours)

    def _unfollowed(self) -> Mapping[str, str]:
        """Return the headers of an untraced call: the request's trace id, not sampled."""
        current = get_current_span().get_span_context()
        if current.is_valid:
            return _traceparent(current)
        work = WORK.get()
        while isinstance(work, Origin) and work.within is not None:
            work = work.within
        if not isinstance(work, Request) or not _TRACE_ID.fullmatch(work.id):
            return {}
        return {"traceparent": f"00-{work.id}-{self._ids.generate_span_id():016x}-00"}


def _parent(headers: Mapping[bytes, bytes]) -> SpanContext | None:
    """Return the parent span of a request from its `traceparent`, or None."""
    value = headers.get(TRACE)
    match = None if value is None else _PARENT.fullmatch(value)
    if match is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in match.groups())
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags & TraceFlags.SAMPLED))


def _carried(work: Work) -> Work:
    """Return work for a thread that belongs to the current trace."""
    followed = _FOLLOWED.get()
    if followed is None:
        return work
    around = contexts.get_current()

    def run() -> Any:
        ours, theirs = _FOLLOWED.set(followed), contexts.attach(around)
        try:
            return work()
        finally:
            contexts.detach(theirs)
            _FOLLOWED.reset(ours)

    return run


def _link() -> str:
    """Return the current trace for a job that is being queued, or an empty string."""
    return "" if _FOLLOWED.get() is None else _traceparent(get_current_span().get_span_context())["traceparent"]


def _end(span: Span) -> None:
    if span.is_recording():
        span.end()


def _note_failure(span: Span, error: BaseException) -> None:
    """Record only the type of an error: its message may contain secrets."""
    span.set_attribute(FAILED_BY, type(error).__name__)
    span.set_status(StatusCode.ERROR)


def _traceparent(context: SpanContext) -> Mapping[str, str]:
    flags = context.trace_flags & TraceFlags.SAMPLED
    return {"traceparent": f"00-{context.trace_id:032x}-{context.span_id:016x}-{flags:02x}"}
