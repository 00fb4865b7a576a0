"""A request: method, path, query, headers and body, each decoded on first use.

Raises errors with status 400 (invalid UTF-8), 408, 413 and 415 (unsupported encodings).
"""

import math
import zlib
from asyncio import Task
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from octavo.api.http.arrivals import Arrivals
from octavo.api.http.client_limits import FORWARDING, client_of, network_of
from octavo.api.http.json_text import parse_json
from octavo.api.http.options import HttpOptions
from octavo.api.http.request_ids import name_of
from octavo.core.errors import BadRequestError, PayloadTooLargeError, UnsupportedMediaTypeError
from octavo.core.threads import in_computing_thread
from octavo.core.values import dataclass
from octavo.events.origin import Source

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_UNKNOWN = "?"
_LONGEST_USER_AGENT = 200
NO_VALUES: dict[str, str] = {}
MOST_PARSED_HERE = 64 * 1024
"""Bytes of JSON, parsed in about a millisecond."""
_READING = frozenset(("GET", "HEAD"))
_COMPRESSED = frozenset(("gzip", "x-gzip", "deflate"))
# 32 makes zlib detect gzip and zlib headers.
_ANY_HEADER = zlib.MAX_WBITS | 32


def decode_text(raw: bytes, what: str) -> str:
    """Decode UTF-8. Raises BadRequestError."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise BadRequestError(f"The {what} is not valid UTF-8") from None


def decode_path(raw_path: str) -> str:
    """Decode percent escapes. Raises BadRequestError for invalid ones and NUL."""
    if "%" not in raw_path:
        return raw_path
    path = decode_text(unquote_to_bytes(raw_path), "path")
    if "\0" in path:
        raise BadRequestError("The path contains a NUL character")
    return path


def without_prefix(scope: Scope, prefix: str) -> Scope:
    """Return the scope of a request with the path below a prefix, or unchanged if its path does not begin with it.

    Only one prefix is removed, so that no path that a proxy blocks is reached by repeating the prefix.
    """
    raw: bytes = scope.get("raw_path") or quote(scope["path"], safe="/:@!$&'()*+,;=~%").encode()
    before, below = raw[: len(prefix)], raw[len(prefix) :]
    if before.decode("latin-1") != prefix or below[:1] not in (b"", b"/"):
        return scope
    raw = below or b"/"
    return {**scope, "raw_path": raw, "path": unquote_to_bytes(raw).decode("utf-8", "replace")}


@dataclass(slots=True)
class Overlay:
    """Changes that project code has made to a request before an endpoint handles it.

    `owner` is the request object for code. `query` is a text that represents the changed parameters `values`; no client
    can send an equal one. `body` is the parsed body, possibly changed.
    """

    owner: Any
    query: str | None = None
    values: Callable[[], dict[str, Any]] | None = None
    body: Any = None


@dataclass(slots=True)
class StatementSummary:
    """The statements of a request so far: number, total seconds, and the slowest one."""

    number: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    slowest: str = ""


class Request:
    """The client's request.

    `options` are those of the application. `path_values` are the values of the route's `:name` segments. `operation` is
    the route's operation, `route` its template, empty without a route. `source` is the API, `actor` the caller after
    authentication. `headers` are by lower-case name; the first one counts. `answered_with` are headers to add to the
    response.
    """

    # Class attributes are defaults: few requests set all of them, and setting each takes time.
    path_values: Mapping[str, str] = NO_VALUES
    source: Source = "rest"
    actor: Any = None
    answered_with: Sequence[tuple[bytes, bytes]] = ()
    operation: object = None
    route = ""
    statements: StatementSummary | None = None
    body_complete = False
    task: Task[Any] | None = None
    deadline = started = math.inf
    overdue = False
    is_cut = False
    """Whether it was cancelled because the service stops."""
    is_followed = False
    is_host_allowed = False
    """Whether the host was already found to be allowed."""
    arrivals: Arrivals | None = None
    """Counts the request while its body arrives."""
    is_arriving = False
    """Whether its body is awaited or read. Such requests do not count as running."""
    is_awaiting_chunk = False
    """Whether the next chunk of the body is awaited."""
    overlay: Overlay | None = None
    is_read = False
    """Whether it changes nothing although its method is POST."""
    _is_repeated = False
    _body_began = 0.0
    _received = _held = 0
    _client_key: str | None = _UNKNOWN
    _body: bytes | None = None
    _id: str | None = None
    _closers: list[Callable[[], None]] | None = None

    def __init__(
        self, scope: Scope, receive: Receive, options: HttpOptions, headers: Mapping[bytes, bytes] | None = None
    ) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.options = options
        self.headers: Mapping[bytes, bytes] = dict(reversed(scope["headers"])) if headers is None else headers
        self._receive = receive

    @property
    def raw_path(self) -> str:
        """The path as it was sent, with percent escapes."""
        raw: bytes | None = self.scope.get("raw_path")
        if raw is None:
            return quote(self.scope["path"], safe="/:@!$&'()*+,;=~%")
        return raw.decode("ascii") if raw.isascii() else decode_text(raw, "path")

    @property
    def path(self) -> str:
        """The decoded path."""
        return decode_path(self.raw_path)

    @property
    def query(self) -> str:
        """The query string as sent, without the question mark, or the text that represents changed parameters."""
        if self.overlay is not None and self.overlay.query is not None:
            return self.overlay.query
        raw: bytes = self.scope["query_string"]
        return raw.decode("ascii") if raw.isascii() else decode_text(raw, "query string")

    def header(self, name: str) -> str | None:
        """Return a header by its lower-case name."""
        value = self.headers.get(name.encode())
        return None if value is None else value.decode("latin-1")

    def set_header(self, name: str, value: str) -> None:
        """Replace a header, by its lower-case name."""
        self.headers = {**self.headers, name.encode(): value.encode("latin-1")}

    @property
    def content_type(self) -> str:
        """The media type of the body in lower case, without parameters, or an empty string."""
        given = self.headers.get(b"content-type")
        return "" if given is None else given.decode("latin-1").partition(";")[0].strip().lower()

    @property
    def _peer(self) -> str:
        """The address of the connection, empty for a Unix socket."""
        peer = self.scope.get("client")
        return str(peer[0]) if peer else ""

    @property
    def client(self) -> str:
        """The client's address. Forwarded addresses count only if all proxies on the way are trusted."""
        address, trusted = self._peer, self.options.trusted_proxies
        if address in trusted:
            forwarded = ",".join(v.decode("latin-1") for k, v in self.scope["headers"] if k == b"x-forwarded-for")
            for hop in reversed([hop.strip() for hop in forwarded.split(",") if hop.strip()]):
                address = hop
                if hop not in trusted:
                    break
        return address

    @property
    def user_agent(self) -> str:
        """The first characters of the user agent, without control characters."""
        given = self.headers.get(b"user-agent", b"")[:_LONGEST_USER_AGENT].decode("utf-8", "replace")
        return given if given.isprintable() else "".join(one if one.isprintable() else "?" for one in given)

    @property
    def host(self) -> bytes | None:
        """The requested host: the one that a trusted proxy forwards, else the `Host` header."""
        forwarded = self.headers.get(b"x-forwarded-host")
        if forwarded is not None and self._peer in self.options.trusted_proxies:
            return forwarded.rpartition(b",")[2].strip()
        return self.headers.get(b"host")

    @property
    def client_key(self) -> str | None:
        """The client that limits count, or None if clients cannot be distinguished."""
        if self._client_key is _UNKNOWN:
            peer, trusted = self.scope.get("client"), self.options.trusted_proxies
            address = str(peer[0]) if peer else ""  # not by `_peer`: each request comes here
            if address and trusted.is_empty and FORWARDING.isdisjoint(self.headers):
                self._client_key = network_of(address)
            else:
                client = self.client if address in trusted else address
                self._client_key = client_of(address, client, self.headers, trusted)
        return self._client_key

    @property
    def is_from_here(self) -> bool:
        """Whether it comes from this machine and was not forwarded."""
        if FORWARDING & self.headers.keys():
            return False
        try:
            return ip_address(self.client).is_loopback
        except ValueError:
            return False

    @property
    def id(self) -> str:
        """The request id in logs and responses: the client's, or a new one."""
        if self._id is None:
            self._id = name_of(self.headers)
        return self._id

    def use_request_id(self, name: str) -> None:
        """Use the request id that its response already has."""
        self._id = name

    async def stream(self, limit: int) -> AsyncIterator[bytes]:
        """Yield the chunks of the body as they arrive. Raises 413 as soon as it is too long."""
        while not self.body_complete:
            chunk = await self._chunk(limit, self.options.upload_rate)
            limit -= len(chunk)
            if chunk:
                yield chunk

    async def _chunk(self, most: int, rate: int) -> bytes:
        """Return the next chunk of the body, which must arrive at a minimum rate in bytes per second."""
        now, options = monotonic(), self.options
        if not self.is_arriving:
            self._begin_body(now, most)
        in_time = self._body_began + options.body_seconds + self._received / rate
        self.deadline = min(in_time, now + options.request_seconds, self.started + options.upload_seconds)
        self.is_awaiting_chunk = True
        message = await self._receive()
        self.is_awaiting_chunk = False
        if message["type"] == "http.disconnect":
            # A client that only stopped sending can still read the response.
            raise BadRequestError("The body ended too early")
        now = monotonic()  # as `touch` does
        self.deadline = min(now + options.request_seconds, self.started + options.upload_seconds)
        self.body_complete = not message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        if len(chunk) > most:
            raise PayloadTooLargeError
        self._received += len(chunk)
        if self.body_complete:
            if self._held:
                self._end_body()
            elif self.arrivals is not None:  # the same with fewer calls, for most bodies
                self.is_arriving = False
                self.arrivals.requests.discard(self)
        return chunk

    def _begin_body(self, now: float, limit: int) -> None:
        """Count the incoming body. Raises 413, and RateLimitError and ServiceUnavailable if there are too many."""
        announced, options = self.headers.get(b"content-length"), self.options
        if announced is not None and announced.isdigit() and int(announced[:20]) > limit:
            raise PayloadTooLargeError
        if self.arrivals is None:
            self.arrivals = Arrivals()
        arriving = self.arrivals.requests
        if len(arriving) >= options.max_receiving_each or len(arriving) >= options.max_receiving:
            self.arrivals.check_room(self.client_key, options)
        arriving.add(self)
        self.is_arriving, self._body_began = True, now

    def _end_body(self) -> None:
        if self.is_arriving and self.arrivals is not None:
            self.is_arriving = self.is_awaiting_chunk = False
            self.arrivals.requests.discard(self)
            self.arrivals.dropped.discard(self)
            if self._held:
                self.arrivals.release(self.client_key, self._held)
                self._held = 0

    async def drain(self) -> None:
        """Read and discard the rest of the body.

        If the server closed the connection instead, the client could lose the response.
        """
        if self.body_complete or not (self.header("content-length") or self.header("transfer-encoding")):
            return
        self._end_body()
        if self.arrivals is not None:
            self.arrivals.dropped.add(self)
            self.is_arriving = True
        self.deadline = monotonic() + self.options.drain_seconds
        dropped = 0
        while not self.body_complete and dropped < self.options.drain_bytes:
            message = await self._receive()
            self.body_complete = not message.get("more_body", False)
            dropped += len(message.get("body", b""))
        self._end_body()

    async def body(self, limit: int | None = None) -> bytes:
        """Return the whole body, decompressed."""
        if self._body is None:
            most = self.options.body.json if limit is None else limit
            chunks, left = [], most
            while not self.body_complete:
                chunk = await self._chunk(left, self.options.body_rate)
                chunks.append(chunk)
                left -= len(chunk)
                if self.is_arriving and self.arrivals is not None:
                    self.arrivals.hold(self.client_key, self.options, len(chunk))
                    self._held += len(chunk)
            received = b"".join(chunks)
            self._body = self._decompress(received, most) if b"content-encoding" in self.headers else received
        return self._body

    async def json(self) -> Any:
        """Return the body as JSON: an object, an array, or an empty object without a body."""
        body, depth = await self.body(), self.options.body.json_depth
        if len(body) <= MOST_PARSED_HERE:
            return parse_json(body, depth)
        return await in_computing_thread(lambda: parse_json(body, depth))

    def timing(self) -> str:
        """Return the `Server-Timing` header: the duration so far and that of statements, in milliseconds."""
        seen, seconds = self.statements or StatementSummary(), monotonic() - self.started
        return f'total;dur={seconds * 1000:.2f}, db;dur={seen.seconds * 1000:.2f};desc="statements: {seen.number}"'

    def touch(self) -> None:
        """Extend the deadline after a transfer, up to the maximum."""
        now = monotonic()
        self.deadline = min(now + self.options.request_seconds, self.started + self.options.upload_seconds)

    async def left(self) -> None:
        """Wait until the client disconnects. Ignores the rest of its body."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def give_up(self) -> None:
        """Cancel the request after its deadline, or the rest of its response."""
        if self.task is not None and not self.overdue:
            self.overdue = True
            self.task.cancel()

    @property
    def can_repeat(self) -> bool:
        """Whether it can be handled again: a read whose body, if any, is in memory, and only once."""
        is_read = self.is_read or (self.method in _READING and getattr(self.operation, "only_reads", True))
        return is_read and not self._is_repeated and (self._body is not None or not self.body_complete)

    def repeat(self, options: HttpOptions) -> None:
        """Prepare to be handled again, by another dispatcher with these options."""
        self._is_repeated, self.options = True, options
        self.path_values, self.answered_with, self.overlay = NO_VALUES, (), None
        self.actor = self.operation = None
        self.route = ""

    def cut(self) -> None:
        """Cancel the request because the service stops."""
        self.is_cut = self.is_cut or not self.overdue
        self.give_up()

    def when_done(self, close: Callable[[], None]) -> None:
        """Add a callback that runs when the request ends, with any result."""
        if self._closers is None:
            self._closers = []
        self._closers.append(close)

    def close(self) -> None:
        """Release the request's resources."""
        if self.is_arriving:
            self._end_body()
        if self._closers is not None:
            for close in self._closers:
                close()
            self._closers = None

    def _decompress(self, received: bytes, limit: int) -> bytes:
        encoding = (self.header("content-encoding") or "identity").strip().lower()
        if encoding == "identity" or not received:
            return received
        if encoding not in _COMPRESSED:
            raise UnsupportedMediaTypeError
        inflater = zlib.decompressobj(_ANY_HEADER)
        try:
            inflated = inflater.decompress(received, limit + 1)
        except zlib.error:
            raise BadRequestError("The compressed body is corrupt") from None
        if len(inflated) > limit:
            raise PayloadTooLargeError
        if not inflater.eof:
            raise BadRequestError("The compressed body is incomplete")
        return inflated
