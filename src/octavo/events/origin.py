"""Where what is being done comes from: the door it came in by, and who asks.

Doors say so for as long as they work on a request; without a door it is code.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from octavo.core.values import dataclass


class Links:
    """Who tells it, in this process: as W3C's `traceparent` says it; empty where what is done now is not followed."""

    tell: Callable[[], str] | None = None


LINKS: Final = Links()


def link() -> str:
    """What the work under way is part of."""
    return "" if LINKS.tell is None else LINKS.tell()


Source = Literal["rest", "graphql", "code", "admin", "schedule"]


NO_REQUEST: Final = "(none)"
"""The name of work that is done for no request."""


@dataclass(frozen=True, slots=True)
class PastActor:
    """A caller, as far as it is stored with work that is done later."""

    kind: str
    id: int | None = None
    role_id: int | None = None
    username: str | None = None
    email: str | None = None


SERVICE: Final = PastActor("system")
"""The service itself: its start, its clock, commands."""
NOBODY: Final = PastActor("anonymous")
"""The caller of a request that is not authenticated, or not yet."""


class Work(Protocol):
    """A piece of work: how it came, who asks as soon as that is known, and its name for the log. Requests are such."""

    source: Source
    actor: Any

    @property
    def id(self) -> str:
        """The name."""


class Origin:
    """Work that is no request of its own; `within` is what it is done for."""

    __slots__ = ("actor", "source", "within")

    def __init__(self, source: Source, actor: Any = None, within: Work | None = None) -> None:
        self.source = source
        self.actor = actor
        self.within = within

    @property
    def id(self) -> str:
        return NO_REQUEST if self.within is None else self.within.id


_CODE: Final = Origin("code", SERVICE)
WORK: Final[ContextVar[Work]] = ContextVar("octavo_work", default=_CODE)
"""What is being worked on; doors set it for as long as they do."""


@contextmanager
def coming_from(source: Source) -> Iterator[None]:
    """Work inside the block comes from somewhere else; whoever asks is the same."""
    found = WORK.get()
    token = WORK.set(Origin(source, found.actor, found))
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


def asked_by() -> dict[str, dict[str, Any]]:
    """Return `{"actor": ...}` of the caller for a queued message; an empty dictionary for the service."""
    found = actor()
    return {} if found is SERVICE else {"actor": kept_actor(found)}


def kept_actor(actor: Any) -> dict[str, Any]:
    """Return a caller as values of JSON."""
    return {name: getattr(actor, name) for name in PastActor.__slots__}


def past_actor(kept: Mapping[str, Any] | None) -> PastActor:
    """Return the stored caller; the service if none was stored."""
    return SERVICE if kept is None else PastActor(**kept)


def source() -> Source:
    """The door that the work came in by."""
    return WORK.get().source


def actor() -> Any:
    """Return the caller: that of the request, whatever code works for it; the service without a request."""
    return WORK.get().actor or NOBODY


def request_id() -> str:
    """The name of the request that is worked on, for the log."""
    return WORK.get().id
