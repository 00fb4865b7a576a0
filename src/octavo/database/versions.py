"""Versions: what a database tells of having changed, so that an answer can be used again as long as it has not.

A `Moment` is what was seen of all versions at once. An answer that was read after a moment is what the tables held
then, or something newer. So as long as a later moment tells the same versions of the tables it was read from, nothing
was committed to them in between, and the answer is what reading them again would give. What was committed before a
moment was asked for is seen by it: whoever asks after a write was acknowledged meets other versions.

    moment = versions.latest or await versions.now()     # before the read, however long before
    answer = await read()
    ...
    (await versions.now()).of(tables) == moment.of(tables)     # then the answer is as good as new
"""

from collections.abc import Awaitable, Hashable, Sequence
from typing import Protocol


class Moment(Protocol):
    """All versions at one moment. Moments that tell the same are one object, and so are their stamps."""

    @property
    def stamp(self) -> Hashable:
        """What stands for all of them, in few bytes."""

    def of(self, tables: Sequence[str]) -> Hashable:
        """What stands for all that was committed to these tables; None where that is not known of each."""


class Versions(Protocol):
    """Tells moments. Outside of transactions alone: what one has written itself nobody else knows."""

    @property
    def latest(self) -> Moment | None:
        """What was told last."""

    def at_once(self) -> Moment | None:
        """As `now`, where nothing has to be waited for; None elsewhere."""

    def now(self) -> Awaitable[Moment | None]:
        """The versions as they are after this was called; None where they cannot be told."""
