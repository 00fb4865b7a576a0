"""A small application for a real server; `test_server.py` starts it."""

import asyncio
import sys
from pathlib import Path
from tempfile import gettempdir

from octavo.api.http.application import HttpApplication
from octavo.api.http.body import read_body
from octavo.api.http.options import BodyLimits, CorsMode, CorsOptions, HttpOptions
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response, render_json
from octavo.api.http.router import Router
from octavo.api.http.static import StaticFiles


async def echo(request: Request) -> Response:
    body = await read_body(request, parse_form)
    return render_json(200, {"value": body.value, "files": [[file.filename, file.size] for file in body.files]})


async def ignore(request: Request) -> Response:
    return render_json(200, {})


async def work(request: Request) -> Response:
    sys.stdout.write("working\n")
    sys.stdout.flush()
    await asyncio.sleep(0.4)
    return render_json(200, {"worked": True})


async def hang(request: Request) -> Response:
    await asyncio.sleep(60)
    return render_json(200, {})


def build() -> HttpApplication:
    router = Router()
    router.add("POST", "/api/echo", echo)
    router.add("POST", "/api/ignore", ignore)
    router.add("GET", "/api/work", work)
    router.add("GET", "/api/hang", hang)
    options = HttpOptions(
        cors=CorsOptions(CorsMode.REFLECT), body=BodyLimits(json=100_000, upload=4_000_000), request_seconds=2.0
    )
    return HttpApplication(router, options, static=StaticFiles({"/": Path(gettempdir()) / "octavo-nothing-here"}))


app = build()
