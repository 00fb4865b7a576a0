"""Routes and controllers of a project over REST: overridden core actions, custom routes, permissions."""

from collections.abc import AsyncIterator

import pytest

from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

FILES = {
    "config/api.toml": """
        [compat]
        emptyAnswers = "noContent"
    """,
    "api/book/controllers/book.py": """
        from octavo import Controller, NotFoundError, Request, Response

        class BookController(Controller):
            async def find(self, request: Request):
                request.query.setdefault("populate", ["author"])
                return await super().find(request)

            async def find_one(self, request):
                answer = await super().find_one(request)
                answer["meta"]["shelf"] = 3
                return answer

            async def create(self, request):
                data = (await request.json())["data"]
                data["title"] = data["title"].upper()
                return await super().create(request)

            async def first(self, request):
                found = await self.entries.find_first(sort="id", fields=["title"])
                return {"title": found["title"], "by": request.params["word"], "asked": request.query}

            async def gone(self, request):
                return None

            def words(self, request):
                return Response.text("plain", status=202, headers={"X-Words": "few"})

            async def fail(self, request):
                return {}["missing"]

            async def refuse(self, request):
                raise NotFoundError("No such book")
    """,
    "api/book/routes/book.py": """
        from octavo import CoreRouter

        router = CoreRouter(except_=["delete"], config={"find_one": {"auth": False}})
    """,
    "api/book/routes/more.py": """
        from octavo import Route

        def inline(request):
            return [request.method, request.path]

        routes = [
            Route("GET", "/books/first/:word", "book.first", auth=False),
            Route("GET", "/books/gone", "api::book.book.gone", auth=False),
            {"method": "GET", "path": "/books/words", "handler": "book.words", "config": {"auth": False}},
            Route("GET", "/books/fail", "book.fail", auth=False),
            Route("GET", "/books/refuse", "book.refuse", auth=False),
            Route("GET", "/books/closed", "book.gone"),
            Route("GET", "/books/scoped", "book.gone", auth=["api::book.book.find"]),
            Route("GET", "/shelf", "book.find"),
            Route("PATCH", "/inline", inline, auth=False),
            Route("GET", "/inline", inline),
        ]
    """,
    "api/author/routes/author.py": """
        from octavo import CoreRouter

        router = CoreRouter(only=["find"], prefix="/people", config={"find": {"auth": False}})
    """,
}


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("shop"), FILES) as opened:
        yield opened


async def test_a_default_populate_uses_the_prepared_statement(shop: Shop) -> None:
    shown = await shop.get("/api/books?sort=id&pagination[pageSize]=2")
    assert [set(item["attributes"]) >= {"title", "author"} for item in shown.json["data"]] == [True, True]
    assert await shop.statements("/api/books?sort=id&pagination[pageSize]=2&pagination[withCount]=false") == 1
    named = await shop.get("/api/books?sort=id&populate[genres][fields][0]=id")
    assert "author" not in named.json["data"][0]["attributes"]


async def test_clients_cannot_forge_a_changed_query(shop: Shop) -> None:
    await shop.get("/api/books")
    forged = await shop.get("/api/shelf?%7B%22populate%22:[%22genres%22]%7D")
    assert "author" in forged.json["data"][0]["attributes"]


async def test_an_answer_may_be_changed(shop: Shop) -> None:
    [first] = (await shop.get("/api/books?sort=id&pagination[pageSize]=1")).json["data"]
    shown = await shop.get(f"/api/books/{first['id']}")
    assert shown.json["meta"] == {"shelf": 3}
    assert shown.json["data"]["id"] == first["id"]


async def test_a_body_may_be_changed(shop: Shop) -> None:
    made = await shop.ask("POST", "/api/books", {"data": {"title": "small"}}, full=True)
    assert (made.status, made.json["data"]["attributes"]["title"]) == (200, "SMALL")


async def test_custom_routes(shop: Shop) -> None:
    first = await shop.get("/api/books/first/here?a[b]=1")
    assert first.json["by"] == "here"
    assert first.json["asked"] == {"a": {"b": "1"}}
    assert (await shop.get("/api/books/gone")).status == 204
    words = await shop.get("/api/books/words")
    assert (words.status, words.body, words.headers["x-words"]) == (202, b"plain", "few")
    assert (await shop.ask("PATCH", "/api/inline")).json == ["PATCH", "/api/inline"]
    assert (await shop.get("/api/shelf")).json["meta"]["pagination"]["page"] == 1


async def test_errors_of_code(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    refused = await shop.get("/api/books/refuse")
    assert (refused.status, refused.json["error"]["message"]) == (404, "No such book")
    failed = await shop.get("/api/books/fail")
    assert failed.json == {
        "data": None,
        "error": {"status": 500, "name": "InternalServerError", "message": "Internal Server Error"},
    }
    [record] = [item for item in caplog.records if item.name == "octavo.code"]
    said = record.getMessage()
    assert failed.headers["x-request-id"] in said
    assert "src/api/book/controllers/book.py:" in said
    assert "fail: KeyError: 'missing'" in said


async def test_permissions_of_routes(shop: Shop) -> None:
    assert (await shop.get("/api/books/closed")).status == 403
    assert (await shop.ask("GET", "/api/books/closed", full=True)).status == 204
    assert (await shop.get("/api/books/scoped")).status == 204  # the public has the permission `find`
    assert (await shop.get("/api/inline")).status == 401
    assert (await shop.ask("GET", "/api/inline", full=True)).status == 200


async def test_a_core_router_selects_routes(shop: Shop) -> None:
    routes = {(route.method, route.template) for route in shop.octavo.site.router.routes()}
    assert {("GET", "/api/people/authors"), ("GET", "/api/books")} <= routes
    assert routes.isdisjoint({("DELETE", "/api/books/:id"), ("GET", "/api/authors"), ("POST", "/api/people/authors")})
    assert (await shop.get("/api/people/authors")).status == 200


async def test_own_actions_can_be_granted(shop: Shop) -> None:
    tree = (await shop.ask("GET", "/api/users-permissions/permissions", full=True)).json["permissions"]
    assert {"find", "createLocalization", "first", "gone"} <= set(tree["api::book"]["controllers"]["book"])
