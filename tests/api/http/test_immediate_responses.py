"""Requests that are answered from a cache before anything else parses them."""

import asyncio
from collections.abc import Mapping

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Request, Scope
from octavo.api.http.response import Response
from octavo.api.http.router import Route, Router
from tests.api.http.asgi import call, receiver, scope_of

pytestmark = pytest.mark.anyio


async def test_draining_waits_for_immediate_responses() -> None:
    """Draining waits for cached responses as for others."""
    asked, known = asyncio.Event(), asyncio.Event()
    router = Router()

    async def handle(request: Request) -> Response:
        return Response(200, b"read")

    async def quick(scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[Response, Route] | None:
        asked.set()
        await known.wait()
        return (Response(200, b"known"), router.routes()[0]) if scope["path"] == "/known" else None

    router.add("GET", "/known", handle)
    router.add("GET", "/other", handle)
    router.quick = quick
    app = HttpApplication(router)
    answers = [asyncio.create_task(call(app, "GET", path)) for path in ("/known", "/other")]
    await asked.wait()
    drained = asyncio.create_task(app.drain())
    await asyncio.sleep(0)
    assert not drained.done()
    known.set()
    assert [(await answer).body for answer in answers] == [b"known", b"read"]
    await drained
    assert (await answers[0]).headers["x-request-id"]


async def test_immediate_responses_that_the_client_does_not_read_time_out() -> None:
    """The time limit of requests applies: otherwise one such client would block a reload, and a stop, forever."""
    router, offered = Router(), asyncio.Event()

    async def handle(request: Request) -> Response:
        return Response(200, b"read")

    async def quick(scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[Response, Route] | None:
        return Response(200, b"known"), router.routes()[0]

    async def send(message: Scope) -> None:
        offered.set()
        await asyncio.Event().wait()  # as a server does while the client reads nothing

    router.add("GET", "/known", handle)
    router.quick = quick
    app = HttpApplication(router, HttpOptions(request_seconds=0.01))
    stuck = asyncio.create_task(app(scope_of("GET", "/known"), receiver([]), send))
    await offered.wait()
    async with asyncio.timeout(60):
        await app.drain()
        await stuck
    assert (await call(app, "GET", "/known")).body == b"known"
