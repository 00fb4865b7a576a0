"""Where what is being done comes from: the door it came in by, and who asks.

Doors say so for as long as they work on a request; without a door it is code.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from octavo.values import dataclass

Source = Literal["rest", "graphql", "code", "admin", "schedule"]


NO_REQUEST: Final = "(none)"
"""The name of work that is done for no request."""


@dataclass(frozen=True, slots=True)
class PastActor:
    """Somebody who asks, as far as that is kept for later."""

    kind: str
    id: int | None = None
    role_id: int | None = None
    username: str | None = None
    email: str | None = None


SERVICE: Final = PastActor("system")
"""The service itself: its start, its clock, commands."""
NOBODY: Final = PastActor("anonymous")
"""The caller of a request of which it is not known, or not asked, who sent it."""


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
    """Work inside the block is code's, for somebody who asked before; or, for SERVICE, for nobody else."""
    token = WORK.set(Origin("code", actor))
    try:
        yield
    finally:
        WORK.reset(token)


def asked_by() -> dict[str, dict[str, Any]]:
    """Return `actor` as work that is queued keeps it; nothing for the service, for which work is done anyway."""
    found = actor()
    return {} if found is SERVICE else {"actor": kept_actor(found)}


def kept_actor(actor: Any) -> dict[str, Any]:
    """Return what is kept of somebody, as values of JSON."""
    return {name: getattr(actor, name) for name in PastActor.__slots__}


def past_actor(kept: Mapping[str, Any] | None) -> PastActor:
    """Return the actor that was kept; the service where none was."""
    return SERVICE if kept is None else PastActor(**kept)


def source() -> Source:
    """The door that the work came in by."""
    return WORK.get().source


def actor() -> Any:
    """Who asks: in a request the caller, whatever code works for it; without one the service."""
    return WORK.get().actor or NOBODY


def request_id() -> str:
    """The name of the request that is worked on, for the log."""
    return WORK.get().id
