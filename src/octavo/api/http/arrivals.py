"""Limits of request bodies that are still arriving. Such requests do not count as running requests."""

from octavo.api.http.client_limits import ClientLimit, share_of
from octavo.api.http.options import HttpOptions


class Arrivals:
    """The requests of a process whose bodies are arriving, in total and by client, and the bytes in memory."""

    def __init__(self) -> None:
        self._requests = ClientLimit("request bodies are being received")
        self._bytes = ClientLimit("bytes of request bodies are being received")
        self._dropped = 0

    def __len__(self) -> int:
        return self._requests.total + self._dropped

    @property
    def held_bytes(self) -> int:
        """The bytes of incomplete bodies in memory."""
        return self._bytes.total

    def begin(self, client: str | None, options: HttpOptions, now: float) -> "Arrival":
        """Count a request with an incoming body. Raises RateLimitError and ServiceUnavailable."""
        self._requests.take(client, 1, options.max_receiving, options.max_receiving_each)
        return Arrival(client, now)

    def drop(self) -> "Arrival":
        """Count a finished request whose body is read to its end, to keep the connection usable."""
        self._dropped += 1
        return Arrival(None, is_dropped=True)

    def hold(self, arrival: "Arrival", options: HttpOptions, size: int) -> None:
        """Count more bytes of an incomplete body. Raises RateLimitError and ServiceUnavailable."""
        most = options.max_received_bytes
        self._bytes.take(arrival.client, size, most, share_of(most, 0))
        arrival.held += size

    def end(self, arrival: "Arrival") -> None:
        """Stop counting a request, once."""
        if arrival.is_dropped:
            self._dropped -= 1
            return
        self._requests.release(arrival.client, 1)
        if arrival.held:
            self._bytes.release(arrival.client, arrival.held)


class Arrival:
    """The incoming body of one request. Dropped bodies are not stored.

    `began` is when it was first awaited, in seconds. `received` is the number of bytes so far, `held` the number of
    counted ones. `is_waiting` is set while the next chunk is awaited.
    """

    __slots__ = ("began", "client", "held", "is_dropped", "is_waiting", "received")

    def __init__(self, client: str | None, began: float = 0.0, *, is_dropped: bool = False) -> None:
        self.client = client
        self.began = began
        self.received = self.held = 0
        self.is_waiting = False
        self.is_dropped = is_dropped
