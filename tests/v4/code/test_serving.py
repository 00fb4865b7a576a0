"""A served v4 project with routes: open and closed actions, and the log messages."""

import json
import logging
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import Process, build
from octavo.project import InvalidCode
from octavo.settings import load_settings
from octavo.settings.files.api import Adoption
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, write_files, write_project

pytestmark = pytest.mark.anyio

CLOSED = {
    "status": 403,
    "name": "ForbiddenError",
    "message": "Closed: the code that guards this route is not running",
    "details": {},
}
NOTE = {"title": TEXT, "secret": {"type": "relation", "relation": "manyToOne", "target": "api::secret.secret"}}
PLAIN = {"title": TEXT}
TYPES: dict[str, Any] = {
    **dict.fromkeys(("note", "open", "shaped"), NOTE),
    **dict.fromkeys(("secret", "gone", "hooked", "hidden", "ruled"), PLAIN),
}
CONTROLLER = """createCoreController('api::note.note', () => ({
  async find(ctx) { ctx.query.filters = { owner: ctx.state.user.id }; return super.find(ctx); },
  async popular(ctx) { return []; },
}))"""
OWN = """module.exports = { routes: [
  { method: 'GET', path: '/notes/popular', handler: 'note.popular' },
  { method: 'GET', path: '/first', handler: 'note.findOne', config: { policies: ['is-owner'] } },
  { method: 'GET', path: '/users/me', handler: 'note.popular', config: { auth: false } },
] };"""
OPEN = """createCoreRouter('api::open.open', {
  prefix: '/v1',
  except: ['delete'],
  config: {
    find: { auth: false },
    findOne: { auth: { scope: ['api::gone.gone.delete'] } },
    create: { policies: [() => true] },
    update: { middlewares: ['global::nowhere'] },
  },
})"""
SHAPED = """createCoreController('api::shaped.shaped', () => ({
  async find(ctx) { ctx.query = { ...ctx.query, populate: { secret: true } }; return super.find(ctx); },
  async findOne(ctx) {
    ctx.query = { fields: ['id'] };
    const { data, meta } = await super.findOne(ctx);
    return { data, meta };
  },
}))"""
EXTENSION = """module.exports = (plugin) => {
  plugin.controllers.user.count = (ctx) => {};
  plugin.routes['content-api'].routes.push({ method: 'GET', path: '/extra', handler: 'user.extra' });
  return plugin;
};"""
INDEX = """module.exports = { register({ strapi }) {
  const extension = strapi.plugin('graphql').service('extension');
  extension.shadowCRUD('api::hidden.hidden').disable();
  ['api::note.note', 'api::nowhere.nowhere'].forEach((uid) => extension.shadowCRUD(uid).disableMutations());
  extension.use(({ strapi }) => ({
    typeDefs: 'extend type Query { hello: String }',
    types: [
      nexus.extendType({ type: 'UsersPermissionsMe', definition(t) { t.field('gones', { resolve: () => [] }); } }),
      nexus.extendType({ type: 'Query', definition: (t) => { t.field('shapeds', { resolve: () => [] }); } }),
      nexus.extendType({ type: root, definition(t) { t.field('shaped', { resolve: () => null }); } }),
    ],
    resolvers: { Query: { hello: () => 'x', ruled: () => null } },
    resolversConfig: {
      'Query.ruleds': { auth: false },
      'Query.opens': { policies: ['is-owner'] },
      'Mutation.createRuled': { auth: { scope: ['api::open.open.create'] } },
    },
  }));
} };"""
HOOKS = """const guard = require('lock-guard');
module.exports = {
  beforeCreate() { throw 1; },
  async beforeDelete(event) { await guard.locked(event.params.where.id, 'secret'); },
};"""
PRICES = """module.exports = [
  { method: 'GET', path: '/prices/:id', handler: 'price.show', config: { auth: false, policies: [] } },
  { method: 'GET', path: '/sales', handler: 'price.sales', config: { policies: ['admin::isAuthenticatedAdmin'] } },
  { method: 'GET', path: '/margins', handler: 'price.margins' },
];"""
LETTERS = """module.exports = {
  admin: { type: 'admin', routes: [
    { method: 'POST', path: '/letters', handler: 'letter.take', config: { auth: false } },
  ] },
  named: { prefix: '/post', routes: [{ method: 'GET', path: '/', handler: 'letter.list', config: { auth: false } }] },
  'content-api': { type: 'content-api', routes: [
    { method: 'POST', path: '/letters', handler: 'letter.send', config: { auth: false } },
  ] },
};"""
FILES = {
    "src/plugins/shop/server/routes/index.js": PRICES,
    "src/plugins/shop/server/controllers/price.js": "module.exports = { show(ctx) { ctx.body = 1; } };",
    "src/plugins/news/server/routes/index.js": LETTERS,
    "src/api/note/controllers/note.js": CONTROLLER,
    "src/api/note/routes/01-own.js": OWN,
    "src/api/note/policies/is-owner.js": "module.exports = (ctx) => ctx.state.user.id === 1;",
    "src/api/open/routes/open.js": OPEN,
    "src/api/gone/routes/gone.js": None,
    "src/api/shaped/controllers/shaped.js": SHAPED,
    "src/api/hooked/content-types/hooked/lifecycles.js": HOOKS,
    "src/extensions/users-permissions/strapi-server.js": EXTENSION,
    "src/index.js": INDEX,
}
GRANTED = [
    *(
        f"api::{name}.{name}.{do}"
        for name in ("note", "open", "gone", "hooked")
        for do in ("find", "findOne", "create")
    ),
    "api::hooked.hooked.delete",
    "api::ruled.ruled.findOne",
    "api::shaped.shaped.find",
    "api::shaped.shaped.findOne",
    "plugin::users-permissions.user.count",
    "plugin::users-permissions.user.me",
    "api::open.open.update",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = write_project(tmp_path_factory.mktemp("v4"), TYPES, FILES)
    (found / ".tmp").mkdir()
    (found / ".tmp/data.db").touch()
    return found


@pytest.fixture(scope="module")
def log_messages() -> Iterator[list[str]]:
    """Return the log messages about the code."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler, logger = Kept(), logging.getLogger("octavo.v4.closed_operations")
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


@pytest.fixture(scope="module")
async def served(anyio_backend: str, folder: Path, log_messages: list[str]) -> AsyncIterator[Process]:
    octavo = build(load_settings(folder, SECRETS, mode="production"))
    await octavo.asgi.start()
    await grant(octavo.database, "public", GRANTED)
    await octavo.database.execute("INSERT INTO secrets (title) VALUES ('hidden')")
    for kind in ("note", "open", "shaped"):
        await octavo.database.execute(f"INSERT INTO {kind}s (title) VALUES ('one')")
        await octavo.database.execute(f"INSERT INTO {kind}s_secret_links ({kind}_id, secret_id) VALUES (1, 1)")
    yield octavo
    await octavo.asgi.stop()


async def ask(octavo: Process, method: str, target: str, body: Any = None) -> Answer:
    chunks = [] if body is None else [json.dumps(body).encode()]
    headers = [] if body is None else [("Content-Type", "application/json"), ("Content-Length", str(len(chunks[0])))]
    return await call(octavo.asgi, method, f"/api{target}", headers, chunks)


def answer_of(answer: Answer) -> tuple[int, Any]:
    return answer.status, answer.json.get("error") or answer.json["data"]


async def test_routes_have_the_prefix_of_the_project(served: Process) -> None:
    assert (await ask(served, "GET", "/v1/opens")).status == 200
    assert (await ask(served, "GET", "/opens")).status == 404
    assert (await ask(served, "DELETE", "/v1/opens/1")).status == 405
    assert (await ask(served, "GET", "/gones")).status == 404
    assert (await ask(served, "GET", "/notes/1")).status == 200


async def test_public_routes_need_no_authentication(served: Process) -> None:
    answer = await call(served.asgi, "GET", "/api/v1/opens?populate=*", [("Authorization", "Bearer nonsense")])
    assert answer.status == 200
    assert [entry["attributes"].get("title") for entry in answer.json["data"]] == ["one"]
    assert "secret" not in answer.json["data"][0]["attributes"], "nothing is shown that only some may see"


async def test_scopes_replace_the_permission_of_the_action(served: Process) -> None:
    assert (await ask(served, "GET", "/v1/opens/1")).status == 403
    assert (await ask(served, "POST", "/v1/opens", {"data": {"title": "two"}})).status == 200


async def test_own_handlers_are_named(served: Process) -> None:
    answer = await ask(served, "GET", "/users/me")
    file = "src/api/note/controllers/note.js"
    assert answer_of(answer) == (
        501,
        {
            "status": 501,
            "name": "NotImplementedError",
            "message": f"GET /users/me is handled by note.popular in {file}, which is not ported to Python",
            "details": {"handler": "note.popular", "file": file},
        },
    )
    assert (await ask(served, "GET", "/notes/popular")).status == 403, "only disclosed to callers who could use it"


@pytest.mark.parametrize(
    "method, path, handler, file",
    [
        ("GET", "/shop/prices/1", "price.show", "src/plugins/shop/server/routes/index.js"),
        ("POST", "/news/letters", "letter.take", "src/plugins/news/server/routes/index.js"),
        ("GET", "/post", "letter.list", "src/plugins/news/server/routes/index.js"),
        ("POST", "/api/news/letters", "letter.send", "src/plugins/news/server/routes/index.js"),
    ],
)
async def test_public_routes_of_plugins_are_named_where_v4_serves_them(
    served: Process, method: str, path: str, handler: str, file: str
) -> None:
    answer = await call(served.asgi, method, path, [], [])
    assert (answer.status, answer.json["error"]["details"]) == (501, {"handler": handler, "file": file})


@pytest.mark.parametrize("path", ["/shop/sales", "/shop/margins", "/api/shop/prices/1"])
async def test_routes_for_administrators_are_not_served(served: Process, path: str) -> None:
    assert (await call(served.asgi, "GET", path, [], [])).status == 404


@pytest.mark.parametrize("method, target", [("GET", "/notes"), ("GET", "/first"), ("PUT", "/v1/opens/1")])
async def test_guarded_routes_are_closed(served: Process, method: str, target: str) -> None:
    assert answer_of(await ask(served, method, target)) == (403, CLOSED)


async def test_the_log_lists_closed_actions_with_the_reason(served: Process, log_messages: list[str]) -> None:
    closed = [line for line in log_messages if line.startswith("Closed: ")]
    assert len(closed) == 10
    assert "1 more guards close endpoints; list them with octavo adopt" in log_messages
    policy = "api::note.is-owner does not run (src/api/note/policies/is-owner.js:1: custom code)"
    hook = (
        "api::hooked.hooked.beforeCreate does not run (src/api/hooked/content-types/hooked/lifecycles.js:3: can reject)"
    )
    name, place = "api::hooked.hooked.beforeDelete", "src/api/hooked/content-types/hooked/lifecycles.js:4"
    call = f"custom code; calls guard.locked at {place}, which Octavo cannot follow"
    remedy = f"if it rejects nothing, allow {name}"
    told_of = f"{name} does not run ({place}: {call}; {remedy})"
    assert f"Closed: DELETE /hookeds/:id, Mutation.deleteHooked: {told_of}" in closed
    assert f"Closed: GET /first: {policy}" in closed
    assert f"Closed: POST /hookeds, Mutation.createHooked: {hook}" in closed


async def test_changes_of_the_query_by_actions_apply(served: Process) -> None:
    await grant(served.database, "public", ["api::secret.secret.find"])
    served.infrastructure.authenticator.invalidate()
    found = (await ask(served, "GET", "/shapeds?populate=nothing&fields=title")).json["data"]
    assert [entry["attributes"]["secret"]["data"]["id"] for entry in found] == [1]
    assert (await ask(served, "GET", "/shapeds/1?populate=*")).json["data"]["attributes"] == {}


async def test_a_global_middleware_closes_everything(served: Process, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    filtering = "module.exports = () => (ctx, next) => (ctx.ip === '::1' ? next() : ctx.forbidden());"
    listed = "module.exports = ['strapi::errors', 'global::filter'];"
    write_files(tmp_path, {"config/middlewares.js": listed, "src/middlewares/filter.js": filtering})
    octavo = build(replace(served.settings, project=tmp_path))
    await octavo.asgi.start()
    paths = ("/api/notes/1", "/api/users/me", "/graphql", "/_health")
    statuses = [(await call(octavo.asgi, "GET", path)).status for path in paths]
    await octavo.asgi.stop()
    assert statuses == [403, 403, 403, 204]


async def graphql(octavo: Process, text: str) -> Any:
    body = json.dumps({"query": text}).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    return (await call(octavo.asgi, "POST", "/graphql", headers, [body])).json


async def test_hooks_guard_every_door(served: Process) -> None:
    assert answer_of(await ask(served, "POST", "/hookeds", {"data": {"title": "x"}})) == (403, CLOSED)
    assert (await ask(served, "GET", "/hookeds")).status == 200
    answer = await graphql(served, 'mutation { createHooked(data: {title: "x"}) { data { id } } }')
    assert answer["errors"][0]["message"] == CLOSED["message"]
    assert "errors" not in await graphql(served, "{ hookeds { data { id } } }")


async def test_calls_that_cannot_be_followed_close_until_allowed(served: Process) -> None:
    await served.database.execute("INSERT INTO hookeds (title) VALUES ('one')")
    assert answer_of(await ask(served, "DELETE", "/hookeds/1")) == (403, CLOSED)
    answer = await graphql(served, "mutation { deleteHooked(id: 1) { data { id } } }")
    assert answer["errors"][0]["message"] == CLOSED["message"]
    settings = served.settings
    allowed = Adoption(allow=("api::hooked.hooked.beforeDelete",))
    octavo = build(replace(settings, api=replace(settings.api, adoption=allowed)))
    await octavo.asgi.start()
    answer = await ask(octavo, "DELETE", "/hookeds/1")
    await octavo.asgi.stop()
    assert answer.status == 200


async def test_routes_that_extensions_change_are_closed(served: Process) -> None:
    assert answer_of(await ask(served, "GET", "/users/count")) == (403, CLOSED)
    assert (await ask(served, "GET", "/users-permissions/extra")).status == 403
    assert (await ask(served, "GET", "/users/1")).json["error"]["message"] == "Forbidden"


@pytest.mark.parametrize(
    "text, message",
    [
        ("{ ruleds { data { id } } }", None),  # public
        ("{ ruled(id: 1) { data { id } } }", CLOSED["message"]),  # its resolver is replaced
        ("{ opens { data { id } } }", CLOSED["message"]),
        ("{ open(id: 1) { data { id } } }", None),
        ("{ gones { data { id } } }", None),  # a field of another type has the same name
        ("{ shapeds { data { id } } }", CLOSED["message"]),
        ("{ shaped(id: 1) { data { id } } }", CLOSED["message"]),  # its type is unknown
        ("{ notes { data { id } } }", None),  # the route's guard does not guard the field, as in v4
        ('mutation { createRuled(data: {title: "x"}) { data { id } } }', None),
        ("{ hello }", 'Cannot query field "hello"'),
        ("{ hiddens { data { id } } }", 'Cannot query field "hiddens"'),
        ('mutation { createNote(data: {title: "x"}) { data { id } } }', 'Cannot query field "createNote"'),
    ],
)
async def test_graphql_has_the_settings_of_the_project(served: Process, text: str, message: str | None) -> None:
    errors = (await graphql(served, text)).get("errors", [])
    assert [error["message"][: len(message or "")] for error in errors] == ([] if message is None else [message])


@pytest.mark.parametrize(
    "name, target",
    [
        ("api::note.note.find", "/notes"),
        ("GET /notes", "/notes"),
        ("api::note.is-owner", "/first"),
    ],
)
async def test_allowed_names_are_open(served: Process, name: str, target: str) -> None:
    settings = served.settings
    octavo = build(replace(settings, api=replace(settings.api, adoption=Adoption(allow=(name,)))))
    await octavo.asgi.start()
    answer = await ask(octavo, "GET", target)
    await octavo.asgi.stop()
    assert answer.status == (404 if target == "/first" else 200)


async def test_unknown_names_are_refused(served: Process) -> None:
    settings = served.settings
    allowed = Adoption(allow=("api::note.is-ovner",))
    with pytest.raises(
        InvalidCode, match=r"adoption\.allow: unknown name api::note\.is-ovner; did you mean api::note\.is-owner\?"
    ):
        build(replace(settings, api=replace(settings.api, adoption=allowed)))
