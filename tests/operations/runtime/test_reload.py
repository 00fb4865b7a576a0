"""A reloaded site replaces the previous one: under load, with running requests, from a broken project, without
leaks."""

import asyncio
import gc
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import DuplicateRoute
from octavo.core.errors import ServiceUnavailable
from octavo.database.maintenance_mode import UnderMaintenance, writes_allowed
from octavo.database.unit_of_work import unit_of_work
from octavo.modeling.builder.drafts import plain
from octavo.modeling.builder.plans import update_content_type
from octavo.modeling.builder.type_responses import show_content_type
from octavo.operations.runtime.prepare_database import StartFailed, bring_up_to_date
from octavo.operations.runtime.process import Process, build
from octavo.operations.runtime.site import Site
from octavo.project import InvalidCode
from octavo.schema.content_types import ContentType
from octavo.schema.loader import load_registry
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import SettingsError, load_settings
from tests.api.http.asgi import Answer, call
from tests.cli.projects import STORY, database_variables, make_project, write_type
from tests.models.bookshop import AUTHOR, FULL_TOKEN
from tests.models.site import Site as Shop

pytestmark = pytest.mark.anyio

PATIENCE = 300
BOOK = "src/api/book/content-types/book/schema.json"
OpenProcess = Callable[..., Awaitable[Process]]


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the variables that configure each database."""
    if request.param == "sqlite":
        return {}
    return database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def serve(anyio_backend: str, tmp_path: Path) -> AsyncIterator[OpenProcess]:
    """Start a process in development mode on the project in `tmp_path`. The public can read and create stories."""
    make_project(tmp_path)
    async with AsyncExitStack() as stack:

        async def start(**given: str) -> Process:
            def read() -> Any:
                return load_settings(tmp_path, given, mode="development")

            process = build(read(), read)
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            await grant(process.database, "public", ("api::story.story.find", "api::story.story.create"))
            process.infrastructure.authenticator.invalidate()
            return process

        yield start


async def get(process: Process, target: str) -> Answer:
    return await call(process.asgi, "GET", target)


async def until(true: Callable[[], bool]) -> None:
    """Yield to other tasks until a condition holds."""
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.001)


def story(**more: Any) -> dict[str, Any]:
    return {**STORY, "attributes": {**STORY["attributes"], **more}}


async def make(process: Process, **data: Any) -> dict[str, Any]:
    body = json.dumps({"data": data}).encode()
    answer = await call(process.asgi, "POST", "/api/stories", [("Content-Type", "application/json")], [body])
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json["data"]["attributes"]
    return found


async def test_many_changes_under_load(own_bookshop: Shop) -> None:
    """Changes in the builder and in files, including renames: no request fails, no entry is lost, each change is served
    as soon as it is reported, and no previous site remains. Database servers need four times as long per change.
    """
    changes = 30 if own_bookshop.database.dialect.name == "sqlite" else 10
    process, answered, made = own_bookshop.octavo, 0, 0
    schema = process.settings.project / BOOK
    definition = json.loads(schema.read_text("utf-8"))
    books = await own_bookshop.database.fetch_value("SELECT count(*) FROM books")
    bearer, json_type = ("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")
    texts = [json.dumps({"query": "{ books { data { id attributes { title } } } }"}), '{"data": {"title": "Tides"}}']

    async def ask(method: str, target: str, *body: bytes) -> None:
        nonlocal answered, made
        while not done.is_set():
            answer = await call(process.asgi, method, target, [bearer, json_type], body)
            assert answer.status == 200, answer.body
            assert "errors" not in answer.json
            answered += 1
            made += target.startswith("/api/books") and method == "POST"
            await asyncio.sleep(0)

    def enough(wanted: int) -> bool:
        return answered >= wanted

    done = asyncio.Event()
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as load:
        for _ in range(2):
            load.create_task(ask("GET", "/api/books?populate=*"))
            load.create_task(ask("GET", "/api/authors/1?populate[books][populate]=*"))
            load.create_task(ask("POST", "/graphql", texts[0].encode()))
        load.create_task(ask("POST", "/api/books?populate=*", texts[1].encode()))
        left: list[ref[Site]] = []
        for number in range(changes):
            left.append(ref(process.site))
            name, before = f"extra{number}", answered
            if number % 3:
                renames = {f"extra{number - 1}": name} if number % 6 == 2 else {}
                form = builder_form(process.site.registry.content_types[AUTHOR], name, renames)
                assert await process.change_definitions(update_content_type(AUTHOR, form)) == AUTHOR
                author = await call(process.asgi, "GET", "/api/authors/1", [bearer])
                assert author.json["data"]["attributes"][name] is None
            else:
                definition["attributes"][name] = {"type": "string", "default": name}
                schema.write_text(json.dumps(definition), "utf-8")
                await process.reload()
                book = await call(process.asgi, "POST", "/api/books", [bearer, json_type], [texts[1].encode()])
                assert book.json["data"]["attributes"][name] == name
            await until(partial(enough, before + 7))
        done.set()
    assert await own_bookshop.database.fetch_value("SELECT count(*) FROM books") == books + made + len(
        range(0, changes, 3)
    )
    await process.retired()

    def are_gone() -> bool:
        """Threads may briefly retain the objects of their last task."""
        gc.collect()
        return not any(site() for site in left)

    await until(are_gone)
    kept = [found for found in gc.get_objects() if isinstance(found, ContentType) and "extra0" in found.attributes]
    assert kept == [process.site.registry.content_types["api::book.book"]]


def builder_form(content_type: ContentType, added: str, renames: dict[str, str]) -> dict[str, Any]:
    """Return the form of the builder's pages for a type with a new or renamed attribute."""
    shown = plain(show_content_type(content_type)["schema"])
    attributes = {name: raw for name, raw in shown["attributes"].items() if name not in renames}
    return {"contentType": {**shown, "attributes": {**attributes, added: {"type": "string"}}, "renames": renames}}


@pytest.mark.parametrize("variables", ["postgresql"], indirect=True)  # reads on SQLite do not wait
async def test_reads_of_former_tables_are_repeated_with_the_new_definitions(
    serve: OpenProcess, tmp_path: Path, variables: dict[str, str]
) -> None:
    """Requests that were planned before a change and run during it. Writes get a 503."""
    write_type(tmp_path, story(subtitle={"type": "string"}))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/plugins.toml").write_text("[graphql]\nenabled = true\n", "utf-8")
    process = await serve(**variables)
    await make(process, title="One")
    query = json.dumps({"query": "{ stories { data { attributes { subtitle } } } }"}).encode()
    write = b'{"data": {"title": "Two"}}'
    asked = (("GET", "/api/stories", b""), ("POST", "/graphql", query), ("POST", "/api/stories", write))

    def ask(method: str, target: str, body: bytes) -> asyncio.Task[Answer]:
        given = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        return asyncio.create_task(call(process.asgi, method, target, given, [body]))

    for one in asked[:2]:
        assert (await ask(*one)).status == 200
    await process.database.execute_script("ALTER TABLE stories DROP COLUMN subtitle")
    requests = [ask(*one) for one in asked]
    await asyncio.sleep(0)
    async with process.asgi.held():
        write_type(tmp_path, story(subtitle={"type": "string"}, more={"type": "string"}))
        await process.reload()
    listed, queried, written = [await request for request in requests]
    assert listed.json["data"][0]["attributes"]["more"] is None
    assert queried.json == {"data": {"stories": {"data": [{"attributes": {"subtitle": None}}]}}}
    assert written.status == 503


async def test_requests_under_way_finish_on_their_site(
    serve: OpenProcess, tmp_path: Path, variables: dict[str, str]
) -> None:
    process = await serve(**variables)
    first, entered, going = ref(process.site), asyncio.Event(), asyncio.Event()

    async def wait(request: Request) -> Response:
        entered.set()
        await going.wait()
        return Response(200, b"from the site it began with", "text/plain")

    process.site.router.add("GET", "/slow", wait)
    slow = asyncio.create_task(get(process, "/slow"))
    await entered.wait()
    write_type(tmp_path, story(subtitle={"type": "string"}))
    await process.reload()
    assert (await get(process, "/slow")).status == 404
    assert (await make(process, title="One", subtitle="two"))["subtitle"] == "two"
    gc.collect()
    assert first() is not None
    going.set()
    assert (await slow).body == b"from the site it began with"
    await process.retired()
    del slow
    gc.collect()
    assert first() is None


async def test_a_broken_project_leaves_the_last_good_site(
    serve: OpenProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    process = await serve()
    await make(process, title="One")
    site = process.site
    write_type(tmp_path, "{")
    with pytest.raises(InvalidDefinitions):
        await process.reload()
    assert process.site is site
    assert "story/schema.json: line 1: is not valid JSON" in caplog.text
    caplog.clear()
    assert (await get(process, "/api/stories")).json["data"][0]["attributes"]["title"] == "One"
    await get(process, "/api/stories")  # reported at most once a second
    [record] = [record.getMessage() for record in caplog.records]
    assert record.startswith(
        "GET '/api/stories': 200, served by the previous version of the site. 1 problem in the content type"
    )
    page = (await get(process, "/")).body.decode()
    assert "The latest change is not served" in page
    assert "line 1: is not valid JSON" in page
    write_type(tmp_path, story(subtitle={"type": "string"}))
    await process.reload()
    assert "The last change" not in (await get(process, "/")).body.decode()
    assert (await make(process, title="Two"))["subtitle"] is None


async def test_a_type_that_its_column_contradicts_is_not_served(
    serve: OpenProcess, tmp_path: Path, variables: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    process = await serve(**variables)
    site = process.site
    write_type(tmp_path, story(title={"type": "integer"}))
    if process.database.dialect.name == "sqlite":
        await process.reload()
        assert "stories.title is varchar(255), should be integer" in caplog.text
        return
    with pytest.raises(StartFailed, match=r"stories\.title is character varying\(255\), should be integer"):
        await process.reload()
    assert process.site is site
    assert (await make(process, title="One"))["title"] == "One"
    await bring_up_to_date(process.database, load_registry(tmp_path), allow_data_loss=True)
    await process.reload()
    assert (await make(process, title=2))["title"] == 2


async def test_production_does_not_show_the_problem(anyio_backend: str, tmp_path: Path) -> None:
    process = build(load_settings(make_project(tmp_path), {}, mode="production"))
    await process.asgi.start()
    before = (await get(process, "/")).body
    write_type(tmp_path, "{")
    with pytest.raises(InvalidDefinitions):
        await process.reload()
    assert (await get(process, "/")).body == before
    await process.asgi.stop()


async def test_code_is_reloaded_and_its_hooks_are_called(serve: OpenProcess, tmp_path: Path) -> None:
    index, words = tmp_path / "src/index.py", tmp_path / "src/words.py"
    words.write_text("WORD = 'one'\n")
    index.write_text(
        "from .words import WORD\n"
        "SEEN = []\n"
        "async def register(app): SEEN.append(app)\n"
        "async def bootstrap(app):\n"
        "    assert len(SEEN) == 1\n"
        "    await app.entries('api::story.story').create({'title': WORD})\n"
    )
    process = await serve()
    first = ref(process.site)
    words.write_text("WORD = 'two'\n")  # as long as before, and within the same second
    await process.reload()
    found = (await get(process, "/api/stories?sort=id")).json["data"]
    assert [entry["attributes"]["title"] for entry in found] == ["one", "two"]
    await process.retired()
    gc.collect()
    assert first() is None
    package = process.site.extending.code.packages[0]
    loaded = {name.partition(".")[0] for name in sys.modules if name.startswith("octavo_project_")}
    assert package in loaded
    index.write_text("import nothing_of_that_name\n")
    with pytest.raises(InvalidCode):
        await process.reload()
    assert {name.partition(".")[0] for name in sys.modules if name.startswith("octavo_project_")} == loaded
    assert not (tmp_path / "src/__pycache__").exists()


async def test_changes_at_once_share_a_reload(serve: OpenProcess, tmp_path: Path) -> None:
    process = await serve()
    built: list[None] = []
    begin = process._read_settings

    def counted() -> Any:
        built.append(None)
        return begin()

    process._read_settings = counted
    first = asyncio.create_task(process.reload())
    await until(lambda: len(built) > 0)
    write_type(tmp_path, story(subtitle={"type": "string"}))  # it may be too late for the first one
    await asyncio.gather(first, *(process.reload() for _ in range(10)))
    assert len(built) == 2
    assert "subtitle" in await make(process, title="One")


async def test_a_reload_applies_changed_settings(
    serve: OpenProcess, tmp_path: Path, variables: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    process = await serve(**variables)
    await make(process, title="One")
    before = process.infrastructure
    (tmp_path / "config").mkdir()
    (tmp_path / "config/api.toml").write_text('[rest]\nprefix = "/content"\n')
    (tmp_path / "config/server.toml").write_text("port = 4711\n")
    await process.reload()
    assert (await get(process, "/content/stories")).json["data"][0]["attributes"]["title"] == "One"
    assert (await get(process, "/api/stories")).status == 404
    assert "server.port stays 1337 until the service restarts" in caplog.text
    assert process.infrastructure is not before
    gone = ref(before.database)
    await process.retired()
    del before
    gc.collect()
    assert gone() is None
    (tmp_path / "config/api.toml").write_text("[rest]\nprefix = 3\n")
    with pytest.raises(SettingsError):
        await process.reload()
    assert "rest.prefix" in (await get(process, "/")).body.decode()
    assert (await get(process, "/content/stories")).status == 200


@pytest.mark.parametrize("lines", ['filename = ".env/data.db"', 'client = "postgres"\nname = "a"\nhost = ".env"'])
async def test_a_database_that_cannot_be_reached(serve: OpenProcess, tmp_path: Path, lines: str) -> None:
    process = await serve()
    await make(process, title="One")
    before = process.infrastructure
    (tmp_path / "config").mkdir()
    (tmp_path / "config/database.toml").write_text(lines)
    with pytest.raises(StartFailed, match="cannot be reached"):
        await process.reload()
    assert process.infrastructure is before
    assert (await get(process, "/api/stories")).json["data"][0]["attributes"]["title"] == "One"
    (tmp_path / "config/database.toml").unlink()
    await process.reload()
    assert process.infrastructure is before
    assert (await make(process, title="Two"))["title"] == "Two"


async def test_routes_that_clash_are_a_problem_too(
    serve: OpenProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Unexpected errors are logged with their location, and the service continues."""
    process = await serve()
    (tmp_path / "config").mkdir()
    (tmp_path / "config/plugins.toml").write_text('[graphql.config]\nendpoint = "/api/stories"\n')
    with pytest.raises(DuplicateRoute):
        await process.reload()
    assert "Traceback" in caplog.text
    assert "DuplicateRoute: " in (await get(process, "/")).body.decode()
    assert (await get(process, "/api/stories")).status == 200


async def test_a_stop_ends_a_reload(anyio_backend: str, tmp_path: Path) -> None:
    process = build(load_settings(make_project(tmp_path), {}, mode="development"))
    await process.asgi.start()
    (tmp_path / "src/index.py").write_text(
        "import asyncio\n"
        "async def bootstrap(app):\n"
        "    (app.settings.project / 'entered').touch()\n"
        "    await asyncio.Event().wait()\n"
    )
    reload = asyncio.create_task(process.reload())
    await until((tmp_path / "entered").exists)
    async with asyncio.timeout(PATIENCE):
        await process.asgi.stop()
        with pytest.raises(asyncio.CancelledError):
            await reload


async def test_a_reload_in_maintenance_closes_the_previous_version(
    serve: OpenProcess, variables: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = {"kind": "purge", "url": "http://127.0.0.1:9"}
    caching = {
        "OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Surrogate-Key",
        "OCTAVO_API__CACHING__PURGE__CACHES": json.dumps({"front": cache}),
    }
    process = await serve(**variables, **caching)
    left = process.database
    (tmp_path / "src/index.py").write_text(
        "async def destroy(app):\n    (app.settings.project / 'destroyed').touch()\n"
    )
    await process.reload()
    await process.retired()
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config/api.toml").write_text("[rest]\nmaxLimit = 50\n")
    process.database.read_only_message = "Back at 6 pm"
    await process.reload()
    await process.retired()
    assert process.database is not left
    assert (tmp_path / "destroyed").exists()
    with pytest.raises(ServiceUnavailable):
        await left.fetch_value("SELECT 1")
    assert "Could not purge CDNs and reverse proxies after a reload: " in caplog.text
    assert "Traceback" not in caplog.text


async def test_only_starts_and_reloads_can_write_in_maintenance(
    serve: OpenProcess, variables: dict[str, str], tmp_path: Path
) -> None:
    process = await serve(**variables)
    process.database.read_only_message = "Back at 6 pm"
    (tmp_path / "src/index.py").write_text(
        "async def bootstrap(app):\n    await app.entries('api::story.story').create({'title': 'bootstrap'})\n"
    )
    await process.reload()
    assert await process.database.fetch_value("SELECT title FROM stories") == "bootstrap"
    with pytest.raises(UnderMaintenance):
        await process.change_definitions(lambda *_: pytest.fail("a plan was made"))
    with writes_allowed():
        late = asyncio.create_task(write_late(process, over := asyncio.Event()))
        await asyncio.sleep(0)
    over.set()
    with pytest.raises(UnderMaintenance):
        await late


async def write_late(process: Process, over: asyncio.Event) -> None:
    async with unit_of_work(process.database):
        await over.wait()
    async with unit_of_work(process.database):
        pass
