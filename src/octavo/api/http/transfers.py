"""Send large responses in chunks, and limit the memory of unsent ones.

The ASGI server stores a response that it gets in one piece until the client has read it. Large ones are therefore
passed to it in chunks, each after the previous one was sent.
"""

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Final

from octavo.api.http.client_limits import share_of
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Send

PIECE: Final = 256 * 1024
"""Bytes; smaller responses are sent in one piece."""
_GRACE_SECONDS: Final = 1.0
"""How long a client can take before its rate is compared with others."""


class Transfer:
    """A response being sent to a client. `left` is the number of unsent bytes. `close` aborts it."""

    __slots__ = ("began", "client", "close", "left", "size")

    def __init__(self, client: str | None, size: int, began: float, close: Callable[[], None]) -> None:
        self.client = client
        self.size = self.left = size
        self.began = began
        self.close = close

    def rate(self, now: float) -> float:
        """Return the rate at which the client has read, in bytes per second."""
        return (self.size - self.left) / (now - self.began)


class Transfers:
    """The large responses that a process is sending."""

    def __init__(self) -> None:
        self._under_way: dict[Transfer, None] = {}

    def __bool__(self) -> bool:
        return bool(self._under_way)

    @property
    def waiting_bytes(self) -> int:
        """The number of unsent bytes of all responses."""
        return sum(transfer.left for transfer in self._under_way)

    async def send(
        self, body: bytes, send: Send, transfer: Transfer, options: HttpOptions, touch: Callable[[], None]
    ) -> None:
        """Send a body after its headers. `touch` is called before each chunk."""
        self._under_way[transfer] = None
        self.close_slow(options)
        try:
            for start in range(0, len(body), PIECE):
                touch()
                piece = body[start : start + PIECE]
                more = start + PIECE < len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
                transfer.left -= len(piece)
        finally:
            self._under_way.pop(transfer, None)

    def close_slow(self, options: HttpOptions) -> None:
        """Close the slowest transfers while unsent bytes exceed the limits per client or in total."""
        if not self._under_way:
            return
        now = monotonic()
        of_clients: dict[str, list[Transfer]] = {}
        for transfer in self._under_way:
            if transfer.client is not None:
                of_clients.setdefault(transfer.client, []).append(transfer)
        share = share_of(options.max_unsent, options.max_unsent_each)
        for transfers in of_clients.values():
            self._close_until(share, transfers, now)
        self._close_until(options.max_unsent, self._under_way, now)

    def _close_until(self, most: int, transfers: Iterable[Transfer], now: float) -> None:
        waiting = sum(transfer.left for transfer in transfers)
        if waiting <= most:
            return
        slow = [transfer for transfer in transfers if now - transfer.began >= _GRACE_SECONDS]
        for transfer in sorted(slow, key=lambda one: one.rate(now)):
            waiting -= transfer.left
            self._under_way.pop(transfer, None)
            transfer.close()
            if waiting <= most:
                return
