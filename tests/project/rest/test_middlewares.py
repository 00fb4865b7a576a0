"""Policies and middlewares over REST and GraphQL, global middlewares, and their shared state."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.models.bookshop import FULL_TOKEN
from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

FILES = {
    "config/middlewares.toml": """
        use = ["global::outer", {name = "global::inner", config = {word = "set"}}]
    """,
    "middlewares/outer.py": """
        from octavo import Response

        async def middleware(request, next):
            request.state.seen = ["outer"]
            if request.header("x-stop"):
                return Response.json({"stopped": request.path}, status=418)
            if token := request.cookies.get("token"):
                request.set_header("Authorization", f"Bearer {token}")
            answer = await next(request)
            if token:
                answer.delete_cookie("token")
            answer.headers["x-seen"] = " ".join(request.state.seen)
            answer.headers["x-who"] = f"{request.action} {request.actor.kind}"
            return answer
    """,
    "middlewares/inner.py": """
        async def middleware(request, next, config):
            request.state.seen.append(config["word"])
            return await next()
    """,
    "middlewares/fields.py": """
        async def middleware(next, parent, args, context, info):
            context.state.seen.append("field")
            return await next(parent, args, context, info)
    """,
    "policies/reader.py": """
        from octavo import PolicyError

        async def policy(context, config):
            user = await context.user()
            context.state.seen = [*context.state.get("seen", []), context.door]
            if config.get("says"):
                raise PolicyError(config["says"])
            return user is None and "kind" not in context.args and context.args.get("id", "1") == "1"
    """,
    "api/book/policies/few.py": """
        def policy(context):
            return context.actor.kind == "api-token"
    """,
    "api/book/middlewares/count.py": """
        async def middleware(request, next, config):
            request.query["pagination"] = {"pageSize": config["most"]}
            answer = await next(request)
            answer["meta"]["counted"] = len(answer["data"])
            return answer
    """,
    "api/book/controllers/book.py": """
        import asyncio

        from octavo import Controller

        class BookController(Controller):
            async def wait(self, request):
                await asyncio.sleep(60)

            async def say(self, request):
                return request.state.seen

            async def core(self, *given):
                await asyncio.sleep(0)
                return await super().core(*given)
    """,
    "api/book/routes/book.py": """
        from octavo import CoreRouter, Route

        router = CoreRouter(
            config={
                "find": {"policies": ["reader"], "middlewares": [("count", {"most": 3})]},
                "find_one": {"policies": ["global::reader", "few"]},
                "delete": {"auth": False, "policies": [{"name": "reader", "config": {"says": "Not you"}}]},
            }
        )
        routes = [
            Route("GET", "/books/wait", "book.wait", auth=False),
            Route("GET", "/books/say", "book.say", auth=False, policies=["reader", lambda context: True]),
        ]
    """,
    "index.py": """
        import asyncio

        async def slow(parent):
            await asyncio.sleep(60)

        def wrong(parent):
            return {}["missing"]

        def register(app):
            extension = app.plugin("graphql").service("extension")
            config = {"policies": ["global::reader"], "middlewares": ["fields"]}
            extension.use({"resolvers_config": {"Query.books": config}})
            resolvers = {"Query": {"slow": slow, "wrong": wrong}}
            config = {"Query.slow": {"auth": False}, "Query.wrong": {"auth": False}}
            types = "type Query { slow: String, wrong: String }"
            extension.use({"type_defs": types, "resolvers": resolvers, "resolvers_config": config})
    """,
}


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    files = {**FILES, "config/server.toml": "codeTimeout = 1\n"}
    async with open_shop(tmp_path_factory.mktemp("shop"), files) as opened:
        yield opened


async def test_one_policy_for_rest_and_graphql(shop: Shop) -> None:
    assert (await shop.get("/api/books?kind=x")).json["error"]["name"] == "PolicyError"
    over_rest = await shop.get("/api/books")
    assert (over_rest.status, over_rest.headers["x-seen"]) == (200, "outer set rest")
    body = {"query": "{ books(pagination: {limit: 1}) { data { id } } }"}
    over_graphql = await shop.ask("POST", "/graphql", body)
    assert "errors" not in over_graphql.json
    assert over_graphql.headers["x-seen"] == "outer set graphql field"


async def test_policies_run_before_middlewares_and_know_the_path(shop: Shop) -> None:
    first = (await shop.get("/api/books?sort=id")).json["data"][0]["id"]
    assert first == 1
    assert (await shop.get("/api/books/1")).status == 403
    assert (await shop.get("/api/books/1", FULL_TOKEN)).status == 200
    assert (await shop.get("/api/books/2", FULL_TOKEN)).status == 403
    refused = await shop.ask("DELETE", "/api/books/1")
    assert (refused.status, refused.json["error"]["message"]) == (403, "Not you")


async def test_a_middleware_changes_request_and_response(shop: Shop) -> None:
    shown = (await shop.get("/api/books?sort=id")).json
    assert (len(shown["data"]), shown["meta"]["counted"], shown["meta"]["pagination"]["pageSize"]) == (3, 3, 3)


async def test_global_middlewares_wrap_everything(shop: Shop) -> None:
    plain = await shop.ask("GET", "/api/authors", full=True)
    assert plain.headers["x-who"] == "api::author.author.find api-token"
    by_cookie = await shop.ask("GET", "/api/authors", cookie=f"token={FULL_TOKEN}")
    assert by_cookie.headers["x-who"] == "api::author.author.find api-token"
    assert by_cookie.headers["set-cookie"] == "token=; Path=/; Max-Age=0; HttpOnly"
    seen: dict[str, Any] = {path: (await shop.get(path)).headers.get("x-seen") for path in ("/", "/api/authors")}
    assert set(seen.values()) == {"outer set"}
    missing = await shop.get("/api/nothing")
    assert (missing.status, missing.headers.get("x-seen")) == (404, None)
    stopped = await shop.ask("GET", "/api/books", x_stop="1")
    assert (stopped.status, stopped.json) == (418, {"stopped": "/api/books"})
    assert "content-security-policy" in stopped.headers


async def test_each_request_has_its_own_state(shop: Shop) -> None:
    assert (await shop.get("/api/books/say")).json == ["outer", "set", "rest"]
    assert (await shop.get("/api/books/say")).json == ["outer", "set", "rest"]


async def test_code_that_takes_too_long(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    stopped = await shop.get("/api/books/wait")
    assert (stopped.status, stopped.json["error"]["name"]) == (500, "InternalServerError")
    [record] = [item for item in caplog.records if item.name == "octavo.code"]
    assert record.getMessage().endswith("src/api/book/controllers/book.py:8 wait: stopped after 1 s")
    assert stopped.headers["x-request-id"] in record.getMessage()


async def test_code_of_fields_that_fails(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    answer = await shop.ask("POST", "/graphql", {"query": "{ wrong slow }"})
    assert answer.json["data"] == {"wrong": None, "slow": None}
    assert [error["message"] for error in answer.json["errors"]] == ["Internal Server Error"] * 2
    said = sorted(item.getMessage().partition(": ")[2] for item in caplog.records if item.name == "octavo.code")
    assert said == ["src/index.py:5 slow: stopped after 1 s", "src/index.py:8 wrong: KeyError: 'missing'"]


async def test_unknown_names_stop_the_start(tmp_path: Path) -> None:
    from tests.project.rest.test_problems import problems

    files = {
        "config/middlewares.toml": 'use = ["global::fast"]\n',
        "middlewares/slow.py": "async def middleware(request, next): return await next(request)\n",
    }
    said = "unknown name global::fast; did you mean global::slow?"
    assert problems(tmp_path, files) == [f"config/middlewares.toml: use.0: {said}"]


async def test_a_global_middleware_reads_and_changes_request_and_response(tmp_path: Path) -> None:
    looking = """
        async def middleware(request, next):
            assert request.params == {}
            if "title" in request.query:
                request.query = {"filters": {"title": request.query["title"]}}
            if "word" in request.query:
                request.query["query"] = "{ __typename }"
            return await next(request)
    """
    files = {
        "config/middlewares.toml": 'use = ["global::looking"]\n',
        "middlewares/looking.py": looking,
        "api/book/routes/own.py": """
            from octavo import Route

            routes = [Route("GET", "/own/:name", lambda request: [request.params, request.query], auth=False)]
        """,
    }
    async with open_shop(tmp_path, files) as opened:
        assert (await opened.get("/api/own/x?a=1")).json == [{"name": "x"}, {"a": "1"}]
        assert (await opened.get("/api/books/1")).status == 200
        assert (await opened.get("/api/books?title=nobody")).json["data"] == []
        asked = await opened.get("/graphql?query=%7Bbooks%7Bdata%7Bid%7D%7D%7D")
        assert "errors" not in asked.json
        assert (await opened.get("/graphql?word=1")).json == {"data": {"__typename": "Query"}}
