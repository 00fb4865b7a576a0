"""Services of a project, custom ones and those that core actions call, and the controllers' validation, sanitization
and transformation.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.project.rest.shop import Shop, open_shop
from tests.project.rest.test_problems import problems

pytestmark = pytest.mark.anyio

FILES = {
    "api/genre/services/genre.py": """
        from octavo import EntryPage, Service

        class GenreService(Service):
            asked = []

            async def find(self, query=None):
                self.asked.append(query)
                found = await super().find(query)
                for genre in found.entries:
                    genre["shelf"] = f"G{genre['id']}"
                return found

            async def find_one(self, entry_id, query=None):
                return await super().find_one(entry_id, query) if entry_id < 1000 else {"id": entry_id, "name": "far"}

            async def create(self, data, query=None):
                return await super().create({**data, "name": f"new {data['name']}"}, query)

            async def delete(self, entry_id, query=None):
                return None

            def slow(self):
                return [self.uid, self.asked]
    """,
    "api/genre/services/helper.py": """
        from octavo import Service

        class Helper(Service):
            async def names(self):
                found = await self.app.service("api::genre.genre").find({"sort": "id", "fields": ["name"]})
                return [genre["name"] for genre in found.entries]
    """,
    "api/book/controllers/book.py": """
        from octavo import Controller, EntryPage

        class BookController(Controller):
            async def names(self, request):
                return {"names": await self.app.service("api::genre.helper").names()}

            async def whole(self, request):
                await self.validate_query(request)
                found = await self.entries.find_one(int(request.params["id"]), populate=request.query["populate"])
                found["own"] = 1
                return await self.entry(found, request)

            async def none(self, request):
                return await self.entry(None, request)

            async def several(self, request):
                return await self.page(await self.entries.find_many(sort="id", limit=2, fields=["title"]), request)

            async def count(self, request):
                return [self.service.uid, await self.service.count()]

            async def clean(self, request):
                return await self.sanitize_query(request)

            async def paged(self, request):
                return await self.app.service("api::genre.genre").find({"pagination": {"pageSize": "2"}})

            async def empty(self, request):
                return EntryPage([], 0, page_size=0)

            async def other(self, request):
                return await self.controller("api::genre.genre").find(request)

            async def nobody(self, request):
                return await self.controller("api::gener.genre").find(request)

            async def nothing(self, request):
                return None

            async def formless(self, request):
                return {"none": self.transform_response(None), "may": request.actor.may("api::book.book.find")}

            async def write(self, request):
                return await self.sanitize_input(await request.json(), request)
    """,
    "api/book/routes/book.py": """
        from octavo import Route

        names = ["names", "none", "several", "count", "clean", "paged", "other", "nobody", "nothing", "formless"]
        names.append("empty")
        routes = [Route("GET", f"/{name}", f"book.{name}", auth=["api::book.book.find"]) for name in names]
        routes.append(Route("GET", "/whole/:id", "book.whole", auth=["api::book.book.find"]))
        routes.append(Route("POST", "/write", "book.write", auth=["api::book.book.find"]))
    """,
}


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("shop"), FILES) as opened:
        yield opened


async def test_a_core_action_calls_the_service_of_the_project(shop: Shop) -> None:
    found = await shop.get("/api/genres?sort=id&pagination[pageSize]=2&fields[0]=name")
    assert found.status == 200, found.body
    assert [item["attributes"]["shelf"] for item in found.json["data"]] == ["G1", "G2"]
    assert found.json["meta"]["pagination"]["pageSize"] == 2
    assert found.json["meta"]["pagination"]["total"] > 2
    by_offset = await shop.get("/api/genres?pagination[start]=1&pagination[limit]=1")
    assert set(by_offset.json["meta"]["pagination"]) == {"start", "limit", "total"}
    far = await shop.get("/api/genres/2000")
    assert far.json == {"data": {"id": 2000, "attributes": {"name": "far"}, "meta": {}}, "meta": {}}
    assert (await shop.get("/api/genres/999")).status == 404
    assert (await shop.get("/api/genres?filters[secret]=1")).status == 400
    made = await shop.ask("POST", "/api/genres", {"data": {"name": "one"}}, full=True)
    assert made.json["data"]["attributes"]["name"] == "new one"
    assert (await shop.ask("DELETE", "/api/genres/1", full=True)).status == 404
    assert (await shop.ask("DELETE", "/api/genres/1")).status == 403
    changed = await shop.ask("PUT", "/api/genres/1", {"data": {"name": "as ever"}}, full=True)
    assert changed.json["data"]["attributes"]["name"] == "as ever"


async def test_services_take_values_of_python(shop: Shop) -> None:
    books = shop.octavo.site.extending.app.service("api::book.book")
    made = await books.create({"title": "dated", "publishedAt": datetime(2020, 5, 1, tzinfo=UTC)})
    assert made["publishedAt"] == "2020-05-01T00:00:00.000Z"
    changed = await books.update(made.id, {"publishedAt": datetime(2021, 5, 1, tzinfo=UTC)})
    assert changed["publishedAt"] == "2021-05-01T00:00:00.000Z"


async def test_services_by_name(shop: Shop) -> None:
    assert len((await shop.get("/api/names")).json["names"]) > 1
    uid, count = (await shop.get("/api/count")).json
    assert (uid, count > 3) == ("api::book.book", True)


async def test_a_page_has_the_format_of_v4(shop: Shop) -> None:
    found = (await shop.get("/api/paged")).json
    assert set(found) == {"results", "pagination"}
    assert {**found["pagination"], "total": 0, "pageCount": 0} == {"page": 1, "pageSize": 2, "pageCount": 0, "total": 0}


async def test_a_page_of_size_zero_has_no_pages(shop: Shop) -> None:
    empty = await shop.get("/api/empty")
    assert empty.json == {"results": [], "pagination": {"page": 1, "pageSize": 0, "pageCount": 0, "total": 0}}


async def test_none_is_transformed_to_none(shop: Shop) -> None:
    assert (await shop.get("/api/formless")).json == {"none": None, "may": True}


async def test_another_controller(shop: Shop) -> None:
    """A controller without a class in the project has the core actions."""
    assert (await shop.get("/api/other?sort=id")).json == (await shop.get("/api/genres?sort=id")).json
    assert (await shop.get("/api/nobody")).status == 500


async def test_none_is_a_404_as_in_v4(shop: Shop) -> None:
    assert (await shop.get("/api/nothing")).status == 404


FRONT = {
    "api/front-page/services/front-page.py": """
        from octavo import Service

        class FrontPageService(Service):
            async def create_or_update(self, data):
                return await super().create_or_update({**data, "headline": data["headline"].upper()})

            async def delete(self, query=None):
                return {**await super().delete(query), "gone": True}
    """,
    "api/book/services/book.py": """
        from octavo import Service

        class BookService(Service):
            async def find_one(self, entry_id):
                return {"id": entry_id, "title": "few arguments"}

            async def find(self, *given):
                return [{"id": len(given)}]
    """,
    "api/book/controllers/book.py": """
        from octavo import Controller

        class BookController(Controller):
            async def nothing(self, request):
                return None
    """,
    "api/book/routes/book.py": """
        from octavo import Route

        routes = [Route("GET", "/nothing", "book.nothing", auth=False)]
    """,
    "config/api.toml": """
        [compat]
        emptyAnswers = "noContent"
    """,
}


@pytest.fixture(scope="module")
async def front(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("front"), FRONT) as opened:
        yield opened


async def test_the_service_of_a_single_type(front: Shop) -> None:
    data = {"headline": "hello", "publishedAt": "2024-01-01"}
    changed = await front.ask("PUT", "/api/front-page", {"data": data}, full=True)
    assert changed.json["data"]["attributes"]["headline"] == "HELLO", changed.body
    gone = await front.ask("DELETE", "/api/front-page", full=True)
    assert gone.json["data"]["attributes"]["gone"] is True
    made = await front.ask("PUT", "/api/front-page", {"data": {"headline": "again"}}, full=True)
    assert made.json["error"]["message"] == "singleType.alreadyExists"  # its localizations are included


async def test_a_service_gets_only_the_arguments_that_it_accepts(front: Shop) -> None:
    found = await front.get("/api/books/7?fields[0]=title")
    assert found.json["data"] == {"id": 7, "attributes": {"title": "few arguments"}, "meta": {"availableLocales": []}}
    assert (await front.get("/api/books?sort=id")).json["data"] == [
        {"id": 1, "attributes": {}, "meta": {"availableLocales": []}}
    ]


async def test_none_is_a_204_if_set(front: Shop) -> None:
    assert (await front.get("/api/nothing")).status == 204


@pytest.mark.parametrize("populate", ["populate=*", "populate[author][populate]=*&populate[similar][populate]=*"])
async def test_an_entry_loaded_by_code_has_the_usual_response(shop: Shop, populate: str) -> None:
    for book in range(1, 8):
        by_code = (await shop.get(f"/api/whole/{book}?{populate}")).json
        assert by_code["data"]["attributes"].pop("own") == 1
        core = (await shop.get(f"/api/books/{book}?{populate}")).json
        assert by_code == core


async def test_lists_and_nothing(shop: Shop) -> None:
    listed = (await shop.get("/api/several")).json
    assert [set(item) for item in listed["data"]] == [{"id", "attributes", "meta"}] * 2
    assert (await shop.get("/api/none")).status == 404


async def test_a_query_is_sanitized(shop: Shop) -> None:
    query = (
        "filters[$or][0][title]=a&filters[$or][1][nothing]=b&filters[createdBy][id]=1&sort[0]=title&sort[1]=nothing"
        "&fields[0]=title&fields[1]=nothing&populate[author][fields][0]=name&populate[vault]=1&populate[genres]=true"
        "&pagination[page]=2"
    )
    assert (await shop.get(f"/api/clean?{query}")).json == {
        "filters": {"$or": [{"title": "a"}]},
        "sort": ["title"],
        "fields": ["title"],
        "populate": {"author": {"fields": ["name"]}, "genres": "true"},
        "pagination": {"page": "2"},
    }
    assert (await shop.get("/api/whole/1?filters[nothing]=1")).status == 400
    assert (await shop.get("/api/clean?sort=title:desc,nothing:asc")).json == {"sort": "title:desc"}
    nothing_left = "filters[nothing]=1&sort[0]=nothing&populate[vault]=1"
    assert (await shop.get(f"/api/clean?{nothing_left}")).json == {"filters": {}, "sort": [], "populate": {}}


async def test_data_is_sanitized(shop: Shop) -> None:
    kept = await shop.ask("POST", "/api/write", {"id": 3, "createdAt": "2020-01-01", "title": "a", "author": 1})
    assert kept.json["title"] == "a"
    assert kept.json.keys().isdisjoint({"id", "createdAt"})


def test_services_that_cannot_be_created(tmp_path: Path) -> None:
    files = {
        "api/book/services/book.py": """\
            from octavo import Service

            class BookService(Service):
                def __init__(self):
                    raise RuntimeError("no shelf")
        """,
        "api/front-page/services/front-page.py": """\
            from octavo import Service

            class FrontPageService(Service):
                async def update(self, entry_id, data, query=None):
                    return None
        """,
    }
    assert problems(tmp_path, files) == [
        "src/api/book/services/book.py:5 __init__: RuntimeError: no shelf",
        "src/api/front-page/services/front-page.py: the core actions of a single type call find, create_or_update, "
        "delete of its service, not update",
    ]


PASSING = {
    "api/book/services/book.py": """
        from octavo import Service

        class BookService(Service):
            async def find(self, query=None):
                return await super().find(query)

            async def find_one(self, entry_id, query=None):
                return await super().find_one(entry_id, query)

            async def create(self, data, query=None):
                return await super().create(data, query)

            async def update(self, entry_id, data, query=None):
                return await super().update(entry_id, data, query)

            async def delete(self, entry_id, query=None):
                return await super().delete(entry_id, query)
    """,
}


async def test_entries_that_go_through_a_service_are_those_of_the_core_actions(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("passing")
    async with open_shop(folder / "with", PASSING) as passing, open_shop(folder / "without", {}) as shop:
        for query in (
            "/api/books?sort=id&pagination[pageSize]=50",
            "/api/books?sort=id&pagination[pageSize]=50&publicationState=preview&locale=all&fields[0]=title",
            "/api/books?sort=id&populate=localizations",
            "/api/books/1",
            "/api/books/2?populate=*",
        ):
            by_service, core = await passing.get(query), await shop.get(query)
            assert (core.status, by_service.json) == (200, core.json)
        assert any(
            entry["meta"]["availableLocales"] for entry in (await passing.get("/api/books?sort=id")).json["data"]
        )
        made = await passing.ask("POST", "/api/books", {"data": {"title": "new", "slug": "brand-new"}}, full=True)
        assert made.json["data"]["meta"] == {"availableLocales": []}
        entry = f"/api/books/{made.json['data']['id']}"
        changed = await passing.ask("PUT", entry, {"data": {"title": "newer"}}, full=True)
        assert changed.json["data"]["meta"] == {"availableLocales": []}
        deleted = await passing.ask("DELETE", entry, full=True)
        assert deleted.json["data"]["meta"] == {"availableLocales": []}
