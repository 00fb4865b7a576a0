"""A proxy between a client and a PostgreSQL server, so that a test can act between two messages of the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

_PIECE = 65_536
Tell = Callable[[], object]


class Relay:
    """Forwards messages in both directions. `tell` is called before each message of the server."""

    def __init__(self, socket: str, tell: Tell) -> None:
        self._socket = socket
        self._tell = tell

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until either side disconnects."""
        from_server, to_server = await asyncio.open_unix_connection(self._socket)
        await asyncio.gather(self._pass(reader, to_server), self._pass(from_server, writer, self._tell))

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, tell: Tell | None = None) -> None:
        with contextlib.suppress(OSError):
            while piece := await source.read(_PIECE):
                if tell is not None:
                    tell()
                target.write(piece)
        target.close()


@asynccontextmanager
async def relayed(url: str, tell: Tell) -> AsyncIterator[dict[str, str | int | bool]]:
    """Return connection parameters for a database through the proxy."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query)["host"][0]
    server = await asyncio.start_server(Relay(f"{folder}/.s.PGSQL.5432", tell).connect, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield {"host": "127.0.0.1", "port": port, "user": parts.username or "postgres", "database": parts.path[1:]}
    finally:
        server.close()
