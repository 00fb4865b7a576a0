"""The caller that hooks see: the one that started the operation, over every API and through nested code."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from octavo.testing import Site, open_site
from tests.modeling.typings.projects import write_project
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio
SPEAKER, USER, FILE = "api::speaker.speaker", "plugin::users-permissions.user", "plugin::upload.file"
BOSS = {"firstname": "Ada", "lastname": "L", "email": "ada@example.org", "password": "A-long-password-1"}

INDEX = """
HEARD = []


def register(app):
    def hear(event):
        HEARD.append((event.action, event.actor.kind, event.actor.id, event.source))

    moments = ["before_create", "after_create", "after_commit_create", "before_update", "before_delete"]
    app.on(moments, "api::speaker.speaker", hear)
    app.on(["before_find_many", "before_find_one"], "api::speaker.speaker", hear)
    app.on(["before_create", "before_update"], ["plugin::users-permissions.user", "plugin::upload.file"], hear)

    @app.on("after_commit_create", "api::speaker.speaker")
    async def follow(event):
        if event.result["name"] == "followed":
            await app.entries("api::speaker.speaker").create({"name": "follows"})

    @app.cron("0 0 1 1 *", name="yearly")
    async def yearly():
        await app.entries("api::speaker.speaker").create({"name": "by the clock"})

    async def add_speaker(parent, args):
        await app.entries("api::speaker.speaker").create({"name": args["name"]})
        return True

    app.plugin("graphql").service("extension").use({
        "type_defs": "type Mutation { addSpeaker(name: String!): Boolean }",
        "resolvers": {"Mutation": {"addSpeaker": add_speaker}},
        "resolvers_config": {"Mutation.addSpeaker": {"auth": False}},
    })


async def bootstrap(app):
    await app.entries("api::speaker.speaker").create({"name": "of the start"})
"""
WORK = """
import asyncio
import threading

SPEAKER = "api::speaker.speaker"
LATE = []


async def later(app, name):
    await app.entries(SPEAKER).create({"name": name})


def in_a_thread(app, loop, name):
    asyncio.run_coroutine_threadsafe(app.entries(SPEAKER).create({"name": name}), loop).result()


async def entries(app):
    await app.entries(SPEAKER).create({"name": "x"})


async def many(app):
    await app.entries(SPEAKER).create_many([{"name": "x"}])


async def service(app):
    await app.service(SPEAKER).create({"name": "x"})


async def transaction(app):
    async with app.transaction():
        await entries(app)


async def run_transaction(app):
    await app.run_transaction(lambda transaction: entries(app))


async def update_many(app):
    await app.entries(SPEAKER).update_many({"name": "y"}, filters={"name": "kept"})


async def update(app):
    found = await app.entries(SPEAKER).find_first(filters={"name": "kept"})
    await app.entries(SPEAKER).update(found.id, {"name": "kept"})


async def delete_many(app):
    await app.entries(SPEAKER).delete_many(filters={"name": "kept"})


async def reads(app):
    await app.entries(SPEAKER).find_many(limit=1)
    await app.service(SPEAKER).find({})


async def task(app):
    await asyncio.create_task(entries(app))


async def late_task(app):
    async def wait():
        await asyncio.sleep(0)
        await entries(app)

    LATE.append(asyncio.create_task(wait()))


async def thread(app):
    await asyncio.to_thread(in_a_thread, app, asyncio.get_running_loop(), "x")


async def executor(app):
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, in_a_thread, app, loop, "x")


async def after_commit(app):
    async with app.transaction() as transaction:
        transaction.after_commit(lambda: entries(app))


async def enqueue(app):
    await app.enqueue(later, "queued")


async def followed(app):
    await app.entries(SPEAKER).create({"name": "followed"})


WAYS = {function.__name__: function for function in (
    entries, many, service, transaction, run_transaction, update_many, update, delete_many, reads, task, late_task,
    thread, executor, after_commit, enqueue, followed,
)}
"""
ROUTES = """
from octavo import Route

from ....work import WAYS


async def run(request):
    await WAYS[request.params["way"]](request.app)
    return {"kind": request.actor.kind, "id": request.actor.id}


routes = [
    Route("POST", "/open/:way", run, auth=False),
    Route("POST", "/closed/:way", run),
    Route("POST", "/open-core", "speaker.create", auth=False),
    Route("POST", "/by-policy", lambda request: {}, auth=False, policies=["writes"]),
]
"""
POLICY = """
async def policy(context):
    await context.app.entries("api::speaker.speaker").create({"name": "by a policy"})
    return True
"""
AROUND = """
async def middleware(request, next):
    if request.header("x-write"):
        await request.app.entries("api::speaker.speaker").create({"name": "around"})
    return await next(request)
"""
CONTROLLER = """
from octavo import Controller


class Speaker(Controller):
    async def create(self, request):
        return await super().create(request)
"""


def write_code(project: Path) -> Path:
    files = {
        "src/index.py": INDEX,
        "src/work.py": WORK,
        "src/api/speaker/routes/more.py": ROUTES,
        "src/policies/writes.py": POLICY,
        "src/middlewares/around.py": AROUND,
        "src/api/speaker/controllers/speaker.py": CONTROLLER,
        "config/middlewares.toml": 'use = ["global::around"]\n',
        "config/api.toml": '[compat]\nprofile = "v4"\n',
    }
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def opened(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    project = write_code(write_project(tmp_path_factory.mktemp("conference")))
    if request.param == "sqlite":
        async with open_site(project) as site:
            yield site
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    url = server.create_database()
    async with open_site(project, database=url) as site:
        yield site
    server.drop_database(url)


def heard(site: Site) -> list[tuple[str, str, int | None, str]]:
    """Return the callers that hooks have seen since the last call."""
    register, *_ = site._process.site.extending.code.register
    found: list[Any] = register.call.__globals__["HEARD"]
    reported = [*found]
    found.clear()
    return reported


def late_tasks(site: Site) -> list[asyncio.Task[None]]:
    found: list[asyncio.Task[None]] = site.app.jobs._functions.find("work:entries").__globals__["LATE"]
    return found


async def new_token(site: Site, kind: str) -> tuple[str | None, int | None]:
    """Return credentials of a kind of caller, and the caller's id."""
    if kind == "user":
        user = await site.user()
        return user.jwt, user.id
    if kind == "api-token":
        return await site.token(), 1
    if kind == "administrator":
        answer = await site.post("/admin/register-admin", json=BOSS)
        return answer.json()["data"]["token"], 1
    return None, None


@pytest.fixture(params=["anonymous", "user", "api-token", "administrator"])
async def caller(request: pytest.FixtureRequest, opened: Site) -> tuple[Site, str, str | None, Any]:
    """A site with an entry, and a caller: kind, credentials, id."""
    await opened.reset()
    token, caller_id = await new_token(opened, request.param)
    for role in ("public", "authenticated"):
        await opened.allow(role, f"{SPEAKER}.*")
    await opened.app.entries(SPEAKER).create({"name": "kept"})
    await opened.deliver()
    heard(opened)
    return opened, request.param, token, caller_id


WAYS = ("entries", "many", "service", "transaction", "run_transaction", "update_many", "update", "delete_many", "reads",
        "task", "late_task", "thread", "executor", "after_commit", "enqueue", "followed")  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_code_called_by_a_route(caller: tuple[Site, str, str | None, Any], way: str) -> None:
    site, kind, token, caller_id = caller
    path = f"/api/open/{way}" if kind == "anonymous" else f"/api/closed/{way}"
    answer = await site.post(path, token=token)
    assert answer.json() == {"kind": kind, "id": caller_id}
    await asyncio.gather(*late_tasks(site))
    await site.deliver()
    reported = heard(site)
    assert reported
    assert {event[1:] for event in reported} == {(kind, caller_id, "code")}


async def test_a_route_without_authentication_has_an_anonymous_caller(
    caller: tuple[Site, str, str | None, Any],
) -> None:
    site, _, token, _ = caller
    assert (await site.post("/api/open/entries", token=token)).json() == {"kind": "anonymous", "id": None}
    await site.post("/api/by-policy", token=token)
    await site.deliver()
    assert {event[1:] for event in heard(site)} == {("anonymous", None, "code")}


async def test_a_core_action_without_authentication_has_an_anonymous_caller(
    caller: tuple[Site, str, str | None, Any],
) -> None:
    site, _, token, _ = caller
    assert (await site.post("/api/open-core", json={"data": {"name": "x"}}, token=token)).status_code == 200
    await site.deliver()
    assert {event[1:] for event in heard(site)} == {("anonymous", None, "rest")}


async def test_code_around_every_request_has_an_anonymous_caller(caller: tuple[Site, str, str | None, Any]) -> None:
    site, _, token, _ = caller
    await site.get("/api/nothing", token=token, headers={"x-write": "1"})
    await site.deliver()
    assert {event[1:] for event in heard(site)} == {("anonymous", None, "code")}


async def test_core_actions_and_overrides(caller: tuple[Site, str, str | None, Any]) -> None:
    site, kind, token, caller_id = caller
    made = await site.post("/api/speakers", json={"data": {"name": "x"}}, token=token)
    await site.put(f"/api/speakers/{made.json()['data']['id']}", json={"data": {"name": "y"}}, token=token)
    await site.get("/api/speakers", token=token)
    await site.delete(f"/api/speakers/{made.json()['data']['id']}", token=token)
    await site.deliver()
    reported = heard(site)
    moments = {"before_create", "after_create", "after_commit_create", "before_update", "before_delete"}
    assert {event[0] for event in reported} >= moments | {"before_find_many"}
    assert {event[1:] for event in reported} == {(kind, caller_id, "rest")}


async def test_graphql(caller: tuple[Site, str, str | None, Any]) -> None:
    site, kind, token, caller_id = caller
    await site.graphql('mutation { createSpeaker(data: {name: "x"}) { data { id } } }', token=token)
    await site.graphql("{ speakers { data { id } } }", token=token)
    await site.deliver()
    assert {event[1:] for event in heard(site)} == {(kind, caller_id, "graphql")}
    await site.graphql('mutation { addSpeaker(name: "x") }', token=token)
    await site.deliver()
    assert {event[1:] for event in heard(site)} == {(kind, caller_id, "code")}


async def test_accounts_and_files(caller: tuple[Site, str, str | None, Any]) -> None:
    site, kind, token, caller_id = caller
    for role in ("public", "authenticated"):
        await site.allow(role, "plugin::upload.content-api.upload", "plugin::users-permissions.auth.register")
    heard(site)
    new = {"username": "new", "email": "new@example.org", "password": "A-long-password-1"}
    registered = await site.post("/api/auth/local/register", json=new, token=token)
    sent = await site.post("/api/upload", files={"files": ("a.txt", b"hello", "text/plain")}, token=token)
    assert (registered.status_code, sent.status_code) == (200, 200)
    assert {event[1:] for event in heard(site)} == {(kind, caller_id, "rest")}


async def test_administrators(opened: Site) -> None:
    await opened.reset()
    token, boss = await new_token(opened, "administrator")
    await opened.deliver()
    heard(opened)
    await opened.post(f"/content-manager/collection-types/{SPEAKER}", json={"name": "x"}, token=token)
    await opened.deliver()
    assert {event[1:] for event in heard(opened)} == {("administrator", boss, "admin")}


async def test_the_service_itself(opened: Site) -> None:
    heard(opened)
    await opened.run_task("yearly")
    await opened.app.entries(SPEAKER).create({"name": "of a script"})
    await opened.deliver()
    assert {event[1:] for event in heard(opened)} == {("system", None, "code")}


async def test_a_task_that_a_user_starts_has_that_caller(opened: Site) -> None:
    await opened.reset()
    token, boss = await new_token(opened, "administrator")
    await opened.deliver()
    heard(opened)
    await opened.app.jobs.scheduler().look()
    assert (await opened.post("/octavo/jobs/tasks/yearly/run", token=token)).status_code == 202
    await opened.deliver()
    assert {event[1:] for event in heard(opened)} == {("administrator", boss, "code")}
