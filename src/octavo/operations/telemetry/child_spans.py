"""Spans within a traced request: its steps and statements, of which a request has several.

They are created when they end and never changed, so they cost a tenth of spans that are started and ended. Imports
OpenTelemetry.
"""

import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Final, TypeVar

from opentelemetry import context as contexts
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    get_current_span,
    set_span_in_context,
)

from octavo import __version__
from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import Actor
from octavo.content.reader import CompiledRead, EntryReader, PreparedRead
from octavo.content.result_cache import CachingReader
from octavo.core.mail.mailers import Mailer, Message
from octavo.core.net.calls import following
from octavo.query.plan.nodes import ReadPlan
from octavo.query.plan.read import Planned

Attributes = Mapping[str, str | int]
FAILED_BY: Final = "error.type"
_WELL: Final = Status(StatusCode.UNSET)
_FAILED: Final = Status(StatusCode.ERROR)


class SpansWithin:
    """Creates spans and passes them to the span processor."""

    def __init__(self, ids: IdGenerator, resource: Resource, processor: SpanProcessor) -> None:
        self._ids = ids
        self._resource = resource
        self._processor = processor
        self._scope = InstrumentationScope("octavo", __version__)

    def note(self, name: str, kind: SpanKind, attributes: Attributes, start: int, end: int) -> None:
        """Record a span that has just ended, within the current one."""
        parent = get_current_span().get_span_context()
        self.add_span(name, kind, attributes, self.below(parent), parent, (start, end), _WELL)

    def below(self, parent: SpanContext) -> SpanContext:
        """Return a new span context within another."""
        return SpanContext(parent.trace_id, self._ids.generate_span_id(), False, parent.trace_flags)

    def add_span(
        self,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        own: SpanContext,
        parent: SpanContext,
        lasted: tuple[int, int],
        status: Status,
    ) -> None:
        """Record a span with the given start and end."""
        start, end = lasted
        span = ReadableSpan(
            name,
            own,
            parent,
            self._resource,
            attributes,
            kind=kind,
            status=status,
            start_time=start,
            end_time=end,
            instrumentation_scope=self._scope,
        )
        self._processor.on_end(span)


class Stop:
    """A context manager for a step of a request. Spans in the block are its children."""

    __slots__ = ("_began", "_name", "_own", "_parent", "_spans", "_token")

    def __init__(self, spans: SpansWithin, name: str) -> None:
        self._spans = spans
        self._name = name

    def __enter__(self) -> None:
        self._parent = get_current_span().get_span_context()
        self._own = self._spans.below(self._parent)
        self._token = contexts.attach(set_span_in_context(NonRecordingSpan(self._own)))
        self._began = time.time_ns()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        contexts.detach(self._token)
        lasted = self._began, time.time_ns()
        attributes: Attributes = {} if kind is None else {FAILED_BY: kind.__name__}  # the message may contain secrets
        status = _WELL if kind is None else _FAILED
        self._spans.add_span(self._name, SpanKind.INTERNAL, attributes, self._own, self._parent, lasted, status)


T = TypeVar("T")
StartStep = Callable[[str], AbstractContextManager[object] | None]
"""Returns a context manager for a step of a request, or None if the request is not traced."""


class TracedAuthenticator(Authenticator):
    """Traces the duration of authentication."""

    def __init__(self, stop: StartStep, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stop = stop

    def authenticate(self, authorization: str | None) -> Coroutine[Any, Any, Actor]:
        stop = self._stop("who")
        actor = super().authenticate(authorization)
        return actor if stop is None else _within(stop, actor)


async def _within(stop: AbstractContextManager[object], work: Coroutine[Any, Any, T]) -> T:
    with stop:
        return await work


class TracedReader(EntryReader):
    """Traces how long it takes to plan a new read and build its statement."""

    def __init__(self, stop: StartStep, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stop = stop

    def prepare_again(self, plan: Callable[[], Planned]) -> PreparedRead:
        def planned() -> Planned:
            with self._stop("plan") or nullcontext():
                return plan()

        return super().prepare_again(planned)

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        with self._stop("statement") or nullcontext():
            return super()._compile(plan)


class TracedCachingReader(CachingReader, TracedReader):
    """The traced reader with the response cache."""


class TracedMailer:
    """Traces sent mails, without recipients."""

    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer

    async def send(self, message: Message) -> None:
        """Send a message. Raises MailProblem."""
        with following("mail", {"octavo.mailer": type(self._mailer).__name__}):
            await self._mailer.send(message)
