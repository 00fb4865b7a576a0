"""Calls an ASGI application as a server does, in the same process."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router

Header = tuple[str, str]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def only(self, *names: str) -> dict[str, str | None]:
        return {name: self.headers.get(name) for name in names}


def scope_of(method: str, target: str, headers: Iterable[Header] = (), client: str = "192.0.2.1") -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
        "client": (client, 50000),
    }


def receiver(chunks: Sequence[bytes | None]) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Return a `receive` that yields the chunks of a body; `None` is a client that disconnects."""
    messages = [
        {"type": "http.disconnect"}
        if chunk is None
        else {"type": "http.request", "body": chunk, "more_body": position + 1 < len(chunks)}
        for position, chunk in enumerate(chunks or (b"",))
    ]
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(waiting, {"type": "http.disconnect"})

    return receive


def request_of(
    method: str = "POST",
    target: str = "/",
    headers: Iterable[Header] = (),
    chunks: Sequence[bytes | None] = (),
    options: HttpOptions | None = None,
) -> Request:
    return Request(scope_of(method, target, headers), receiver(chunks), options or HttpOptions())


async def call(
    app: HttpApplication,
    method: str,
    target: str,
    headers: Iterable[Header] = (),
    chunks: Sequence[bytes | None] = (),
) -> Answer:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope_of(method, target, headers), receiver(chunks), send)
    start, *pieces = sent
    named: dict[str, str] = {}
    for name, value in start["headers"]:
        key, text = name.decode(), value.decode("latin-1")
        assert key not in named or key == "vary", "only list headers can be repeated"
        named[key] = f"{named[key]}, {text}" if key in named else text
    assert [piece.get("more_body", False) for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    return Answer(start["status"], named, b"".join(piece.get("body", b"") for piece in pieces))


def ask(
    app: HttpApplication,
    method: str,
    target: str,
    headers: Iterable[Header] = (),
    chunks: Sequence[bytes | None] = (),
) -> Answer:
    return asyncio.run(call(app, method, target, headers, chunks))


async def answer_path_values(request: Request) -> Response:
    return Response(200, json.dumps(dict(request.path_values)).encode())


def app_with(
    handler: Callable[[Request], Awaitable[Response]], method: str = "POST", options: HttpOptions | None = None
) -> HttpApplication:
    router = Router()
    router.add(method, "/here", handler)
    return HttpApplication(router, options)
