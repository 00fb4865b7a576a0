"""Extensions of plugins and GraphQL close routes and fields. Python that replaces them opens these."""

from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import build
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from octavo.v4.code import State
from octavo.v4.code.read import read_code
from tests.api.http.asgi import call
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, write_files, write_project

pytestmark = pytest.mark.anyio

TYPES: dict[str, Any] = {name: {"title": TEXT} for name in ("note", "other")}
GUARDED = "{ middlewares: [async (next, ...args) => { if (x) throw new Error(); return next(...args); }], auth: false }"
JAVASCRIPT = {
    "src/extensions/users-permissions/strapi-server.js": """module.exports = (plugin) => {
      plugin.routes['content-api'].routes = plugin.routes['content-api'].routes.filter((route) => route.path !== '/me');
      return plugin; };""",
    "src/index.js": f"""module.exports = {{ register({{ strapi }}) {{
      strapi.plugin('graphql').service('extension').use({{ resolversConfig: {{
        'Query.notes': {GUARDED}, 'Query.others': {GUARDED} }} }}); }} }};""",
    "config/plugins.js": "module.exports = { graphql: { enabled: true } };",
}
PYTHON = {
    "src/extensions/users-permissions/routes/me.py": """from octavo import Route

routes = [Route("GET", "/me", lambda request: "nobody", auth=False)]
""",
    "src/index.py": """async def shout(next, parent, args, context, info):
    return await next(parent, args, context, info)


def register(app):
    config = {"Query.notes": {"middlewares": [shout]}}
    app.plugin("graphql").service("extension").use({"resolvers_config": config})
""",
}


async def answers(folder: Path) -> tuple[int, int, dict[str, Any]]:
    """Return the responses of `GET /users/count`, `GET /me` and both root fields."""
    (folder / ".tmp").mkdir()
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, SECRETS, mode="development"))
    await octavo.asgi.start()
    await grant(octavo.database, "public", ["plugin::users-permissions.user.count"])
    octavo.infrastructure.authenticator.invalidate()
    count, me = [(await call(octavo.asgi, "GET", path)).status for path in ("/api/users/count", "/api/me")]
    query = b'{"query": "{ notes { data { id } } others { data { id } } }"}'
    asked = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [query])
    await octavo.asgi.stop()
    return count, me, asked.json["data"]


async def test_closed_without_python(tmp_path: Path) -> None:
    write_project(tmp_path, TYPES, JAVASCRIPT)
    assert await answers(tmp_path) == (403, 404, {"notes": None, "others": None})


async def test_open_by_python(tmp_path: Path) -> None:
    """A file of routes for the plugin, and GraphQL fields that Python names, with the access rules of JavaScript."""
    write_project(tmp_path, TYPES, JAVASCRIPT)
    write_files(tmp_path, PYTHON)
    assert await answers(tmp_path) == (200, 200, {"notes": {"data": []}, "others": None})


def test_the_report_lists_the_replacements(tmp_path: Path) -> None:
    write_project(tmp_path, TYPES, JAVASCRIPT)
    write_files(tmp_path, PYTHON)
    code = read_code(tmp_path, load_registry(tmp_path))
    said = {item.name: item.says.partition(": ")[0] for item in code.findings if item.state is State.PORTED}
    assert said["plugin::users-permissions routes"] == "ported by src/extensions/users-permissions/routes/me.py"
    assert said["Query.notes"] == "ported by src/index.py:6"
    assert "Query.others" not in said


ROUTERS = {
    name: f"createCoreRouter('api::{name}.{name}', {{ config: {{ find: {{ policies: ['{policy}'] }} }} }})"
    for name, policy in (("note", "ported"), ("other", "unported"))
}
POLICIES = {
    **{f"src/api/{name}/routes/{name}.js": text for name, text in ROUTERS.items()},
    **{f"src/policies/{name}.js": "module.exports = (ctx) => ctx.a.b.c();" for name in ("ported", "unported")},
}
PORTED = {"src/policies/ported.py": "def policy(context):\n    return context.door == 'graphql'\n"}


@pytest.mark.parametrize("shared", [True, False])
async def test_policies_of_routes_before_fields(tmp_path: Path, shared: bool) -> None:
    """If fields share the guards of routes, ported guards run before the fields. Without all of them the fields are
    closed."""
    write_project(tmp_path, TYPES, {"config/plugins.js": JAVASCRIPT["config/plugins.js"], **POLICIES})
    write_files(tmp_path, PORTED)
    if shared:
        write_files(tmp_path, {"config/api.toml": '[compat]\ngraphqlGuards = "shared"\n'})
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp/data.db").touch()
    octavo = build(load_settings(tmp_path, SECRETS, mode="development"))
    await octavo.asgi.start()
    await grant(octavo.database, "public", ["api::note.note.find", "api::other.other.find"])
    octavo.infrastructure.authenticator.invalidate()
    query = b'{"query": "{ notes { data { id } } others { data { id } } }"}'
    asked = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [query])
    assert [(await call(octavo.asgi, "GET", f"/api/{name}")).status for name in ("notes", "others")] == [403, 403]
    assert octavo.site.guards is not None
    reported = [line.split(": ")[:2] for line in octavo.site.guards.remarks(octavo.site.graphql)]
    await octavo.asgi.stop()
    assert asked.json["data"] == {"notes": {"data": []}, "others": None if shared else {"data": []}}
    opened = [["Open in GraphQL", "Query.notes"], ["Open in GraphQL", "Query.others"]]
    assert reported == ([["Closed in GraphQL", "Query.others"]] if shared else opened)
