"""Jobs in a project's code on each database: added, scheduled, retried, and failed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.core.clock import this_moment
from octavo.events.dead_letters import DeadLetters
from octavo.events.jobs.registry import NotAJob
from octavo.operations.runtime.process import Process, build
from octavo.project import InvalidCode
from octavo.settings import load_settings
from tests.cli.projects import database_variables, make_project

pytestmark = pytest.mark.anyio

PATIENCE = 120
INDEX = """
import sys

from .work import fails, slow, writes

done = []

def register(app):
    app.job(fails, retries=1)
    app.job(slow, retries=0, timeout=0.05)

    @app.cron("0 0 1 1 *", name="yearly")
    def happy(app):
        done.append(("yearly", app.settings.mode))
"""
WORK = """
import asyncio

async def writes(app, title, times=1):
    for number in range(times):
        await app.entries("api::story.story").create({"title": f"{title} {number}"})

def plain(one, two):
    from . import index
    index.done.append((one, two))

async def fails(text):
    raise ValueError(text)

async def slow():
    await asyncio.Event().wait()

class Kind:
    def method(self): ...

async def stops(name):
    raise {"exit": SystemExit, "interrupt": KeyboardInterrupt, "cancel": asyncio.CancelledError}[name](7)

def stops_in_thread(name):
    raise {"exit": SystemExit, "interrupt": KeyboardInterrupt}[name](7)
"""
CRON = """
async def digest(app):
    await app.entries("api::story.story").create({"title": "digest"})

tasks = {"*/1 * * * * *": digest, "weekly": {"task": digest, "options": {"rule": "0 0 1 * * 1", "tz": "Europe/Berlin"}}}
"""


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)


def write_code(folder: Path, **files: str) -> Path:
    make_project(folder)
    for name, text in files.items():
        (folder / f"src/{name}.py").write_text(text, "utf-8")
    return folder


class Works:
    """A started service, and the modules of its code."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.app = process.site.extending.app
        package = process.site.extending.code.packages[-1]
        self.work = __import__("sys").modules[f"{package}.work"]
        self.index = __import__("sys").modules[f"{package}.index"]

    async def settled(self) -> None:
        """Wait until no job is due."""
        text = "SELECT count(*) FROM octavo_outbox WHERE due_at < 9000000000000"
        async with asyncio.timeout(PATIENCE):
            while await self.process.database.fetch_value(text):
                await self.process.database.execute(
                    "UPDATE octavo_outbox SET due_at = 0 WHERE error IS NOT NULL AND holder IS NULL"
                )
                await asyncio.sleep(0.01)

    async def titles(self) -> list[str]:
        return [one["title"] for one in await self.app.entries("api::story.story").find_many(sort="id")]


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mysql"])
async def works(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Works]:
    variables = {}
    if request.param == "postgresql":
        variables = database_variables(request.getfixturevalue("postgresql_server").create_database())
    elif request.param == "mysql":
        server = request.getfixturevalue("mysql_server")
        variables = {"DATABASE_URL": server.url(server.create_database(collation=server.exact))}
    folder = write_code(tmp_path_factory.mktemp("works"), index=INDEX, work=WORK, cron=CRON)
    process = build(load_settings(folder, variables, mode="production"))
    await process.asgi.start()
    try:
        yield Works(process)
    finally:
        await process.asgi.stop()


async def test_functions_run_with_their_arguments(works: Works) -> None:
    await works.app.enqueue(works.work.writes, "asked for", times=2)
    await works.app.enqueue(works.work.plain, 1, two={"ü": None})
    await works.settled()
    await until(lambda: (1, {"ü": None}) in works.index.done)
    assert {"asked for 0", "asked for 1"} <= set(await works.titles())


async def test_a_job_of_a_transaction_that_is_undone_is_not_run(works: Works) -> None:
    async def undo() -> None:
        async with works.app.transaction():
            await works.app.enqueue(works.work.plain, "undone", 0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await undo()
    async with works.app.transaction():
        await works.app.enqueue(works.work.plain, "done", 0)
    await until(lambda: ("done", 0) in works.index.done)
    assert ("undone", 0) not in works.index.done


async def test_a_delay(works: Works) -> None:
    job = await works.app.enqueue(works.work.plain, "later", 0, delay=3600)
    due = await works.process.database.fetch_value(f"SELECT due_at FROM octavo_outbox WHERE id = {job}")
    assert abs(due - this_moment() - 3_600_000) < 600_000
    await works.process.database.execute(f"DELETE FROM octavo_outbox WHERE id = {job}")


async def test_failed_jobs_are_retried_and_reported_with_their_location(works: Works) -> None:
    await works.app.enqueue(works.work.fails, "broken")
    await works.app.enqueue(works.work.slow)
    await works.settled()
    shared = works.process.infrastructure
    letters = {one.payload["name"]: one for one in await DeadLetters(shared.database, shared.outbox).list("jobs")}
    assert (letters["work:fails"].attempts, letters["work:slow"].attempts) == (2, 1)
    assert letters["work:fails"].error == "work:fails: src/work.py:13 fails: ValueError: broken"
    assert letters["work:slow"].error.endswith("stopped after 0.05 s")


async def test_tasks_run_by_the_clock(works: Works) -> None:
    assert sorted(works.app.jobs.tasks) == ["digest", "weekly", "yearly"]

    async with asyncio.timeout(PATIENCE):
        while (await works.titles()).count("digest") < 2:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_only_functions_of_the_project_are_run(works: Works) -> None:
    for function in (print, lambda: None, works.work.Kind.method, works.work.Kind, "work:plain", asyncio.sleep):
        with pytest.raises(NotAJob, match="a job cannot refer to it"):
            await works.app.enqueue(function)
    with pytest.raises(TypeError):
        await works.app.enqueue(works.work.plain, object(), 0)
    find = works.app.jobs._functions.find
    assert find("work:plain") is works.work.plain
    for name in (
        "os:system",
        "work:asyncio",
        "work:Kind",
        "work:nothing",
        "nothing:x",
        "..work:plain",
        "work.plain",
        ":",
    ):
        with pytest.raises(NotAJob, match="the project has no function"):
            find(name)


@pytest.mark.parametrize(
    "cron, message",
    [
        ("", "src/cron.py: has no `tasks`"),
        ("tasks = []", "src/cron.py: tasks: expected a dict, not list"),
        ("tasks = {'x': print}", "src/cron.py: tasks['x']: 'x' is not a cron expression: Wrong number of fields"),
        ("tasks = {'0 3 * * *': 5}", "src/cron.py: tasks['0 3 * * *']: expected a function, not int"),
        ("tasks = {'a': {'task': print, 'options': {'rule': '0 3 * * *', 'tz': 'X'}}}", "unknown time zone 'X'"),
        ("tasks = {'a': {'task': print, 'options': {'zone': 'X'}}}", "expected rule, tz and catch_up, not zone"),
        ("tasks = {'a': {}}", "expected a function, or a dict with `task` and `options`"),
        ("tasks = {'0 3 * * *': print, '0 4 * * *': print}", "a task 'print' already exists"),
    ],
)
def test_errors_in_tasks_stop_the_start(tmp_path: Path, cron: str, message: str) -> None:
    write_code(tmp_path, cron=cron)
    with pytest.raises(InvalidCode) as raised:
        build(load_settings(tmp_path, {}, mode="production"))
    assert message in str(raised.value)


@pytest.mark.parametrize("function", ["stops", "stops_in_thread"])
@pytest.mark.parametrize("name", ["exit", "interrupt", "cancel"])
async def test_a_job_that_would_end_the_service_fails_and_is_given_up(works: Works, function: str, name: str) -> None:
    job = await works.app.enqueue(getattr(works.work, function), name, retries=1)
    await works.settled()
    shared = works.process.infrastructure
    letters = await DeadLetters(shared.database, shared.outbox).list("jobs")
    [letter] = [one for one in letters if one.payload["name"] == f"work:{function}" and one.payload["args"] == [name]]
    assert (letter.attempts, job > 0) == (2, True)
    assert letter.error.startswith(f"work:{function}: src/work.py:")
    await works.app.enqueue(works.work.plain, "still here", f"{function} {name}")
    await until(lambda: ("still here", f"{function} {name}") in works.index.done)


@pytest.mark.parametrize("text", ["def run():\n    yield\n", "async def run():\n    yield\n"])
@pytest.mark.parametrize("call", ["app.job(run)", "app.cron('0 0 * * *', run)"])
async def test_a_job_that_is_a_generator_stops_the_start(tmp_path: Path, text: str, call: str) -> None:
    folder = write_code(tmp_path, index=f"{text}def register(app):\n    {call}\n")
    process = build(load_settings(folder, {}, mode="production"))
    with pytest.raises(InvalidCode, match="is a generator"):
        await process.site.register()


async def test_a_job_of_a_file_with_a_role(tmp_path: Path) -> None:
    index = "from .cron import digest\ndef register(app):\n    app.job(digest, retries=2)\n"
    process = build(load_settings(write_code(tmp_path, index=index, cron=CRON), {}, mode="production"))
    await process.site.register()
    assert set(process.site.extending.app.jobs.tasks) == {"digest", "weekly"}
