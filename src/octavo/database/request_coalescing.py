"""Reads that wait anyway are made together: who asks the same is answered by the same read.

Of equal reads two are under way at a time. Who comes meanwhile waits for the next one, which begins after all of them
have asked: each sees what had been committed by then, as if it had read alone. Where nobody waits nothing is different.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from typing import ClassVar, Final, Generic, TypeVar

from octavo.database.connection import Values

AnswerT = TypeVar("AnswerT")
WhatT = TypeVar("WhatT", bound=Hashable)

_Waiting = list[asyncio.Future[AnswerT]]

AT_ONCE: Final = 2
"""Equal reads under way, so that one is on its way while another one is answered."""


class JointReads(Generic[WhatT, AnswerT]):
    """Makes reads with `make`, which is given what to read, and its values. It is not told who asks: what depends on
    that has to be part of what is read."""

    joined: ClassVar[int] = 0
    """How many reads of this process were answered by one that was begun for all who waited."""

    def __init__(self, make: Callable[[WhatT, Values], Awaitable[AnswerT]]) -> None:
        self._make = make
        self._under_way: dict[Hashable, int] = {}
        self._waiting: dict[Hashable, _Waiting[AnswerT]] = {}
        self._begun: dict[asyncio.Task[None], _Waiting[AnswerT]] = {}

    def is_under_way(self, what: WhatT, values: Values) -> bool:
        """Whether others are reading the same."""
        return (what, *values, *map(type, values)) in self._under_way

    async def read(self, what: WhatT, values: Values) -> AnswerT:
        """Read something with these values. Raises what the read does."""
        key = (what, *values, *map(type, values))  # Python takes 1, 1.0 and True for equal
        under_way = self._under_way.get(key, 0)
        if under_way >= AT_ONCE:
            return await self._wait(key)
        self._under_way[key] = under_way + 1
        try:
            return await self._make(what, values)
        finally:
            if self._under_way[key] > 1 or key in self._waiting:
                self._go_on(key, what, values)
            else:
                del self._under_way[key]

    async def _wait(self, key: Hashable) -> AnswerT:
        """Be answered by a read that begins later."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(future)
        JointReads.joined += 1
        try:
            return await future
        except asyncio.CancelledError:
            for task, answered in self._begun.items():
                if all(one.done() for one in answered):
                    task.cancel()  # nobody is left who wants to know
            raise

    def _go_on(self, key: Hashable, what: WhatT, values: Values) -> None:
        """One is over: begin the next one, for all who wait, on behalf of nobody in particular."""
        answered = [one for one in self._waiting.pop(key, ()) if not one.done()]
        if answered:
            read = self._read_for(answered, key, what, values)
            task = asyncio.get_running_loop().create_task(read, context=Context())
            self._begun[task] = answered
            task.add_done_callback(self._begun.pop)
        elif self._under_way[key] > 1:
            self._under_way[key] -= 1
        else:
            del self._under_way[key]

    async def _read_for(self, answered: _Waiting[AnswerT], key: Hashable, what: WhatT, values: Values) -> None:
        try:
            answer = await self._make(what, values)
        except Exception as error:
            for one in answered:
                if not one.done():
                    one.set_exception(error)
        else:
            for one in answered:
                if not one.done():
                    one.set_result(answer)
        finally:
            for one in answered:
                one.cancel()  # if this was ended from outside
            self._go_on(key, what, values)
