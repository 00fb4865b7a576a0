"""Requests whose bodies are still arriving: they take no place of requests that are being answered."""

from collections.abc import Iterator
from contextlib import contextmanager

from octavo.http.client_limits import ClientLimit, share_of
from octavo.http.options import HttpOptions


class Arrivals:
    """The requests of a process whose bodies arrive, in total and for each client, and the bytes they hold."""

    def __init__(self) -> None:
        self._requests = ClientLimit("request bodies are being received")
        self._bytes = ClientLimit("bytes of request bodies are being received")
        self._drained = 0

    def __len__(self) -> int:
        return self._requests.total + self._drained

    @property
    def held_bytes(self) -> int:
        """Return the bytes of incomplete bodies in memory."""
        return self._bytes.total

    @contextmanager
    def draining(self) -> Iterator[None]:
        """Count a request that is answered, and whose body is read to its end for the connection's sake."""
        self._drained += 1
        try:
            yield
        finally:
            self._drained -= 1

    def begin(self, client: str | None, options: HttpOptions) -> None:
        """Count a request whose body is awaited. Raises RateLimitError, ServiceUnavailable."""
        self._requests.take(client, 1, options.max_receiving, options.max_receiving_each)

    def hold(self, client: str | None, options: HttpOptions, size: int) -> None:
        """Count more bytes of a body that is not complete. Raises RateLimitError, ServiceUnavailable."""
        most = options.max_received_bytes
        self._bytes.take(client, size, most, share_of(most, 0))

    def end(self, client: str | None, size: int) -> None:
        """Count a request no more; `size` are the bytes that were held for it."""
        self._requests.give_back(client, 1)
        if size:
            self._bytes.give_back(client, size)
