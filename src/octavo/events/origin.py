"""Where what is being done comes from: the door it came in by, and who asks.

Doors say so for as long as they work on a request; without a door it is code.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Final, Literal, Protocol

Source = Literal["rest", "graphql", "code", "admin"]

_source: ContextVar[Source] = ContextVar("octavo_source", default="code")
_actor: ContextVar[Any] = ContextVar("octavo_actor", default=None)
_request: ContextVar["Named | None"] = ContextVar("octavo_request", default=None)


class Named(Protocol):
    """What has a name for the log."""

    @property
    def id(self) -> str:
        """The name."""


Origin = tuple[Token[Source], Token[Any], Token[Named | None]]
CODE: Final[Source] = "code"


def begin(source: Source, request: Named | None = None) -> Origin:
    """From now on work comes from a door, and nobody is known to ask; what `end` takes."""
    return _source.set(source), _actor.set(None), _request.set(request)


def end(origin: Origin) -> None:
    """Things are as they were before `begin`."""
    _source.reset(origin[0])
    _actor.reset(origin[1])
    _request.reset(origin[2])


def come_by(source: Source) -> None:
    """Say more of the door, until it ends."""
    _source.set(source)


def act_as(actor: Any) -> None:
    """Say who asks, until the door ends."""
    _actor.set(actor)


@contextmanager
def coming_from(source: Source) -> Iterator[None]:
    """Work inside the block comes from somewhere else; whoever asks is the same."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


def source() -> Source:
    """The door that the work came in by."""
    return _source.get()


def actor() -> Any:
    """Who asks; None where nobody was looked for."""
    return _actor.get()


def request_id() -> str:
    """The name of the request that is worked on, for the log."""
    request = _request.get()
    return "(none)" if request is None else request.id
