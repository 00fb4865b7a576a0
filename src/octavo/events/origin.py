"""Where what is being done comes from: the door it came in by, and who asks.

Doors say so for as long as they work on a request; without a door it is code.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Final, Literal, Protocol

Source = Literal["rest", "graphql", "code", "admin", "schedule"]


class Named(Protocol):
    """What has a name for the log."""

    @property
    def id(self) -> str:
        """The name."""


class Origin:
    """One piece of work: how it came, for which request, and who asks as soon as that is known."""

    __slots__ = ("actor", "request", "source")

    def __init__(self, source: Source, request: Named | None = None, actor: Any = None) -> None:
        self.source = source
        self.request = request
        self.actor = actor


_CODE: Final = Origin("code")
_origin: ContextVar[Origin] = ContextVar("octavo_origin", default=_CODE)


def begin(source: Source, request: Named | None = None) -> Token[Origin]:
    """From now on work comes from a door, and nobody is known to ask; what `end` takes."""
    return _origin.set(Origin(source, request))


def end(began: Token[Origin]) -> None:
    """Things are as they were before `begin`."""
    _origin.reset(began)


def come_by(source: Source) -> None:
    """Say more of the door, until it ends."""
    found = _origin.get()
    if found is not _CODE:
        found.source = source


def act_as(actor: Any) -> None:
    """Say who asks, until the door ends. Nobody asks code."""
    found = _origin.get()
    if found is not _CODE:
        found.actor = actor


@contextmanager
def coming_from(source: Source) -> Iterator[None]:
    """Work inside the block comes from somewhere else; whoever asks is the same."""
    found = _origin.get()
    token = _origin.set(Origin(source, found.request, found.actor))
    try:
        yield
    finally:
        _origin.reset(token)


def source() -> Source:
    """The door that the work came in by."""
    return _origin.get().source


def actor() -> Any:
    """Who asks; None where nobody was looked for."""
    return _origin.get().actor


def request_id() -> str:
    """The name of the request that is worked on, for the log."""
    request = _origin.get().request
    return "(none)" if request is None else request.id
