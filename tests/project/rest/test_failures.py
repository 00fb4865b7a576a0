"""Whatever a project's code raises or returns, the response is the JSON envelope, and the log contains the location."""

import logging
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from octavo.events.after_commit import hooks_topic
from octavo.events.outbox_worker import OutboxWorker
from tests.api.http.asgi import Answer
from tests.project.rest.shop import Shop, open_shop
from tests.project.rest.test_problems import problems

pytestmark = pytest.mark.anyio

ENVELOPE = {"data": None, "error": {"status": 500, "name": "InternalServerError", "message": "Internal Server Error"}}
RAISED = ("SystemExit", "KeyboardInterrupt", "CancelledError", "ZeroDivisionError", "TimeoutError")
FILES = {
    "shared.py": """
        import asyncio
        from asyncio import CancelledError

        def fail(name):
            raise {**vars(__import__("builtins")), "CancelledError": CancelledError}[name]("enough")

        def header(request):
            return request.header("x-raise")
    """,
    "policies/failing.py": """
        from ..shared import fail, header
        def policy(context):
            return fail(header(context.request))
    """,
    "middlewares/failing.py": """
        from ..shared import fail, header
        async def middleware(request, next, config):
            fail(header(request))
    """,
    "api/genre/content-types/genre/lifecycles.py": """
        from decimal import Decimal

        class Odd: ...

        def before_create(event):
            name = event.params.data["name"]
            event.state.price = Decimal("1.50")
            event.state.tags = {"a"}
            event.state.text = "x" * 5_000_000 if name == "large" else "small"
            event.state.odd = Odd()
            event.state.number = 2**70
            event.state.raw = b"\\x00\\xff"
            if name.startswith("raise "):
                from .....shared import fail
                fail(name.removeprefix("raise "))

        seen = []

        async def after_commit_create(event):
            seen.append(dict(event.state))
    """,
    "api/book/controllers/book.py": """
        from octavo import Controller, Response
        from ....shared import fail, header

        class BookController(Controller):
            async def raises(self, request):
                fail(header(request))

            async def titled(self, request):
                data = (await request.json())["data"]
                data["title"] = data["title"].strip()
                return {"title": data["title"], "tags": data["tags"]["all"]}

            async def popped(self, request):
                return (await request.json()).pop("data")

            async def data(self, request):
                return (await request.data())["title"]
    """,
    "api/book/routes/own.py": """
        import asyncio, dataclasses, datetime, decimal, enum, threading, uuid
        from octavo import EntryPage, Response, Route
        from ....shared import fail, header

        class Odd: ...

        class Kind(enum.Enum):
            A = "a"

        @dataclasses.dataclass
        class Point:
            x: int

        def pieces(name=None):
            yield "one "
            if name:
                fail(name)
            yield b"two"

        def failing(name):
            fail(name)
            yield "never"

        async def later(name=None):
            for piece in pieces(name):
                yield piece

        async def coroutine():
            return 1

        VALUES = {
            "set": lambda: {1},
            "object": Odd,
            "generator": pieces,
            "async generator": later,
            "nested": lambda: {"items": [{"tags": {1}}]},
            "bytes": lambda: {"raw": b"x"},
            "range": lambda: range(3),
            "coroutine": lambda: {"later": coroutine()},
            "key": lambda: {(1, 2): 3},
            "json": lambda: Response.json([Odd()]),
            "page": lambda: EntryPage([Odd()], 1),
        }
        GOOD = {
            "a": (1, 2), "b": datetime.date(2024, 1, 2), "c": decimal.Decimal("1.50"), "d": Kind.A, "e": Point(1),
            "f": uuid.UUID(int=1), 5: 2**70, "g": "\\ud800", "h": [Kind.A, Point(2), decimal.Decimal("2")], None: 1,
        }
        STREAMS = {
            "plain": lambda name: Response.stream(pieces()),
            "list": lambda name: Response.stream(["one ", b"two"]),
            "async": lambda name: Response.stream(later()),
            "failing": lambda name: Response.stream(failing(name)),
            "failing async": lambda name: Response.stream(piece async for piece in later(fail(name))),
            "failing late": lambda name: Response.stream(pieces(name)),
            "failing late async": lambda name: Response.stream(later(name)),
            "text": lambda name: Response.stream("text"),
            "number": lambda name: Response.stream(7),
            "numbers": lambda name: Response.stream([1, 2]),
            "function": lambda name: Response.stream(pieces),
            "empty": lambda name: Response.stream([]),
        }

        def value(request):
            return GOOD if request.query["of"] == "good" else VALUES[request.query["of"]]()

        def stream(request):
            return STREAMS[request.query["of"]](header(request))

        routes = [
            Route("GET", "/raises", "book.raises", auth=False),
            Route("GET", "/policy", "book.raises", auth=False, policies=["failing"]),
            Route("GET", "/middleware", "book.raises", auth=False, middlewares=["failing"]),
            Route("POST", "/titled", "book.titled", auth=False),
            Route("POST", "/popped", "book.popped", auth=False),
            Route("POST", "/data", "book.data", auth=False),
            Route("GET", "/value", value, auth=False),
            Route("GET", "/stream", stream, auth=False),
        ]
    """,
    "index.py": """
        from .shared import fail
        def resolve(parent, args):
            return fail(args["name"])
        async def late(parent, args):
            return fail(args["name"])
        def register(app):
            app.plugin("graphql").service("extension").use({
                "type_defs": "type Query { fails(name: String): String  late(name: String): String }",
                "resolvers": {"Query": {"fails": {"resolve": resolve}, "late": {"resolve": late}}},
                "resolvers_config": {"Query.fails": {"auth": False}, "Query.late": {"auth": False}},
            })
    """,
}


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("failures"), FILES) as shop:
        yield shop


def failed(answer: Answer, caplog: pytest.LogCaptureFixture, *words: str) -> None:
    assert (answer.status, answer.json) == (500, ENVELOPE)
    assert "application/json" in answer.headers["content-type"]
    logged = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(logged) == 1, logged
    for word in words:
        assert word in logged[0]


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("path", ["raises", "policy", "middleware"])
async def test_whatever_code_of_a_route_raises(
    shop: Shop, path: str, raised: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await shop.ask("GET", f"/api/{path}", x_raise=raised)
    failed(answer, caplog, "src/shared.py:6 fail", raised)


@pytest.mark.parametrize("raised", RAISED)
async def test_whatever_a_hook_raises(shop: Shop, raised: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = await shop.ask("POST", "/api/genres", {"data": {"name": f"raise {raised}"}}, full=True)
    failed(answer, caplog, "src/shared.py:6 fail", raised, "before_create")
    found = await shop.ask("GET", f"/api/genres?filters[name]=raise {raised}", full=True)
    assert found.json["data"] == []


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("field", ["fails", "late"])
async def test_whatever_a_resolver_raises(
    shop: Shop, field: str, raised: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await shop.ask("POST", "/graphql", {"query": f'{{ {field}(name: "{raised}") }}'})
    assert (answer.status, answer.json["data"][field]) == (200, None)
    assert [error["message"] for error in answer.json["errors"]] == ["Internal Server Error"]
    assert "src/shared.py:6 fail" in caplog.text
    assert raised in caplog.text


@pytest.mark.parametrize(
    "of, says",
    [
        ("set", "the returned value: JSON cannot contain set. Allowed types: dict, list"),
        ("object", "JSON cannot contain Odd"),
        ("generator", "JSON cannot contain generator"),
        ("generator", "return Response.stream(...)"),
        ("async generator", "JSON cannot contain async_generator"),
        ("nested", "items[0].tags: JSON cannot contain set"),
        ("bytes", "raw: JSON cannot contain bytes"),
        ("range", "JSON cannot contain range"),
        ("coroutine", "later: JSON cannot contain coroutine"),
        ("coroutine", "use await"),
        ("key", "JSON cannot contain tuple"),
        ("json", "[0]: JSON cannot contain Odd"),
        ("page", "results[0]: JSON cannot contain Odd"),
    ],
)
async def test_values_that_json_cannot_hold(shop: Shop, of: str, says: str, caplog: pytest.LogCaptureFixture) -> None:
    failed(await shop.ask("GET", f"/api/value?of={of}"), caplog, "src/api/book/routes/own.py", says)


async def test_values_that_json_can_hold(shop: Shop) -> None:
    answer = await shop.ask("GET", "/api/value?of=good")
    assert answer.json == {
        "a": [1, 2], "b": "2024-01-02", "c": "1.50", "d": "a", "e": {"x": 1},
        "f": "00000000-0000-0000-0000-000000000001",
        "5": 2**70, "g": "?", "h": ["a", {"x": 2}, "2"], "null": 1,
    }  # fmt: skip


@pytest.mark.parametrize("of", ["plain", "list", "async"])
async def test_streams(shop: Shop, of: str) -> None:
    answer = await shop.ask("GET", f"/api/stream?of={of}")
    assert (answer.status, answer.body) == (200, b"one two")
    assert (await shop.ask("HEAD", f"/api/stream?of={of}")).body == b""


async def test_an_empty_stream(shop: Shop) -> None:
    answer = await shop.ask("GET", "/api/stream?of=empty")
    assert (answer.status, answer.body) == (200, b"")


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("of", ["failing", "failing async"])
async def test_streams_that_fail_at_once(shop: Shop, of: str, raised: str, caplog: pytest.LogCaptureFixture) -> None:
    failed(await shop.ask("GET", f"/api/stream?of={of}", x_raise=raised), caplog, "src/shared.py:6 fail", raised)


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("of", ["failing late", "failing late async"])
async def test_streams_that_fail_late_break_the_connection(
    shop: Shop, of: str, raised: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Exception, match="Internal Server Error"):
        await shop.ask("GET", f"/api/stream?of={of}", x_raise=raised)
    assert "src/shared.py:6 fail" in caplog.text
    assert raised in caplog.text


@pytest.mark.parametrize("of", ["text", "number", "numbers", "function"])
async def test_streams_of_invalid_values(shop: Shop, of: str, caplog: pytest.LogCaptureFixture) -> None:
    failed(await shop.ask("GET", f"/api/stream?of={of}"), caplog, "Response.stream: expected")


@pytest.mark.parametrize(
    "path, body, where",
    [
        ("titled", {}, ["data"]),
        ("titled", None, ["data"]),
        ("titled", [], []),
        ("titled", {"data": {}}, ["data", "title"]),
        ("titled", {"data": []}, ["data"]),
        ("titled", {"data": {"title": "x"}}, ["data", "tags"]),
        ("titled", {"data": {"title": "x", "tags": {}}}, ["data", "tags", "all"]),
        ("popped", {}, ["data"]),
        ("data", {}, ["data"]),
        ("data", [], ["data"]),
        ("data", {"data": None}, ["data"]),
        ("data", {"data": "text"}, ["data"]),
        ("data", {"data": []}, ["data"]),
        ("data", {"data": {}}, ["data", "title"]),
    ],
)
async def test_bodies_without_fields_that_code_reads(shop: Shop, path: str, body: Any, where: list[str]) -> None:
    answer = await shop.ask("POST", f"/api/{path}", body)
    assert (answer.status, answer.json["error"]["name"]) == (400, "ValidationError")
    assert [error["path"] for error in answer.json["error"]["details"]["errors"]] == [where]


async def test_a_text_as_body(shop: Shop) -> None:
    assert (await shop.ask("POST", "/api/titled", None, content_type="text/plain")).status == 400


GENERATORS = {
    "index.py": "def register(app):\n    yield\n",
    "cron.py": "async def task():\n    yield\n\ntasks = {'0 0 * * *': task}\n",
    "policies/own.py": "def policy(context):\n    yield True\n",
    "middlewares/own.py": "async def middleware(request, next, config):\n    yield await next()\n",
    "api/book/routes/own.py": """
        from octavo import Route
        def answer(request):
            yield 1
        routes = [Route("GET", "/own", answer)]
    """,
    "api/book/controllers/book.py": """
        from octavo import Controller
        class BookController(Controller):
            async def find(self, request):
                yield 1
    """,
    "api/book/content-types/book/lifecycles.py": "def before_create(event):\n    yield\n",
}


@pytest.mark.parametrize("file", GENERATORS)
async def test_functions_that_are_generators_stop_the_start(file: str, tmp_path: Path) -> None:
    [found] = problems(tmp_path, {file: GENERATORS[file]})
    assert f"src/{file}" in found
    assert "is a generator" in found


@pytest.mark.parametrize("name", ["small", "large"])
async def test_state_of_any_kind_does_not_stop_a_write(shop: Shop, name: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = await shop.ask("POST", "/api/genres", {"data": {"name": name}}, full=True)
    assert (answer.status, answer.json["data"]["attributes"]["name"]) == (200, name)
    text = {} if name == "large" else {"text": "small"}
    [hook] = shop.octavo.site.hooks.of("api::genre.genre").of("after_commit_create")  # type: ignore[union-attr]
    seen: list[Any] = hook.function.call.__globals__["seen"]
    seen.clear()
    await OutboxWorker(
        shop.database, shop.octavo.infrastructure.outbox, {"hooks": hooks_topic(shop.octavo.site.hooks)}
    ).drain()
    assert seen == [{"price": Decimal("1.50"), "tags": {"a"}, "number": 2**70, "raw": b"\x00\xff", **text}]
    lost = ["odd", *(["text"] if name == "large" else [])]
    reported = [record.getMessage() for record in caplog.records if "is lost after the commit" in record.msg]
    assert sorted(line.partition("event.state.")[2].partition(" ")[0] for line in reported) == sorted(lost)
    assert all("src/api/genre/content-types/genre/lifecycles.py" in line for line in reported)
