"""An application with low limits for a real server, which reports their use; `test_crowding.py` starts it."""

from typing import Final

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import BodyLimits, HttpOptions
from octavo.api.http.proxies import TrustedProxies
from octavo.api.http.request import Request
from octavo.api.http.response import Response, render_json
from octavo.api.http.router import Router
from tests.api.http.serving import echo, hang

LARGE: Final = b"x" * 20_000_000
OPTIONS: Final = HttpOptions(
    body=BodyLimits(json=100_000),
    max_requests=4,
    max_receiving=8,
    max_receiving_each=6,
    max_received_bytes=400_000,
    max_unsent=30_000_000,
    max_unsent_each=25_000_000,
    request_seconds=60.0,
    shutdown_seconds=2.0,
    trusted_proxies=TrustedProxies(["127.0.0.9"]),
)


async def quick(request: Request) -> Response:
    return render_json(200, {})


async def large(request: Request) -> Response:
    return Response(200, LARGE)


async def state(request: Request) -> Response:
    arrivals, transfers = app._arrivals, app._transfers
    reported = {"running": app.running(), "arriving": len(arrivals), "held": arrivals.held_bytes}
    return render_json(200, {**reported, "unsent": transfers.waiting_bytes})


def build() -> HttpApplication:
    router = Router()
    router.add("POST", "/api/echo", echo)
    router.add("GET", "/api/hang", hang)
    router.add("GET", "/api/quick", quick)
    router.add("GET", "/api/large", large)
    router.add("GET", "/api/state", state)
    return HttpApplication(router, OPTIONS)


app = build()
