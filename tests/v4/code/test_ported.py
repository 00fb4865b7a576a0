"""A Python file replaces the JavaScript file of the same name in a v4 project: it runs, and closed actions open."""

import logging
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import Process, build
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from octavo.v4.code import State
from octavo.v4.code.porting import read_ported
from octavo.v4.code.read import read_code
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, write_files, write_project

pytestmark = pytest.mark.anyio

GUARDING = "ctx.query.filters = { owner: ctx.state.user.id }; return super.{action}(ctx);"
TYPES: dict[str, Any] = {name: {"title": TEXT} for name in ("note", "half", "hooked", "routed", "served", "bare")}


def controller(name: str, *actions: str) -> str:
    bodies = (f"async {action}(ctx) {{ {GUARDING.replace('{action}', action)} }}," for action in actions)
    return (
        f"createCoreController('api::{name}.{name}', () => ({{ {' '.join(bodies)} async own(ctx) {{ return 1; }} }}))"
    )


JAVASCRIPT = {
    "src/api/note/controllers/note.js": controller("note", "find", "findOne"),
    "src/api/note/routes/01-own.js": """module.exports = { routes: [
      { method: 'GET', path: '/own', handler: 'note.own', config: { auth: false } },
      { method: 'GET', path: '/other', handler: 'note.other', config: { auth: false } },
      { method: 'GET', path: '/owner', handler: 'note.own', config: { auth: false, policies: [
        { name: 'is-owner', config: { word: 'open' } }] } },
      { method: 'GET', path: '/stranger', handler: 'note.own', config: { auth: false, policies: ['is-stranger'] } },
      { method: 'GET', path: '/around', handler: 'note.own', config: { auth: false, middlewares: ['global::count'] } },
    ] };""",
    "src/api/note/policies/is-owner.js": "module.exports = (ctx) => ctx.state.user.id === 1;",
    "src/api/note/policies/is-stranger.js": "module.exports = (ctx) => ctx.state.user.id === 2;",
    "src/middlewares/count.js": "module.exports = () => async (ctx, next) => { if (ctx.x) return; await next(); };",
    "src/middlewares/outer.js": "module.exports = () => async (ctx, next) => { if (ctx.y) return; await next(); };",
    "config/middlewares.js": "module.exports = [{ name: 'global::outer', config: { word: 'hello' } }];",
    "src/api/half/controllers/half.js": controller("half", "find", "findOne"),
    "src/api/hooked/controllers/hooked.js": controller("hooked", "find"),
    "src/api/hooked/content-types/hooked/lifecycles.js": """module.exports = {
      beforeFindMany(event) { event.params.where = { owner: 1 }; },
    };""",
    "src/api/routed/controllers/routed.js": controller("routed", "find"),
    "src/api/routed/routes/routed.js": "createCoreRouter('api::routed.routed', { only: ['find', 'delete'] })",
    "src/api/served/services/served.js": """createCoreService('api::served.served', () => ({
      async find(params) { return { results: [], pagination: {} }; },
      async findOne(id) { return null; },
    }))""",
    "src/api/bare/controllers/bare.js": None,
    "src/extensions/users-permissions/strapi-server.js": """module.exports = (plugin) => {
      plugin.controllers.user.me = (ctx) => {};
      plugin.controllers.user.count = (ctx) => {};
      return plugin;
    };""",
}
PYTHON = {
    "src/api/note/controllers/note.py": """
        from octavo import Controller

        class NoteController(Controller):
            async def find(self, request):
                answer = await super().find(request)
                answer["meta"]["python"] = True
                return answer

            async def find_one(self, request):
                return await super().find_one(request)

            async def own(self, request):
                return {"own": request.state.get("seen", "nothing")}
    """,
    "src/api/note/policies/is-owner.py": """
        def policy(context, config):
            context.state.seen = config["word"]
            return context.args.get("pass") != "no"
    """,
    "src/middlewares/count.py": """
        async def middleware(request, next):
            request.state.seen = "counted"
            return await next(request)
    """,
    "src/middlewares/outer.py": """
        async def middleware(request, next, config):
            answer = await next(request)
            answer.headers["x-word"] = config["word"]
            return answer
    """,
    "src/api/half/controllers/half.py": """
        from octavo import Controller

        class HalfController(Controller):
            async def find(self, request):
                return ["half"]
    """,
    "src/api/hooked/controllers/hooked.py": """
        from octavo import Controller

        class HookedController(Controller):
            async def find(self, request):
                return await super().find(request)
    """,
    "src/api/routed/routes/routed.py": """
        from octavo import CoreRouter

        router = CoreRouter(only=["find", "find_one"], prefix="/new", config={"find_one": {"auth": False}})
    """,
    "src/api/served/services/served.py": """
        from octavo import EntryPage, Service

        class ServedService(Service):
            async def find(self, query=None):
                return EntryPage([{"id": 7, "title": "served"}], 1)
    """,
    "src/api/bare/controllers/bare.py": "from octavo import Controller\\n\\nclass BareController(Controller): pass\\n",
    "src/extensions/users-permissions/controllers/user.py": """
        from octavo import Controller

        class UserController(Controller):
            async def me(self, request):
                return {"me": request.actor.kind}
    """,
}
GRANTED = [f"api::{name}.{name}.{action}" for name in TYPES for action in ("find", "findOne", "create", "delete")]


def write(folder: Path) -> None:
    write_project(folder, TYPES, JAVASCRIPT)
    write_files(folder, {name: textwrap.dedent(text).replace("\\n", "\n") for name, text in PYTHON.items()})


@pytest.fixture(scope="module")
async def service(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Process]:
    folder = tmp_path_factory.mktemp("ported")
    write(folder)
    (folder / ".tmp").mkdir()
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, SECRETS, mode="development"))
    await octavo.asgi.start()
    await grant(octavo.database, "public", [*GRANTED, "plugin::users-permissions.user.me"])
    octavo.infrastructure.authenticator.invalidate()
    yield octavo
    await octavo.asgi.stop()


async def get(service: Process, path: str) -> Answer:
    return await call(service.asgi, "GET", path)


async def test_only_ported_actions_are_open(service: Process) -> None:
    assert (await get(service, "/api/notes")).json["meta"]["python"] is True
    assert (await get(service, "/api/notes/1")).status == 404
    assert (await get(service, "/api/halfs")).json == ["half"]
    assert (await get(service, "/api/halfs/1")).status == 403
    assert (await get(service, "/api/hookeds")).status == 403  # its hook is not ported
    assert (await get(service, "/api/bares")).json["data"] == []


async def test_custom_actions_with_their_policies_and_middlewares(service: Process) -> None:
    assert (await get(service, "/api/own")).json == {"own": "nothing"}
    assert (await get(service, "/api/other")).status == 501
    assert (await get(service, "/api/owner")).json == {"own": "open"}
    assert (await get(service, "/api/owner?pass=no")).json["error"]["name"] == "PolicyError"
    assert (await get(service, "/api/stranger")).status == 403
    assert (await get(service, "/api/around")).json == {"own": "counted"}


async def test_middlewares_for_all_paths(service: Process) -> None:
    assert (await get(service, "/api/own")).headers["x-word"] == "hello"


async def test_routes_in_python_replace_those_in_javascript(service: Process) -> None:
    routes = {(route.method, route.template) for route in service.site.router.routes() if "routed" in route.template}
    assert routes == {("GET", "/api/new/routeds"), ("GET", "/api/new/routeds/:id")}
    assert (await get(service, "/api/new/routeds")).status == 403  # find is not ported
    assert (await get(service, "/api/new/routeds/1")).status == 404


async def test_services(service: Process) -> None:
    served = (await get(service, "/api/serveds")).json
    assert served["data"] == [{"id": 7, "attributes": {"title": "served"}, "meta": {}}]
    assert (await get(service, "/api/serveds/1")).status == 403


async def test_extensions(service: Process) -> None:
    assert (await get(service, "/api/users/me")).json == {"me": "anonymous"}
    assert (await get(service, "/api/users/count")).status == 403


def test_the_report_lists_ported_code_with_its_replacement(tmp_path: Path) -> None:
    write(tmp_path)
    code = read_code(tmp_path, load_registry(tmp_path))
    found = {(item.kind, item.name): item for item in code.findings if item.state is State.PORTED}
    said = {name: item.says.partition(": ")[0] for (_, name), item in found.items()}
    assert said["api::note.note.find"] == "ported by src/api/note/controllers/note.py:5"
    assert said["api::note.note.own"] == "ported by src/api/note/controllers/note.py:13"
    assert said["api::note.is-owner"] == "ported by src/api/note/policies/is-owner.py:2"
    assert said["global::outer"] == "ported by src/middlewares/outer.py:2"
    assert said["api::served.served.find"] == "ported by src/api/served/services/served.py:5"
    assert said["src/api/routed/routes/routed.js"] == "ported by src/api/routed/routes/routed.py"
    assert (
        said["plugin::users-permissions.user.me"] == "ported by src/extensions/users-permissions/controllers/user.py:5"
    )
    assert said["GET /own"] == "handled by src/api/note/controllers/note.py:13"
    closed = {item.name for item in code.findings if item.state is State.CLOSED}
    assert {"api::half.half.findOne", "api::note.is-stranger", "plugin::users-permissions.user.count"} <= closed
    assert closed.isdisjoint(said)


def test_the_log_lists_code_that_is_not_ported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path)
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp/data.db").touch()
    with caplog.at_level(logging.WARNING):
        build(load_settings(tmp_path, SECRETS, mode="development"))
    reported = [item.getMessage() for item in caplog.records if item.getMessage().startswith("Closed")]
    assert not any("note.note.find" in line or "global::outer" in line for line in reported)
    assert any("api::note.is-stranger" in line for line in reported)
    assert any(line.startswith("Closed: Query.me: GraphQL does not run src/extensions/") for line in reported)


def test_methods_of_classes_that_controllers_inherit_from(tmp_path: Path) -> None:
    owned = """
        from octavo import Controller

        class Base(Controller):
            async def find(self, request): ...

        class Owned(Base):
            async def delete(self, request): ...
    """
    note = """
        from ....owned import Owned as Shared

        class NoteController(Shared):
            async def own(self, request): ...
    """
    write_files(
        tmp_path, {"src/owned.py": textwrap.dedent(owned), "src/api/note/controllers/note.py": textwrap.dedent(note)}
    )
    ported = read_ported(tmp_path, ())
    assert {name.rpartition(".")[2] for name in ported.actions} == {"own", "find", "delete"}
    assert ported.actions["api::note.note.delete"] == "src/api/note/controllers/note.py:4"
