"""Compare recorded exchanges: repeat each read on the new service, and confirm differences with both services."""

import asyncio
import logging
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from octavo.core.net.guarded_http import RefusedAddress
from octavo.operations.comparison.differences import compare
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.outcomes import OutcomeForm, confirmed
from octavo.operations.comparison.redaction import Redaction
from octavo.operations.comparison.requests import DEFAULT_GRAPHQL, ComparedRequest, reason_to_skip
from octavo.operations.comparison.results import Outcome, Results
from octavo.operations.comparison.sending import MOST_BYTES, Answer, Service, decompress
from octavo.operations.shadowing.exchanges import Exchange
from octavo.operations.shadowing.headers import repeated_request

logger = logging.getLogger(__name__)

_MOST_WAITING: Final = 1_000
_FAILURES: Final = 5
_FIRST_PAUSE: Final = 15.0
_LONGEST_PAUSE: Final = 600.0
_UNAVAILABLE: Final = (502, 503, 504)
_READABLE_ENCODINGS: Final = ("", "identity", "gzip", "x-gzip", "deflate")
_SHORTEST_TOKEN: Final = 6
_PAUSED: Final = "pauses because Octavo did not respond"


class Pauses:
    """Pauses the comparison when the new service fails repeatedly, longer after each attempt that fails again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures, self._seconds, self._until = 0, _FIRST_PAUSE, 0.0

    @property
    def is_paused(self) -> bool:
        return self._clock() < self._until

    def note(self, answer: Answer) -> None:
        """Note a response of the new service, or the reason why there is none."""
        if not answer.failure and answer.status not in _UNAVAILABLE:
            if self._failures >= _FAILURES:
                logger.warning("Octavo is responding again")
            self._failures, self._seconds = 0, _FIRST_PAUSE
            return
        self._failures += 1
        if self._failures >= _FAILURES and not self.is_paused:
            reason = answer.failure or f"status {answer.status}"
            logger.warning("Octavo is not responding (%s); comparing again in %g s", reason, self._seconds)
            self._until = self._clock() + self._seconds
            self._seconds = min(self._seconds * 2, _LONGEST_PAUSE)


class Comparer:
    """Compares exchanges in the background. `memory` limits the waiting ones, `report` gets each outcome."""

    def __init__(
        self,
        old: Service,
        new: Service,
        masks: Masks,
        results: Results,
        *,
        paths: Sequence[str],
        private: frozenset[str] = frozenset(),
        graphql: str = DEFAULT_GRAPHQL,
        memory: int,
        report: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._old, self._new, self._masks, self._results = old, new, masks, results
        self._paths, self._private, self._memory, self._report = tuple(paths), private, memory, report
        self._graphql = graphql
        self._waiting = asyncio.Queue[Exchange](_MOST_WAITING)
        self._size = 0
        self.pauses = Pauses(asyncio.get_running_loop().time)

    def add(self, exchange: Exchange) -> None:
        """Add an exchange to the waiting ones, or count the reason to skip it."""
        request = self._request_of(exchange)
        reason = "writes" if request is None else reason_to_skip(request, self._paths)
        if reason is None and self.pauses.is_paused:
            reason = _PAUSED
        if reason is None and (self._waiting.full() or self._size + exchange.size > self._memory):
            reason = "queue full (raise --rate or --memory)"
        if reason is not None:
            self._results.skipped[reason] += 1
            return
        self._waiting.put_nowait(exchange)
        self._size += exchange.size

    async def run(self) -> None:
        """Compare one exchange after another until cancelled."""
        while True:
            exchange = await self._waiting.get()
            try:
                await self._compare(exchange)
            except Exception:
                logger.exception("A comparison failed unexpectedly")
                self._results.skipped["unexpected errors"] += 1
            finally:
                self._size -= exchange.size
                self._waiting.task_done()

    async def finish(self, seconds: float) -> None:
        """Wait until nothing waits, at most for some seconds, and count the rest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._waiting.join()
        if not self._waiting.empty():
            self._results.skipped["not finished at the end"] += self._waiting.qsize()

    async def _compare(self, exchange: Exchange) -> None:
        request = self._request_of(exchange)
        if request is None or self.pauses.is_paused:
            self._results.skipped[_PAUSED] += 1
            return
        outcome = await self._outcome_of(request, exchange)
        self._results.add(outcome)
        self._report(outcome)

    async def _outcome_of(self, request: ComparedRequest, exchange: Exchange) -> Outcome:
        headers = repeated_request(
            [(name.encode("latin-1"), value.encode("latin-1")) for name, value in exchange.headers]
        )
        role, tokens = _caller(exchange)
        form = OutcomeForm(Redaction(tokens), self._private)
        new = await self._new.send(request, headers=headers)
        self.pauses.note(new)
        old = _answer_of(exchange)
        if old is None:  # an encoding such as Brotli
            old = await self._old.send(request, headers=headers)
        if new.unreachable or old.failure:
            return form.outcome(request, role, (old, new), "failed")
        differences, state = compare(old, new, self._masks), "equal"
        if differences and form.explains_all(request, differences, (old, new)):
            state = "different"
        elif differences:
            again = await asyncio.gather(
                self._old.send(request, headers=headers), self._new.send(request, headers=headers)
            )
            differences, state = confirmed(differences, old, again, self._masks)
        return form.outcome(request, role, (old, new), state, differences)

    def _request_of(self, exchange: Exchange) -> ComparedRequest | None:
        """Return the request as text, or None if its body is not text."""
        try:
            body = exchange.body.decode()
        except UnicodeDecodeError:
            return None
        content_type = _header(exchange.headers, "content-type").partition(";")[0].strip().lower()
        return ComparedRequest(exchange.method, exchange.target, body, content_type, graphql=self._graphql)


def _answer_of(exchange: Exchange) -> Answer | None:
    """Return the response of the old service, or None if its encoding is unknown."""
    headers = exchange.response_headers
    encoding = _header(headers, "content-encoding").strip().lower()
    if encoding not in _READABLE_ENCODINGS:
        return None
    try:
        body = decompress(exchange.response_body, encoding, MOST_BYTES)
    except (zlib.error, RefusedAddress):
        return Answer(failure="invalid or too large response")
    media_type = _header(headers, "content-type").partition(";")[0].strip().lower()
    return Answer(exchange.status, media_type, _header(headers, "location"), body, exchange.seconds)


def _caller(exchange: Exchange) -> tuple[str, list[str]]:
    """Return the name of the caller's role, and the secrets that identify the caller."""
    authorization = _header(exchange.headers, "authorization")
    cookies = (pair.partition("=")[2].strip() for pair in _header(exchange.headers, "cookie").split(";"))
    tokens = [*authorization.split(" ")[1:], *cookies]
    role = "with a token" if authorization else "public"
    return role, [token for token in tokens if len(token) >= _SHORTEST_TOKEN]


def _header(headers: Sequence[Any], name: str) -> str:
    return ", ".join(value for key, value in headers if key.lower() == name)
