"""Subclasses and wrappers of services that add spans to traces. They are used only if tracing is enabled."""

from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import Actor
from octavo.content.reader import CompiledRead, EntryReader, PreparedRead
from octavo.content.result_cache import CachingReader
from octavo.core.mail.mailers import Mailer, Message
from octavo.core.net.calls import following
from octavo.query.plan.nodes import ReadPlan
from octavo.query.plan.read import Planned

T = TypeVar("T")
Stop = Callable[[str], AbstractContextManager[object] | None]
"""Returns a context manager for a step of a request, or None if the request is not traced."""


class TracedAuthenticator(Authenticator):
    """Traces the duration of authentication."""

    def __init__(self, stop: Stop, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stop = stop

    def authenticate(self, authorization: str | None) -> Coroutine[Any, Any, Actor]:
        stop = self._stop("who")
        found = super().authenticate(authorization)
        return found if stop is None else _within(stop, found)


async def _within(stop: AbstractContextManager[object], work: Coroutine[Any, Any, T]) -> T:
    with stop:
        return await work


class TracedReader(EntryReader):
    """Traces how long it takes to plan a new read and build its statement."""

    def __init__(self, stop: Stop, *arguments: Any, **named: Any) -> None:
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
