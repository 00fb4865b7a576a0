"""Where what is being done comes from: the door it came in by, and who asks.

Doors say so for as long as they work on a request; without a door it is code.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

Source = Literal["rest", "graphql", "code", "admin", "schedule"]


NO_REQUEST: Final = "(none)"
"""The name of work that is done for no request."""


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


_CODE: Final = Origin("code")
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


def source() -> Source:
    """The door that the work came in by."""
    return WORK.get().source


def actor() -> Any:
    """Who asks; None where nobody was looked for."""
    return WORK.get().actor


def request_id() -> str:
    """The name of the request that is worked on, for the log."""
    return WORK.get().id
