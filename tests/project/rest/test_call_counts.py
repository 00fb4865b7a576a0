"""Without project code, a request takes exactly the calls of a project without any code."""

import inspect
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

CODE = {
    "api/book/controllers/book.py": """
        from octavo import Controller

        class BookController(Controller):
            async def find(self, request):
                return await super().find(request)
    """,
    "api/book/services/book.py": """
        from octavo import Service

        class BookService(Service):
            async def find_one(self, entry_id, query=None):
                return await super().find_one(entry_id, query)
    """,
    "api/book/routes/book.py": """
        from octavo import CoreRouter, Route

        router = CoreRouter(config={"create": {"policies": [lambda context: True]}})
        routes = [Route("GET", "/books/own/:name", lambda request: request.params, auth=False)]
    """,
    "middlewares/unused.py": "async def middleware(request, next): return await next(request)",
}
TARGETS = ("/api/authors?sort=name&populate=*", "/api/authors/1", "/api/genres?pagination[limit]=1")


async def calls(shop: Shop, target: str, flags: int = 0) -> Counter[str]:
    """Count the calls of Octavo's functions for a repeated request. `flags`: only functions whose code has them."""
    for _ in range(3):
        await shop.get(target)
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_flags & flags != flags:
            return
        if "octavo" in frame.f_code.co_filename.split("site-packages")[-1]:
            found[f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_qualname}"] += 1

    sys.setprofile(note)
    try:
        answer = await shop.get(target)
    finally:
        sys.setprofile(None)
    assert answer.status == 200
    return found


@pytest.mark.usefixtures("still", "measured_quick")
async def test_code_elsewhere_costs_nothing(tmp_path: Path) -> None:
    async with open_shop(tmp_path / "plain", {}) as plain:
        expected = [await calls(plain, target) for target in TARGETS]
    async with open_shop(tmp_path / "coded", CODE) as coded:
        found = [await calls(coded, target) for target in TARGETS]
        assert [(have - want, want - have) for have, want in zip(found, expected, strict=True)] == [({}, {})] * 3
        own = await calls(coded, "/api/books/own/name")
    assert not any(
        name.startswith(("request_pipeline.py", "execution.py", "routing.py")) for found in expected for name in found
    )
    assert own["request_pipeline.py:CodeHandler.__call__"] == 1


@pytest.mark.usefixtures("still", "measured_quick")
async def test_an_entry_by_id_is_answered_through_few_coroutines(tmp_path: Path) -> None:
    async with open_shop(tmp_path, {}) as shop:
        found = await calls(shop, "/api/authors/1", inspect.CO_COROUTINE)
    assert found == {
        "application.py:HttpApplication.__call__": 1,
        "application.py:HttpApplication._serve": 1,
        "dispatcher.py:Dispatcher.respond": 1,
        "endpoints.py:ContentEndpoints.find_one": 1,
        "reader.py:EntryReader._run": 1,
        "sqlite.py:SqliteDatabase._read": 1,
        "application.py:HttpApplication._send": 1,
    }


async def test_an_action_that_changes_the_query_is_one_statement(tmp_path: Path) -> None:
    async with open_shop(tmp_path / "coded", CODE) as coded:
        for target in ("/api/books?pagination[withCount]=false&populate=*", "/api/books/1"):
            await coded.get(target)
            assert await coded.statements(target) == 1
