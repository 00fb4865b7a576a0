"""Guards of `create`, and the route that creates localizations."""

from pathlib import Path
from typing import Any

import pytest

from tests.project.rest.shop import Shop, open_shop
from tests.project.rest.test_field_guards import CLOSED, SAFE, V4, graphql, refused, remarks

pytestmark = pytest.mark.anyio

POLICY = {
    "api/book/routes/book.py": """
        from octavo import CoreRouter

        router = CoreRouter(config={"create": {"policies": [lambda context: False]}})
    """
}
METHOD = {
    "api/book/controllers/book.py": """
        from octavo import Controller, ForbiddenError

        class Book(Controller):
            async def create(self, request):
                raise ForbiddenError("No")
    """
}
SINGLE = {
    "api/front-page/routes/front-page.py": """
        from octavo import CoreRouter

        router = CoreRouter(config={"update": {"policies": [lambda context: False]}})
    """
}
DECLARED = {
    "api/book/routes/book.py": """
        from octavo import CoreRouter

        router = CoreRouter(config={
            "create": {"policies": [lambda context: False]},
            "create_localization": {"auth": True},
        })
    """
}
BOOK, PAGE = "/api/books/1/localizations", "/api/front-page/localizations"


async def localize(shop: Shop, path: str) -> tuple[int, Any]:
    # an unknown locale: the route is called, and rejects the body
    answer = await shop.ask("POST", path, {"locale": "xx"}, full=True)
    return answer.status, answer.json["error"]["message"]


@pytest.mark.parametrize(
    "files, path, action",
    [
        (POLICY, BOOK, "api::book.book.create"),
        (METHOD, BOOK, "api::book.book.create"),
        (SINGLE, PAGE, "api::front-page.front-page.update"),
    ],
    ids=["policy", "method", "single type"],
)
async def test_safe_closes_localizations_of_guarded_types(
    tmp_path: Path, files: dict[str, str], path: str, action: str
) -> None:
    async with open_shop(tmp_path / "safe", {**SAFE, **files}) as shop:
        assert await localize(shop, path) == (403, CLOSED)
        field = "createBookLocalization" if path == BOOK else "createFrontPageLocalization"
        mutation = f'mutation {{ {field}(id: 1, locale: "de-AT", data: {{}}) {{ data {{ id }} }} }}'
        assert refused(await graphql(shop, mutation)) == [CLOSED]
        (line,) = [one for one in remarks(shop) if "localizations" in one]
        assert line.startswith("Closed over REST: POST ")
        assert f"{action} is guarded by " in line
    async with open_shop(tmp_path / "v4", {**V4, **files}) as shop:
        assert (await localize(shop, path))[0] == 400
        (line,) = [one for one in remarks(shop) if "localizations" in one]
        assert line.startswith("Open over REST: POST ")
        assert line.endswith('compat.localizationGuards = "shared" in config/api.toml')


async def test_declared_guards_open_them(tmp_path: Path) -> None:
    async with open_shop(tmp_path, {**SAFE, **DECLARED}) as shop:
        assert (await localize(shop, BOOK))[0] == 400
        assert (await shop.ask("POST", BOOK, {"locale": "xx"})).status == 403  # without the permission
        assert not [one for one in remarks(shop) if "localizations" in one]


async def test_types_without_guards_stay_open(tmp_path: Path) -> None:
    async with open_shop(tmp_path, {**SAFE, **SINGLE}) as shop:
        assert (await localize(shop, BOOK))[0] == 400
