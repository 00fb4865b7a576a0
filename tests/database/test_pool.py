"""The connection pool: order of callers, and slots of lost connections."""

import asyncio

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.pool import Pool

pytestmark = pytest.mark.anyio


class Line:
    """A connection to no server."""

    def __init__(self) -> None:
        self.closed = False


class Exchange:
    """Opens connections, unless it is out of order."""

    def __init__(self) -> None:
        self.opened = 0
        self.works = True

    async def open(self) -> Line:
        await asyncio.sleep(0)
        if not self.works:
            raise ServiceUnavailable
        self.opened += 1
        return Line()

    async def close(self, line: Line) -> None:
        line.closed = True


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


def pool_of(exchange: Exchange, maximum: int, patience: float = 5) -> Pool[Line]:
    return Pool(exchange.open, exchange.close, lambda line: line.closed, maximum, patience)


async def test_connections_are_kept(exchange: Exchange) -> None:
    pool = pool_of(exchange, 2)
    first = await pool.acquire()
    pool.release(first)
    assert await pool.acquire() is first
    assert exchange.opened == 1


async def test_no_more_than_the_maximum_are_opened(exchange: Exchange) -> None:
    pool = pool_of(exchange, 3)

    async def use() -> None:
        line = await pool.acquire()
        await asyncio.sleep(0.001)
        pool.release(line)

    await asyncio.gather(*(use() for _ in range(30)))
    assert exchange.opened == 3


async def test_waiters_are_served_in_order(exchange: Exchange) -> None:
    pool = pool_of(exchange, 1)
    served: list[int] = []

    async def use(number: int) -> None:
        line = await pool.acquire()
        served.append(number)
        await asyncio.sleep(0)
        pool.release(line)

    await asyncio.gather(*map(use, range(10)))
    assert served == list(range(10))


async def test_waiting_is_bounded(exchange: Exchange) -> None:
    pool = pool_of(exchange, 1, patience=0.01)
    line = await pool.acquire()
    with pytest.raises(ServiceUnavailable):
        await pool.acquire()
    pool.release(line)
    assert await pool.acquire() is line


async def test_closed_connections_are_replaced(exchange: Exchange) -> None:
    pool = pool_of(exchange, 1)
    line = await pool.acquire()
    pool.release(line)
    line.closed = True
    again = await pool.acquire()
    assert again is not line
    again.closed = True
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    pool.release(again)
    assert not (await waiting).closed
    assert exchange.opened == 3


async def test_failure_to_open_frees_the_slot(exchange: Exchange) -> None:
    pool = pool_of(exchange, 1)
    exchange.works = False
    failures = await asyncio.gather(*(pool.acquire() for _ in range(5)), return_exceptions=True)
    assert [type(failure) for failure in failures] == [ServiceUnavailable] * 5
    exchange.works = True
    assert not (await pool.acquire()).closed


@pytest.mark.parametrize("served_first", [False, True])
async def test_a_cancelled_caller_takes_no_connection(exchange: Exchange, served_first: bool) -> None:
    pool = pool_of(exchange, 1)
    line = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    await asyncio.sleep(0)
    if served_first:
        pool.release(line)
    waiting.cancel()
    await asyncio.wait((waiting,))
    if not served_first:
        pool.release(line)
    assert await pool.acquire() is line


async def test_close_waits_for_connections_in_use(exchange: Exchange) -> None:
    pool = pool_of(exchange, 2)
    idle, lent = await pool.acquire(), await pool.acquire()
    pool.release(idle)
    closing = asyncio.create_task(pool.close(5))
    await asyncio.sleep(0.001)
    assert (idle.closed, lent.closed, closing.done()) == (True, False, False)
    pool.release(lent)
    await closing
    assert lent.closed
    with pytest.raises(ServiceUnavailable):
        await pool.acquire()


async def test_close_does_not_wait_for_ever(exchange: Exchange) -> None:
    pool = pool_of(exchange, 1)
    await pool.acquire()
    await pool.close(0.01)


async def test_a_failed_opening_closes_its_connections(exchange: Exchange) -> None:
    pool = pool_of(exchange, 2, patience=0.01)
    lent = await pool.acquire()
    with pytest.raises(ServiceUnavailable):
        await pool.open_early(2)
    pool.release(lent)
    assert len({id(await pool.acquire()) for _ in range(2)}) == 2


async def test_special_connections_are_lent_last_or_first(exchange: Exchange) -> None:
    special: set[Line] = set()
    pool = Pool(exchange.open, exchange.close, lambda line: line.closed, 3, 5, special.__contains__)
    lines = [await pool.acquire() for _ in range(3)]
    special.add(lines[1])
    for line in lines:
        pool.release(line)
    assert pool.use().idle == 3
    assert await pool.acquire(special=True) is lines[1]
    pool.release(lines[1])
    lent = [await pool.acquire() for _ in range(3)]
    assert (set(lent), lent[2]) == (set(lines), lines[1])
    for line in lent:
        pool.release(line)
    lines[1].closed = True
    assert await pool.acquire(special=True) is lines[0]
    assert (pool.use().size, pool.use().idle) == (2, 1)
    assert pool.take_all_idle() == [lines[2]]
