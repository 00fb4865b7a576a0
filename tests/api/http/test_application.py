"""Guarantees for every request: one complete response, correct headers, time limits."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import CorsMode, CorsOptions, HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS, PROVIDERS
from octavo.core.errors import (
    ForbiddenError,
    MalformedBody,
    NotFoundError,
    OctavoError,
    ServiceUnavailable,
    TablesChanged,
    ValidationError,
)
from tests.api.http.asgi import Answer, Header, answer_path_values, app_with, ask, call, receiver, request_of, scope_of

REFLECT = HttpOptions(cors=CorsOptions(CorsMode.REFLECT))
ORIGIN = "https://foo.example"
SAFE = HttpOptions(cors=CorsOptions(origins=frozenset([ORIGIN])))
JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"


def blog(options: HttpOptions = REFLECT) -> HttpApplication:
    async def forbidden(request: Request) -> Response:
        raise ForbiddenError

    async def nothing(request: Request) -> Response:
        return Response(204, b"", "")

    router = Router()
    for method, template in (
        ("GET", "/api/articles"),
        ("POST", "/api/articles"),
        ("GET", "/api/articles/:id"),
        ("PUT", "/api/articles/:id"),
        ("DELETE", "/api/articles/:id"),
        ("POST", "/graphql"),
    ):
        router.add(method, template, answer_path_values)
    router.add("GET", "/api/tags", forbidden)
    router.add("OPTIONS", "/graphql", nothing)
    return HttpApplication(router, options)


def envelope(status: int, name: str, message: str, **more: Any) -> dict[str, Any]:
    return {"data": None, "error": {"status": status, "name": name, "message": message, **more}}


NOT_FOUND = envelope(404, "NotFoundError", "Not Found", details={})
ROUTED: list[tuple[str, str, int, Any]] = [
    ("GET", "/api/articles", 200, {}),
    ("GET", "/api/articles/7", 200, {"id": "7"}),
    ("GET", "/API/Articles/7/?x=1", 200, {"id": "7"}),
    ("GET", "/api/tags", 403, envelope(403, "ForbiddenError", "Forbidden", details={})),
    ("GET", "/api", 404, NOT_FOUND),
    ("GET", "/api/", 404, NOT_FOUND),
    ("GET", "/api/nope", 404, NOT_FOUND),
    ("GET", "/api/articles//1", 404, NOT_FOUND),
    ("GET", "/api/articles/1/author", 404, NOT_FOUND),
    ("GET", "/graphql", 404, NOT_FOUND),
    ("GET", "/robots.txt", 404, NOT_FOUND),
    ("GET", "*", 404, NOT_FOUND),
    ("GET", "//api/articles", 400, envelope(400, "BadRequestError", "Malicious Path")),
    ("GET", "/api/%ff", 400, envelope(400, "BadRequestError", "The path is not valid UTF-8", details={})),
    (
        "GET",
        "/api/articles/%00",
        400,
        envelope(400, "BadRequestError", "The path contains a NUL character", details={}),
    ),
    ("GET", "/" + "a" * 16_384, 414, envelope(414, "UriTooLongError", "The URL is too long", details={})),
]


@pytest.mark.parametrize("method, target, status, body", ROUTED)
def test_paths_are_answered(method: str, target: str, status: int, body: Any) -> None:
    answer = ask(blog(), method, target)
    assert (answer.status, answer.headers["content-type"], answer.json) == (status, JSON, body)


@pytest.mark.parametrize(
    "method, target, allow",
    [
        ("PUT", "/api/articles", "HEAD, GET, POST"),
        ("PATCH", "/api/articles/1", "HEAD, GET, PUT, DELETE"),
        ("POST", "/api/nope", "HEAD, GET"),
        ("DELETE", "/", "HEAD, GET"),
        ("TRACE", "/api/articles", "HEAD, GET, POST"),
        ("get", "/api/articles", "HEAD, GET, POST"),
    ],
)
def test_other_methods_are_not_allowed(method: str, target: str, allow: str) -> None:
    answer = ask(blog(), method, target)
    assert (answer.status, answer.headers["content-type"], answer.body) == (405, TEXT, b"Method Not Allowed")
    assert answer.headers["allow"] == allow


def test_the_start_page_and_the_sign_of_life() -> None:
    page, health = ask(blog(), "GET", "/"), ask(blog(), "GET", "/_health")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<code>/api</code>" in page.body
    assert (health.status, health.body) == (204, b"")
    assert health.only("content-type", "content-length") == {"content-type": None, "content-length": None}


def test_a_project_can_have_its_own_start_page() -> None:
    router = Router()
    router.add("GET", "/", answer_path_values)
    assert ask(HttpApplication(router), "GET", "/").body == b"{}"


@pytest.mark.parametrize("target", ["/", "/_health", "/api/articles/7", "/api/tags", "/nope", "//api", "/api/%ff"])
def test_head_is_get_without_its_body(target: str) -> None:
    name = [("X-Request-Id", "seventeen")]
    get, head = ask(blog(), "GET", target, name), ask(blog(), "HEAD", target, name)
    assert head == Answer(get.status, get.headers, b"")


CORS = (
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
    "vary",
    "allow",
)
PREFLIGHT = ("GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS", "Content-Type,Authorization,Origin,Accept", "31536000")
NO = (None, None, None)
FROM: list[Header] = [("Origin", ORIGIN)]
ELSE: list[Header] = [("Origin", "null")]
ASKS: list[Header] = [("Access-Control-Request-Method", "PUT")]
EXCHANGES: list[tuple[HttpOptions, str, str, list[Header], int, tuple[str | None, ...]]] = [
    (REFLECT, "GET", "/api/articles", [], 200, ("", "true", *NO, "Origin", None)),
    (REFLECT, "GET", "/api/articles", FROM, 200, (ORIGIN, "true", *NO, "Origin", None)),
    (REFLECT, "GET", "/api/tags", ELSE, 403, ("null", "true", *NO, "Origin", None)),
    (REFLECT, "GET", "/nope", FROM, 404, (ORIGIN, "true", *NO, "Origin", None)),
    (REFLECT, "POST", "/graphql", [], 200, ("", "true", *NO, "Origin", None)),
    (REFLECT, "OPTIONS", "/api/articles", FROM, 200, (None, None, *NO, "Origin", "HEAD, GET, POST")),
    (REFLECT, "OPTIONS", "/api/articles/1", [], 200, (None, None, *NO, "Origin", "HEAD, GET, PUT, DELETE")),
    (REFLECT, "OPTIONS", "/nope", ELSE, 200, (None, None, *NO, "Origin", "HEAD, GET")),
    (REFLECT, "OPTIONS", "/", [], 200, (None, None, *NO, "Origin", "HEAD, GET")),
    (REFLECT, "OPTIONS", "/graphql", FROM, 204, (None, None, *NO, "Origin", None)),
    (REFLECT, "OPTIONS", "/api/articles", ASKS, 204, ("", "true", *PREFLIGHT, "Origin", None)),
    (REFLECT, "OPTIONS", "/nope", FROM + ASKS, 204, (ORIGIN, "true", *PREFLIGHT, "Origin", None)),
    (REFLECT, "OPTIONS", "/graphql", ELSE + ASKS, 204, ("null", "true", *PREFLIGHT, "Origin", None)),
    (SAFE, "GET", "/api/articles", [], 200, (None, None, *NO, "Origin", None)),
    (SAFE, "GET", "/api/articles", FROM, 200, (ORIGIN, None, *NO, "Origin", None)),
    (SAFE, "GET", "/api/articles", ELSE, 200, (None, None, *NO, "Origin", None)),
    (SAFE, "GET", "/api/articles", [("Origin", ORIGIN + ".evil")], 200, (None, None, *NO, "Origin", None)),
    (SAFE, "OPTIONS", "/api/articles", FROM + ASKS, 204, (ORIGIN, None, *PREFLIGHT, "Origin", None)),
    (SAFE, "OPTIONS", "/api/articles", ELSE + ASKS, 204, (None, None, *NO, "Origin", None)),
    (SAFE, "OPTIONS", "/api/articles", ASKS, 204, (None, None, *NO, "Origin", None)),
    (
        HttpOptions(cors=CorsOptions(origins=frozenset("*"))),
        "GET",
        "/api/articles",
        FROM,
        200,
        ("*", None, *NO, "Origin", None),
    ),
]


@pytest.mark.parametrize("options, method, target, headers, status, expected", EXCHANGES)
def test_cors_for_other_origins(
    options: HttpOptions,
    method: str,
    target: str,
    headers: list[Header],
    status: int,
    expected: tuple[str | None, ...],
) -> None:
    answer = ask(blog(options), method, target, headers)
    assert (answer.status, tuple(answer.only(*CORS).values())) == (status, expected)
    if method == "OPTIONS":
        assert answer.body == b""
        assert answer.headers.get("content-type") == (TEXT if status == 200 else None)


@pytest.mark.parametrize("target", ["/", "/_health", "/api/articles", "/api/tags", "/nope", "//api"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_security_headers_are_on_every_answer(method: str, target: str) -> None:
    headers = ask(blog(), method, target).headers
    expected = dict(HttpOptions().security_headers)
    assert {name: headers.get(name) for name in expected} == expected
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert (headers["server"], "x-powered-by" in headers) == ("web", False)


def test_security_headers_can_be_disabled() -> None:
    headers = ask(blog(HttpOptions(security_headers=(), content_security_policy="")), "GET", "/api/articles").headers
    assert not {"content-security-policy", "x-frame-options"} & set(headers)


def test_responses_expose_headers_to_other_origins() -> None:
    app = blog(HttpOptions(cors=CorsOptions(origins=frozenset([ORIGIN]), expose=("X-A", "X-B"))))
    reported = [
        ask(app, *asked).headers.get("access-control-expose-headers")
        for asked in (
            ("GET", "/nope", [("Origin", ORIGIN)]),
            ("GET", "/nope", [("Origin", "https://else.example")]),
            ("OPTIONS", "/nope", [("Origin", ORIGIN), *ASKS]),
        )
    ]
    assert reported == ["X-A,X-B", None, None]


Handler = Callable[[Request], Awaitable[Response]]


def raising(error: Exception) -> Handler:
    async def handler(request: Request) -> Response:
        raise error

    return handler


@pytest.mark.parametrize(
    "error, body",
    [
        (NotFoundError(), NOT_FOUND),
        (
            ValidationError("x", {"errors": [{"path": ("a", "b")}]}),
            envelope(400, "ValidationError", "x", details={"errors": [{"path": ["a", "b"]}]}),
        ),
        (MalformedBody("bad"), envelope(400, "SyntaxError", "bad")),
        (ValidationError("quoted \ud800"), envelope(400, "ValidationError", "quoted ?", details={})),
        (
            ValidationError("x", {"value": 1 << 70}),
            envelope(400, "ValidationError", "x", details={"value": 1 << 70}),
        ),
    ],
)
def test_errors_become_envelopes(error: OctavoError, body: Any) -> None:
    answer = ask(app_with(raising(error)), "POST", "/here")
    assert (answer.status, answer.json) == (error.status, body)


def test_outages_have_retry_after() -> None:
    answer = ask(app_with(raising(ServiceUnavailable())), "POST", "/here")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_unexpected_errors_are_logged_and_hidden(caplog: pytest.LogCaptureFixture) -> None:
    answer = ask(app_with(raising(RuntimeError("secret"))), "POST", "/here")
    assert (answer.status, answer.json) == (500, envelope(500, "InternalServerError", "Internal Server Error"))
    assert answer.headers["x-request-id"] in caplog.text
    assert "secret" in caplog.text


def test_too_many_headers_are_refused() -> None:
    assert ask(blog(), "GET", "/api/articles", [(f"x-{i}", "1") for i in range(101)]).status == 431


async def read_all(request: Request) -> Response:
    return Response(200, await request.body())


def test_a_body_that_ends_early_is_malformed() -> None:
    assert ask(app_with(read_all), "POST", "/here", chunks=[b"{", None]).status == 400


IMPATIENT = HttpOptions(request_seconds=0.01)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.api.http.application._SWEEP_SECONDS", 0.02)


@pytest.mark.usefixtures("often")
def test_slow_handlers_time_out() -> None:
    stopped: list[bool] = []

    async def sleep(request: Request) -> Response:
        try:
            await asyncio.sleep(10)
        finally:
            stopped.append(True)
        return Response(200)

    answer = ask(app_with(sleep, options=IMPATIENT), "POST", "/here")
    assert (answer.status, answer.json["error"]["message"]) == (503, "The request took too long")
    assert answer.headers["retry-after"] == "5"
    assert stopped == [True]


@pytest.mark.usefixtures("often")
def test_incomplete_bodies_time_out() -> None:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(10)
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app_with(read_all, options=IMPATIENT)(scope_of("POST", "/here"), receive, send))
    assert [message.get("status") for message in sent] == [408, None]


def test_requests_past_the_limit_are_sent_away() -> None:
    async def scenario() -> list[int]:
        free = asyncio.Event()

        async def wait(request: Request) -> Response:
            await free.wait()
            return Response(200)

        app = app_with(wait, options=HttpOptions(max_requests=2, max_requests_each=2))
        waiting = [asyncio.create_task(call(app, "POST", "/here")) for _ in range(2)]
        await asyncio.sleep(0)
        refused = await call(app, "POST", "/here")
        free.set()
        served = await asyncio.gather(*waiting)
        assert refused.headers["retry-after"] == "5"
        return [refused.status, *(answer.status for answer in served), (await call(app, "POST", "/here")).status]

    assert asyncio.run(scenario()) == [503, 200, 200, 200]


@pytest.mark.parametrize("broken_at", [0, 1])
def test_disconnected_clients_cause_no_error(broken_at: int, caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        if len(sent) == broken_at:
            raise ConnectionResetError
        sent.append(message)

    with caplog.at_level(logging.INFO):
        asyncio.run(app_with(read_all)(scope_of("POST", "/here"), receiver([b"x"]), send))
    assert caplog.text == ""


async def live(app: HttpApplication, *events: str) -> list[str]:
    """Send lifespan events, and return the application's replies."""
    waiting, reported = iter(events), []

    async def receive() -> dict[str, str]:
        return {"type": f"lifespan.{next(waiting)}"}

    async def send(message: Any) -> None:
        reported.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    return reported


def test_starting_and_stopping_call_back_in_order() -> None:
    log: list[str] = []

    def note(text: str) -> Callable[[], Awaitable[None]]:
        async def callback() -> None:
            log.append(text)

        return callback

    app = HttpApplication(Router(), on_startup=[note("a"), note("b")], on_shutdown=[note("c")])
    assert asyncio.run(live(app, "startup", "shutdown")) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert log == ["a", "b", "c"]


def test_a_failed_start_is_reported() -> None:
    async def fail() -> None:
        raise RuntimeError("no database")

    assert asyncio.run(live(HttpApplication(Router(), on_startup=[fail]), "startup")) == ["lifespan.startup.failed"]


def test_stopping_waits_for_running_requests() -> None:
    log: list[str] = []

    async def work(request: Request) -> Response:
        await asyncio.sleep(0.05)
        log.append("worked")
        return Response(200)

    async def closed() -> None:
        log.append("closed")

    async def scenario() -> int:
        router = Router()
        router.add("POST", "/here", work)
        app = HttpApplication(router, on_shutdown=[closed])
        request = asyncio.create_task(call(app, "POST", "/here"))
        await asyncio.sleep(0)
        await live(app, "startup", "shutdown")
        return (await request).status

    assert asyncio.run(scenario()) == 200
    assert log == ["worked", "closed"]


def test_running_requests_keep_their_dispatcher() -> None:
    """Later requests use the new one; the old one is drained when its last request is complete."""

    def saying(text: bytes, going: asyncio.Event) -> Router:
        async def handler(request: Request) -> Response:
            await going.wait()
            return Response(200, text)

        router = Router()
        router.add("GET", "/here", handler)
        return router

    async def scenario() -> None:
        late, now = asyncio.Event(), asyncio.Event()
        now.set()
        app = HttpApplication(saying(b"old", late))
        request = asyncio.create_task(call(app, "GET", "/here"))
        await asyncio.sleep(0)
        before = app.replace(saying(b"new", now), HttpOptions())
        drained = asyncio.create_task(app.drain(before))
        assert (await call(app, "GET", "/here")).body == b"new"
        assert not drained.done()
        late.set()
        assert (await request).body == b"old"
        await drained
        await app.drain(before)  # returns immediately without requests

    asyncio.run(scenario())


def test_a_read_of_former_tables_is_repeated_once_with_the_new_definitions() -> None:
    """Also if the change is not complete yet. Writes are not repeated: project code may have had other effects."""

    def routes(*found: Exception | None) -> Router:
        errors = iter(found)

        async def handler(request: Request) -> Response:
            body = await request.body()
            request.is_read = body == b"query"
            if await asyncio.sleep(0, next(errors)):
                raise TablesChanged("column is gone")
            return Response(200, b"new: " + body)

        router = Router()
        for method in ("GET", "POST"):
            router.add(method, "/here", handler)
        return router

    async def ask(method: str, body: bytes, *after: Exception | None) -> tuple[int, bytes]:
        app = HttpApplication(routes(TablesChanged()))
        request = asyncio.create_task(call(app, method, "/here", [("content-length", str(len(body)))], [body]))
        await asyncio.sleep(0)
        if after:
            async with app.held():
                app.replace(routes(*after), HttpOptions())
        answer = await request
        assert app.running() == 0
        return answer.status, answer.body if answer.status == 200 else b""

    async def scenario() -> None:
        assert await ask("GET", b"", None) == (200, b"new: ")
        assert await ask("POST", b"query", None) == (200, b"new: query")
        assert await ask("POST", b"write", None) == (503, b"")
        assert await ask("GET", b"", TablesChanged(), None) == (503, b"")
        assert await ask("GET", b"") == (503, b"")

    asyncio.run(scenario())


def test_a_read_that_waits_for_a_change_is_still_running() -> None:
    """A stop completes it, and `drain` waits for it; the change does not."""

    async def scenario() -> int:
        failing = app_with(answer_outdated, "GET")
        request = asyncio.create_task(call(failing, "GET", "/here"))
        await asyncio.sleep(0)
        async with failing.held():
            assert failing.running() == 1
            drained = asyncio.create_task(failing.drain())
            await asyncio.sleep(0)
            assert not drained.done()
            failing.cut_running()
            status = (await request).status
            await drained
        return status

    assert asyncio.run(scenario()) == 503


async def answer_outdated(request: Request) -> Response:
    await asyncio.sleep(0)
    raise TablesChanged("column is gone")


def test_a_get_whose_operation_writes_is_not_repeated() -> None:
    writing = [row.path for row in PLUGIN_OPERATIONS if row.method == "GET" and not row.only_reads]
    request = request_of("GET")
    assert request.can_repeat
    request.operation = PROVIDERS[0]
    assert not request.can_repeat
    assert "/auth/email-confirmation" in writing
    assert len(writing) == 4


def test_a_change_outside_of_requests_waits_for_all_of_them() -> None:
    async def scenario() -> None:
        free = asyncio.Event()

        async def wait(request: Request) -> Response:
            await free.wait()
            return Response(200)

        app = app_with(wait)
        request = asyncio.create_task(call(app, "POST", "/here"))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.02, free.set)
        async with app.held():
            assert app.running() == 0
        assert (await request).status == 200

    asyncio.run(scenario())


def test_stopping_has_a_time_limit() -> None:
    async def scenario() -> list[str]:
        async def work(request: Request) -> Response:
            await asyncio.sleep(10)
            return Response(200)

        app = app_with(work, options=HttpOptions(shutdown_seconds=0.01))
        request = asyncio.create_task(call(app, "POST", "/here"))
        await asyncio.sleep(0)
        reported = await live(app, "startup", "shutdown")
        request.cancel()
        return reported

    assert asyncio.run(scenario())[-1] == "lifespan.shutdown.complete"


def test_web_sockets_are_closed() -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(blog()({"type": "websocket"}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1000}]


async def refuse(request: Request) -> Response:
    raise ForbiddenError


@pytest.mark.parametrize(
    "announced, read", [([("Transfer-Encoding", "chunked")], 4), ([("Content-Length", "9")], 4), ([], 0)]
)
def test_refused_bodies_are_still_received(announced: list[Header], read: int) -> None:
    """Otherwise the connection would close before the client could read the response."""
    taken: list[dict[str, Any]] = []
    give = receiver([b"123", b"456", b"789", b""])

    async def receive() -> dict[str, Any]:
        taken.append(await give())
        return taken[-1]

    async def send(message: Any) -> None:
        assert taken == []

    asyncio.run(app_with(refuse)(scope_of("POST", "/here", announced), receive, send))
    assert len(taken) == read


def test_large_refused_bodies_are_not_received() -> None:
    taken: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        taken.append({"type": "http.request", "body": b"x" * 100, "more_body": True})
        return taken[-1]

    async def send(message: Any) -> None:
        pass

    scope = scope_of("POST", "/here", [("Transfer-Encoding", "chunked")])
    asyncio.run(app_with(refuse, options=HttpOptions(drain_bytes=1000))(scope, receive, send))
    assert len(taken) == 10
