"""Large bodies: CPU-intensive steps run in the computing thread, and other requests are answered meanwhile."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import octavo.api.graphql.execution.executor as executor
import octavo.api.http.request as requests
import octavo.content.entry_batch as entry_batch
import octavo.content.input.body_check as body_check
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.api.graphql.document.collect_fields import Selections
from octavo.content.input.row_builder import RowBuilder
from octavo.content.validation.body_validator import Validator
from octavo.core.threads import MOST_COMPUTED_HERE
from octavo.query.sql.write.change import ChangeCompiler
from tests.api.http.asgi import Answer, Header, call, receiver, scope_of
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

HEADERS: list[Header] = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
STEPS = (
    (requests, "parse_json"),
    (InputSanitizer, "sanitize"),
    (Validator, "entry"),
    (body_check, "read_body"),
    (RowBuilder, "row"),
    (entry_batch, "plan_write"),
    (ChangeCompiler, "compile"),
    (ChangeCompiler, "steps"),
)
"""The pure steps of a write."""

MANY = 2_500


class Watched:
    """Records the thread of each step. The first step in the computing thread waits for `go_on` if it is cleared."""

    def __init__(self) -> None:
        self.threads: dict[str, set[str]] = {}
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def watch(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        """Record the threads that call a function."""
        real = vars(owner)[name]

        def watched(*arguments: Any, **named: Any) -> Any:
            thread = threading.current_thread()
            self.threads.setdefault(name, set()).add(thread.name.partition("_")[0])
            if thread is not threading.main_thread():
                self.begun.set()
                assert self.go_on.wait(60)
            if isinstance(owner, type):
                return real.__get__(arguments[0], owner)(*arguments[1:], **named)
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, watched)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """Observe all steps."""
    watched = Watched()
    for owner, name in STEPS:
        watched.watch(monkeypatch, owner, name)
    yield watched
    watched.go_on.set()


async def put(site: Site, data: Any, query: str = "") -> Answer:
    body = json.dumps({"data": data}).encode()
    return await call(site.octavo.asgi, "PUT", f"/api/books/1{query}", HEADERS, [body])


def chapters(count: int) -> list[dict[str, Any]]:
    return [{"title": f"part {number}", "pages": number} for number in range(count)]


async def titles(site: Site) -> list[str]:
    answer = await site.get("/api/books/1?populate=chapters", FULL_TOKEN)
    return [chapter["title"] for chapter in answer.json["data"]["attributes"]["chapters"]]


async def test_the_computing_thread_does_all_steps_of_a_large_write(own_bookshop: Site, watched: Watched) -> None:
    assert (await put(own_bookshop, {"chapters": chapters(MANY)})).status == 200
    assert watched.threads == {name: {"octavo-computing"} for _, name in STEPS}
    assert await titles(own_bookshop) == [f"part {number}" for number in range(MANY)]


async def test_all_steps_of_a_small_write_run_in_the_main_thread(own_bookshop: Site, watched: Watched) -> None:
    assert (await put(own_bookshop, {"chapters": chapters(3), "blurb": "x" * (MOST_COMPUTED_HERE // 2)})).status == 200
    assert watched.threads == {name: {"MainThread"} for _, name in STEPS}


async def test_large_removals_by_a_small_body_count_too(own_bookshop: Site, watched: Watched) -> None:
    await put(own_bookshop, {"chapters": chapters(MANY)})
    watched.threads.clear()
    assert (await put(own_bookshop, {"chapters": []})).status == 200
    assert watched.threads["read_body"] == {"MainThread"}
    assert watched.threads["plan_write"] == watched.threads["compile"] == {"octavo-computing"}
    assert await titles(own_bookshop) == []


async def test_other_requests_are_answered_during_a_large_write(own_bookshop: Site, watched: Watched) -> None:
    watched.go_on.clear()
    writing = asyncio.ensure_future(put(own_bookshop, {"chapters": chapters(MANY)}))
    await asyncio.to_thread(watched.begun.wait, 60)
    assert (await own_bookshop.get("/api/books/1", FULL_TOKEN)).status == 200
    assert not writing.done()
    watched.go_on.set()
    assert (await writing).status == 200


async def test_a_refused_large_write_is_rolled_back(own_bookshop: Site, watched: Watched) -> None:
    before = await titles(own_bookshop)
    answer = await put(own_bookshop, {"title": "new", "chapters": [*chapters(MANY), {"pages": "many"}]})
    assert answer.json["error"]["details"]["errors"][0]["path"] == ["chapters", str(MANY), "pages"]
    answer = await put(own_bookshop, {"title": "new", "chapters": [*chapters(MANY), {"id": 123_456}]})
    assert answer.status == 400
    assert await titles(own_bookshop) == before
    assert (await put(own_bookshop, {"title": "new"})).status == 200


async def test_a_large_write_is_rolled_back_if_the_client_disconnects(own_bookshop: Site, watched: Watched) -> None:
    before = await titles(own_bookshop)
    body = json.dumps({"data": {"chapters": chapters(MANY)}}).encode()
    watched.go_on.clear()

    async def send(message: Any) -> None:
        raise AssertionError("the client has disconnected")

    writing = asyncio.ensure_future(
        own_bookshop.octavo.asgi(scope_of("PUT", "/api/books/1", HEADERS), receiver([body]), send)
    )
    await asyncio.to_thread(watched.begun.wait, 60)
    writing.cancel()
    watched.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await titles(own_bookshop) == before
    assert (await put(own_bookshop, {"chapters": chapters(1)})).status == 200


async def test_large_variables_are_read_in_the_computing_thread(
    own_bookshop: Site, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.watch(monkeypatch, executor, "read_variables")
    watched.watch(monkeypatch, Selections, "arguments")
    mutation = "mutation ($data: BookInput!) { updateBook(id: 1, data: $data) { data { id } } }"
    body = json.dumps({"query": mutation, "variables": {"data": {"chapters": chapters(MANY)}}}).encode()
    answer = await call(own_bookshop.octavo.asgi, "POST", "/graphql", HEADERS, [body])
    assert answer.json == {"data": {"updateBook": {"data": {"id": "1"}}}}
    assert watched.threads == {
        name: {"octavo-computing"} for name in (*(name for _, name in STEPS), "read_variables", "arguments")
    }
    assert await titles(own_bookshop) == [f"part {number}" for number in range(MANY)]


async def test_many_unchanged_components_need_few_statements(own_bookshop: Site) -> None:
    await put(own_bookshop, {"chapters": chapters(MANY)})
    answer = await own_bookshop.get("/api/books/1?populate=chapters", FULL_TOKEN)
    held = [chapter["id"] for chapter in answer.json["data"]["attributes"]["chapters"]]
    changed = [{"id": one, "title": f"new {number}"} for number, one in enumerate(reversed(held))]
    before = own_bookshop.database.statements
    assert (await put(own_bookshop, {"chapters": changed})).status == 200
    assert own_bookshop.database.statements - before < 50
    answer = await own_bookshop.get("/api/books/1?populate=chapters", FULL_TOKEN)
    stored = answer.json["data"]["attributes"]["chapters"]
    assert [(chapter["id"], chapter["title"]) for chapter in stored] == [(one["id"], one["title"]) for one in changed]
    assert stored[0]["pages"] == MANY - 1


async def test_computing_does_not_count_as_a_pause_of_the_transaction(own_bookshop: Site, watched: Watched) -> None:
    """A slow large write does not lose its turn to other waiting writers."""
    database = own_bookshop.database
    longest = 0.01

    async def other() -> None:
        async with database.transaction(grouped=True) as transaction:
            await transaction.fetch_value("SELECT 1")

    if hasattr(database, "_watch"):
        database._watch._longest_pause = longest
    calm = threading.Event()
    async with database.transaction() as transaction:
        waiting = asyncio.ensure_future(other())
        await asyncio.sleep(0)
        assert await transaction.compute(lambda: calm.wait(20 * longest)) is False
        assert await transaction.fetch_value("SELECT 1") == 1
    await waiting
