"""Send requests to one of the services, with limits on rate, time and size. Redirects are not followed."""

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Final

import httpx2
import orjson

from octavo.core.errors import ApplicationError
from octavo.core.net.guarded_http import GuardedTransport, RefusedAddress
from octavo.core.values import dataclass
from octavo.operations.comparison.requests import ComparedRequest

MOST_BYTES: Final = 20 * 1024**2
_TRIES: Final = 3
_LONGEST_WAIT: Final = 30.0
_LIMITED: Final = 429
_PORTS: Final = {"http": 80, "https": 443}
_LAST_PORT: Final = 65_535

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, or the reason why there is none (`failure`). `unreachable`: there was no connection."""

    status: int = 0
    media_type: str = ""
    location: str = ""
    body: bytes = b""
    seconds: float = 0.0
    failure: str = ""
    unreachable: bool = False

    def json(self) -> tuple[Any] | None:
        """Return the body as JSON in a tuple, or None if it is not JSON."""
        if "json" not in self.media_type:
            return None
        try:
            return (orjson.loads(self.body),)
        except orjson.JSONDecodeError:
            return None

    def text(self) -> str | None:
        """Return the body as text, or None if it is binary."""
        try:
            return self.body.decode()
        except UnicodeDecodeError:
            return None


class Service:
    """One of the services. `rate` is its maximum of requests per second."""

    def __init__(self, url: str, *, rate: float = 10.0, seconds: float = 30.0, most_bytes: int = MOST_BYTES) -> None:
        self.url = _checked(url)
        self._seconds, self._most_bytes = seconds, most_bytes
        self._interval, self._next = 1 / rate, 0.0
        port = self.url.port or _PORTS[self.url.scheme]
        exempt = frozenset({f"{self.url.host}:{port}"})
        self._transport = GuardedTransport(exempt, raw=True, most_bytes=most_bytes)

    @property
    def hosts(self) -> frozenset[str]:
        """The names of its host in URLs, with and without the port."""
        host, port = self.url.host, self.url.port
        return frozenset({f"{host}:{port}"} if port else {host, f"{host}:{_PORTS[self.url.scheme]}"})

    async def send(self, request: ComparedRequest, token: str = "", headers: Headers = ()) -> Answer:
        """Send a request with `token`, or with `headers`. Waits and repeats it if the service limits the rate."""
        headers = headers or _headers_of(request, token)
        answer, wait = await self._send(request, headers)
        for _ in range(_TRIES - 1):
            if answer.status != _LIMITED:
                break
            await asyncio.sleep(wait)
            answer, wait = await self._send(request, headers)
        if answer.status == _LIMITED:
            return Answer(failure="rate limit (429): use a lower --rate, or raise the limit")
        return answer

    async def _send(self, request: ComparedRequest, headers: Headers) -> tuple[Answer, float]:
        await self._wait_for_turn()
        started = perf_counter()
        try:
            async with asyncio.timeout(self._seconds):
                answer, wait = await self._receive(request, headers)
        except TimeoutError:
            return Answer(failure=f"took longer than {self._seconds:g} s"), 0.0
        except RefusedAddress as error:
            return Answer(failure=str(error)), 0.0
        except httpx2.ConnectError:
            return Answer(failure="cannot be reached", unreachable=True), 0.0
        except (httpx2.HTTPError, zlib.error) as error:
            return Answer(failure=f"invalid or incomplete response ({type(error).__name__})"), 0.0
        return answer(perf_counter() - started), wait

    async def _wait_for_turn(self) -> None:
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next)
        self._next = turn + self._interval
        if turn > now:
            await asyncio.sleep(turn - now)

    async def _receive(self, request: ComparedRequest, headers: Headers) -> tuple[Any, float]:
        target = self.url.raw_path.rstrip(b"/") + request.target.encode("ascii")
        url = self.url.copy_with(raw_path=target)
        content = request.body.encode() or None
        response = await self._transport.handle_async_request(
            httpx2.Request(request.method, url, headers=list(headers), content=content)
        )
        try:
            received = b"".join([chunk async for chunk in response.aiter_raw()])
        finally:
            await response.aclose()
        body = decompress(received, response.headers.get("content-encoding", ""), self._most_bytes)
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        location = response.headers.get("location", "")

        def answer(seconds: float) -> Answer:
            return Answer(response.status_code, media_type, location, body, seconds)

        return answer, _retry_after(response.headers)


def _headers_of(request: ComparedRequest, token: str) -> Headers:
    headers = [("accept", "*/*"), ("user-agent", "octavo-compare")]
    if request.content_type:
        headers.append(("content-type", request.content_type))
    if token:
        headers.append(("authorization", f"Bearer {token}"))
    return headers


def _retry_after(headers: Mapping[str, str]) -> float:
    value = headers.get("retry-after", "")
    return min(float(value), _LONGEST_WAIT) if value.isdigit() else 1.0


def _checked(url: str) -> httpx2.URL:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ApplicationError(f"{url} is not a URL: {error}") from error
    if (
        parsed.scheme not in _PORTS
        or not parsed.host
        or parsed.query
        or parsed.fragment
        or (parsed.port or 0) > _LAST_PORT
    ):
        raise ApplicationError("a service's URL is http:// or https:// with a host, for example http://localhost:1337")
    if parsed.userinfo:
        raise ApplicationError("a service's URL must not contain a user or password; give tokens with --role")
    return parsed


def decompress(body: bytes, encoding: str, most: int) -> bytes:
    """Return a body without gzip or deflate. Other encodings stay. Raises RefusedAddress if it is too large."""
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate") or not body:
        return body
    content = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, most + 1)
    if len(content) > most:
        raise RefusedAddress("the response is too large")
    return content
