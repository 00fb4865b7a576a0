"""Core actions of plugins that a project wraps or replaces in `src/extensions`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.models.bookshop import FULL_TOKEN
from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

FILES = {
    "extensions/users-permissions/controllers/auth.py": """
        from octavo import Controller, ForbiddenError

        class AuthController(Controller):
            async def callback(self, request):
                body = await request.json()
                if request.params.get("provider") is None and body.get("code") != "sesame":
                    raise ForbiddenError("No code")
                return await super().callback(request)
    """,
    "extensions/users-permissions/controllers/user.py": """
        from octavo import Controller

        class UserController(Controller):
            async def find(self, request):
                request.query["fields"] = ["username"]
                answer = await super().find(request)
                answer.value = {"users": answer.value}
                return answer

            async def count(self, request):
                return {"count": int((await super().count(request)).body)}

            async def hello(self, request):
                return f"hello {request.params['name']}"
    """,
    "extensions/users-permissions/routes/more.py": """
        from octavo import Route

        routes = [
            Route("GET", "/users/hello/:name", "user.hello", auth=False),
            Route("GET", "/people", "user.find", auth=["api::book.book.find"]),
            Route("GET", "/users-permissions/roles", lambda: ["replaced"], auth=False),
        ]
    """,
    "extensions/upload/controllers/content-api.py": """
        from octavo import Controller

        class ContentApi(Controller):
            async def find(self, request):
                answer = await super().find(request)
                return [{"id": file["id"]} for file in answer]
    """,
    "extensions/i18n/controllers/locales.py": """
        from octavo import Controller

        class Locales(Controller):
            async def list_locales(self, request):
                return sorted(locale["code"] for locale in await super().list_locales(request))
    """,
}


@pytest.fixture(scope="module")
async def shop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path_factory.mktemp("shop"), FILES) as opened:
        yield opened


async def test_actions_of_plugins_are_wrapped(shop: Shop) -> None:
    assert (await shop.ask("POST", "/api/auth/local", {"identifier": "ed"}, full=True)).json["error"][
        "message"
    ] == "No code"
    asked = await shop.ask("POST", "/api/auth/local", {"identifier": "ed", "code": "sesame"}, full=True)
    assert (asked.status, asked.json["error"]["name"]) == (400, "ValidationError")
    assert (await shop.get("/api/users", FULL_TOKEN)).json == {"users": [{"id": 1, "username": "ed"}]}
    assert (await shop.get("/api/users/count", FULL_TOKEN)).json == {"count": 1}
    assert (await shop.get("/api/upload/files", FULL_TOKEN)).json[0].keys() == {"id"}
    assert (await shop.get("/api/i18n/locales", FULL_TOKEN)).json == ["de-AT", "en", "fr"]


async def test_permissions_stay_the_same(shop: Shop) -> None:
    for path in ("/api/users", "/api/users/count", "/api/i18n/locales"):
        assert (await shop.get(path)).status == 403


async def test_routes_of_plugins(shop: Shop) -> None:
    assert (await shop.get("/api/users/hello/ann")).json == "hello ann"
    assert (await shop.get("/api/people")).json["users"][0]["username"] == "ed"
    assert (await shop.get("/api/users-permissions/roles")).json == ["replaced"]


async def test_graphql_does_not_bypass_extensions(shop: Shop, tmp_path: Path) -> None:
    query = "{ usersPermissionsUsers { data { id } } i18NLocales { data { id } } }"
    asked = await shop.ask("POST", "/graphql", {"query": query}, full=True)
    assert asked.json["data"] == {"usersPermissionsUsers": None, "i18NLocales": None}
    assert {error["message"] for error in asked.json["errors"]} == {
        "Closed: the code that guards this route is not running"
    }
    opening = """
        def register(app):
            config = {"Query.i18NLocales": {"policies": [lambda context: context.actor.kind == "api-token"]}}
            app.plugin("graphql").service("extension").use({"resolvers_config": config})
    """
    async with open_shop(tmp_path, {**FILES, "index.py": opening}) as opened:
        asked = await opened.ask("POST", "/graphql", {"query": "{ i18NLocales { data { id } } }"}, full=True)
        assert len(asked.json["data"]["i18NLocales"]["data"]) == 3


async def test_other_actions_of_a_plugin_do_not_change(tmp_path: Path) -> None:
    """Replacing one action does not replace the others."""
    files = {
        "extensions/users-permissions/controllers/user.py": """
            from octavo import Controller

            class UserController(Controller):
                async def hello(self, request):
                    return "hello"
        """
    }
    async with open_shop(tmp_path, files) as opened:
        query = "{ usersPermissionsUsers { data { id } } }"
        asked = await opened.ask("POST", "/graphql", {"query": query}, full=True)
        assert len(asked.json["data"]["usersPermissionsUsers"]["data"]) == 1


async def test_code_calls_controllers_of_plugins_without_a_class(tmp_path: Path) -> None:
    files = {
        "api/book/controllers/people.py": """
            from octavo import Controller

            class People(Controller):
                async def list(self, request):
                    return await self.controller("plugin::users-permissions.user").find(request)
        """,
        "api/book/routes/people.py": """
            from octavo import Route

            routes = [Route("GET", "/people", "people.list", auth=False)]
        """,
    }
    async with open_shop(tmp_path, files) as opened:
        assert [user["username"] for user in (await opened.get("/api/people")).json] == ["ed"]
