"""The origin of an operation: its API and its caller.

The APIs set it for the duration of a request; without one, the origin is code.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from octavo.core.values import dataclass


class Links:
    """Provides the current trace context in W3C's `traceparent` format; empty without tracing."""

    tell: Callable[[], str] | None = None


LINKS: Final = Links()


def link() -> str:
    """Return the trace context of the current operation."""
    return "" if LINKS.tell is None else LINKS.tell()


Source = Literal["rest", "graphql", "code", "admin", "schedule"]


NO_REQUEST: Final = "(none)"
"""The request id of work outside requests."""


@dataclass(frozen=True, slots=True)
class PastActor:
    """A caller as stored with deferred work."""

    kind: str
    id: int | None = None
    role_id: int | None = None
    username: str | None = None
    email: str | None = None


SERVICE: Final = PastActor("system")
"""The service itself: start, scheduler, commands."""
ANONYMOUS_ACTOR: Final = PastActor("anonymous")
"""The caller of a request that is not authenticated, or not yet."""


class Work(Protocol):
    """An operation: its source, its caller once it is known, and its id for the log. Requests are operations."""

    source: Source
    actor: Any

    @property
    def id(self) -> str:
        """The id for the log."""

    @property
    def client(self) -> str:
        """The client's address, empty outside requests."""

    @property
    def user_agent(self) -> str:
        """The client's software as it describes itself, shortened. Empty if it does not, or outside requests."""


class Origin:
    """An operation that is not a request. `within` is the operation that it belongs to."""

    __slots__ = ("actor", "source", "within")

    def __init__(self, source: Source, actor: Any = None, within: Work | None = None) -> None:
        self.source = source
        self.actor = actor
        self.within = within

    @property
    def id(self) -> str:
        return NO_REQUEST if self.within is None else self.within.id

    @property
    def client(self) -> str:
        return "" if self.within is None else self.within.client

    @property
    def user_agent(self) -> str:
        return "" if self.within is None else self.within.user_agent


_CODE: Final = Origin("code", SERVICE)
WORK: Final[ContextVar[Work]] = ContextVar("octavo_work", default=_CODE)
"""The current operation, set by the APIs for the duration of a request."""


@contextmanager
def coming_from(source: Source) -> Iterator[None]:
    """Set another source for the block; the caller stays the same."""
    work = WORK.get()
    token = WORK.set(Origin(source, work.actor, work))
    try:
        yield
    finally:
        WORK.reset(token)


@contextmanager
def on_behalf_of(actor: Any) -> Iterator[None]:
    """Run the block as code that works for an earlier caller, or for the service itself."""
    token = WORK.set(Origin("code", actor))
    try:
        yield
    finally:
        WORK.reset(token)


def actor_payload() -> dict[str, dict[str, Any]]:
    """Return `{"actor": ...}` of the caller for a queued message; an empty dictionary for the service."""
    acting = actor()
    return {} if acting is SERVICE else {"actor": serialize_actor(acting)}


def serialize_actor(actor: Any) -> dict[str, Any]:
    """Return a caller as values of JSON."""
    return {name: getattr(actor, name) for name in PastActor.__slots__}


def past_actor(kept: Mapping[str, Any] | None) -> PastActor:
    """Return the stored caller; the service if none was stored."""
    return SERVICE if kept is None else PastActor(**kept)


def source() -> Source:
    """Return the source of the current operation, such as an API."""
    return WORK.get().source


def actor() -> Any:
    """Return the caller: that of the request, whatever code works for it; the service without a request."""
    return WORK.get().actor or ANONYMOUS_ACTOR


class RunningCommand:
    """The command that this process runs, and the system user who runs it. Empty in a service."""

    text: str = ""


COMMAND: Final = RunningCommand()


def client() -> str:
    """Return the address of the request's client, or an empty string."""
    return WORK.get().client


def user_agent() -> str:
    """Return the shortened user agent of the request's client, or an empty string."""
    return WORK.get().user_agent


def request_id() -> str:
    """Return the id of the current request, for the log."""
    return WORK.get().id
