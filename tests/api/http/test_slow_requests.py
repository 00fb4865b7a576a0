"""Slow requests are recorded without their queries; fast ones are not."""

import asyncio

from octavo.api.http.application import HttpApplication
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.http.slow_requests import SLOW, SlowRequests
from octavo.operations.telemetry.observer import AllObservers
from tests.api.http.asgi import call


def test_slow_requests_are_recorded_without_their_query() -> None:
    async def slow(_: Request) -> Response:
        await asyncio.sleep(SLOW + 0.05)
        return Response(200, b"{}")

    async def quick(_: Request) -> Response:
        return Response(200, b"{}")

    router, kept = Router(), SlowRequests()
    router.add("GET", "/slow", slow)
    router.add("GET", "/quick", quick)
    application = HttpApplication(router)
    application.look = AllObservers(kept, kept.seconds, None, 0)
    asyncio.run(ask_both(application))
    assert [(one.method, one.path, one.status) for one in kept.all() if one.path == "/slow"] == [("GET", "/slow", 200)]
    assert "secret" not in str(kept.all())


async def ask_both(application: HttpApplication) -> None:
    await call(application, "GET", "/slow?token=secret")
    await call(application, "GET", "/quick")
