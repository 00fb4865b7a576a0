"""Slow clients: the memory of the service for them, for any kind of response. In bytes, not in time."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.api.http.sending import PIECE
from octavo.api.http.static import CHUNK
from tests.api.http.asgi import receiver, scope_of
from tests.models.people import write
from tests.models.site import Site, open_bookshop, postgresql_variables

pytestmark = pytest.mark.anyio

PATIENCE = 120
LARGE = 2 << 20
FILE = "public/large.bin"
LIMITS = {"OCTAVO_MIDDLEWARES__REQUESTS__BUFFER_MEMORY": "12MB"}
READ = b'{"query":"{ notes { data { attributes { text } } } }"}'
REQUESTS = {"graphql": ("POST", "/graphql", READ), "rest": ("GET", "/api/notes", b"")}


@dataclass
class SlowReader:
    """A client that receives nothing after the first piece of a body until it calls `reads`."""

    reads: asyncio.Event = field(default_factory=asyncio.Event)
    waits: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0
    pieces: list[bytes] = field(default_factory=list)
    is_whole: bool = False

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        self.pieces.append(message.get("body", b""))
        self.waits.set()
        await self.reads.wait()
        self.is_whole = not message.get("more_body", False)

    async def take_rest(self, request: "asyncio.Task[None]") -> bytes:
        """Return the whole body, read without delay from now on."""
        self.reads.set()
        async with asyncio.timeout(PATIENCE):
            await request
        return b"".join(self.pieces)


@dataclass(frozen=True)
class Shop:
    site: Site
    folder: Path

    def waiting(self) -> int:
        return self.site.octavo.asgi._transfers.waiting_bytes

    async def ask(self, method: str, target: str, body: bytes = b"") -> tuple[SlowReader, "asyncio.Task[None]"]:
        """Send a request. Return the client, which has received the first piece of the body, and the request's task."""
        reader = SlowReader()
        headers = [("Content-Type", "application/json")] if body else []
        coroutine = self.site.octavo.asgi(scope_of(method, target, headers), receiver([body]), reader.send)
        request = asyncio.create_task(coroutine)
        async with asyncio.timeout(PATIENCE):
            await reader.waits.wait()
        assert reader.status == 200, reader.pieces
        return reader, request


@pytest.fixture(params=["sqlite", "postgresql"])
async def shop(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """A bookshop with a note of 2 MB, and a file of the same size."""
    on_postgresql = request.param == "postgresql"
    variables = postgresql_variables(request.getfixturevalue("postgresql_url")) if on_postgresql else {}
    (tmp_path / "public").mkdir()
    (tmp_path / FILE).write_bytes(b"x" * LARGE)
    site = await open_bookshop(tmp_path, {**LIMITS, **variables})
    await write(site.database, "UPDATE notes SET text = {v1} WHERE id = 1", "x" * LARGE)
    yield Shop(site, tmp_path)
    await site.database.close()


@pytest.mark.parametrize("kind", REQUESTS)
async def test_large_answers_are_sent_in_pieces_and_counted(shop: Shop, kind: str) -> None:
    reader, request = await shop.ask(*REQUESTS[kind])
    assert [len(piece) for piece in reader.pieces] == [PIECE]
    assert shop.waiting() > LARGE, "what one has got is counted until it is taken"
    body = await reader.take_rest(request)
    assert len(orjson.loads(body)["data"]["notes"]["data"] if kind == "graphql" else orjson.loads(body)["data"]) > 1
    assert max(map(len, reader.pieces)) == PIECE
    assert shop.waiting() == 0


@pytest.mark.parametrize("kind", REQUESTS)
async def test_the_slowest_response_is_closed_above_the_share_of_a_client(shop: Shop, kind: str) -> None:
    first, closed = await shop.ask(*REQUESTS[kind])
    second, request = await shop.ask(*REQUESTS[kind])
    async with asyncio.timeout(PATIENCE):
        await closed
    assert not first.is_whole
    assert LARGE < shop.waiting() < 2 * LARGE, "the other one is still sent"
    assert orjson.loads(await second.take_rest(request))
    assert shop.waiting() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how far a file has been read")
async def test_a_file_is_read_only_as_far_as_it_is_sent(shop: Shop) -> None:
    reader, request = await shop.ask("GET", "/large.bin")
    assert [len(piece) for piece in reader.pieces] == [CHUNK]
    assert position_in(shop.folder / FILE) == CHUNK
    assert shop.waiting() == 0
    assert len(await reader.take_rest(request)) == LARGE
    assert position_in(shop.folder / FILE) is None, "the file is closed"


def position_in(path: Path) -> int | None:
    """Return the position of this process in an open file."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the listing's own one
            if link.readlink() == path:
                reported = Path("/proc/self/fdinfo", link.name).read_text("ascii")
                return int(reported.partition("pos:")[2].split()[0])
    return None
