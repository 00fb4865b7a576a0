"""Limits of request bodies that are still arriving. Such requests do not count as running requests."""

from octavo.api.http.client_limits import ClientLimit, Counted, share_of
from octavo.api.http.options import HttpOptions
from octavo.core.errors import RateLimitError, ServiceUnavailable

_WHAT = "Too many request bodies are being received"


class Arrivals:
    """The requests of a process whose bodies are arriving, and the bytes of incomplete bodies in memory.

    `dropped` are finished requests whose bodies are read to their ends, to keep the connections usable.
    """

    def __init__(self) -> None:
        self.requests: set[Counted] = set()
        self.dropped: set[Counted] = set()
        self._bytes = ClientLimit("bytes of request bodies are being received")

    def __len__(self) -> int:
        return len(self.requests) + len(self.dropped)

    @property
    def held_bytes(self) -> int:
        """The bytes of incomplete bodies in memory."""
        return self._bytes.total

    def check_room(self, client: str | None, options: HttpOptions) -> None:
        """Check the limits for one more request. Raises RateLimitError and ServiceUnavailable.

        Requests are counted here, because few requests come near the limits.
        """
        arriving, most, share = len(self.requests), options.max_receiving, options.max_receiving_each
        if client is not None and sum(request.client_key == client for request in self.requests) >= share:
            raise RateLimitError(f"{_WHAT} from your address, retry later")
        if arriving >= most:
            raise ServiceUnavailable(_WHAT, reason=f"{arriving} of {most} are in use")

    def hold(self, client: str | None, options: HttpOptions, size: int) -> None:
        """Count more bytes of an incomplete body. Raises RateLimitError and ServiceUnavailable."""
        most = options.max_received_bytes
        self._bytes.take(client, size, most, share_of(most, 0))

    def release(self, client: str | None, size: int) -> None:
        """Stop counting the bytes of a body."""
        self._bytes.release(client, size)
