"""Code that guards, and code that provably does not: policies, middlewares, overridden actions, hooks, extensions."""

from pathlib import Path
from typing import Any

import pytest

from octavo.v4.code import Code, Finding, Kind, QueryChange, Shape, State
from tests.models.v4_project import TEXT, read_project

ROUTER = "src/api/article/routes/article.js"
CORE = "createCoreRouter('api::article.article', { config: { find: { %s } } })"


def read(folder: Path, **files: str) -> Code:
    return read_project(folder, {"article": {"title": TEXT}}, files)


def shapes(code: Code) -> tuple[Shape, ...]:
    (found,) = [route for route in code.routes if route.name == "GET /articles"]
    assert not found.guards
    return found.shapes


def always(key: str, value: Any) -> QueryChange:
    return QueryChange(key, value)


def absent(key: str, value: Any) -> QueryChange:
    return QueryChange(key, value, only_if_absent=True)


def findings(code: Code, kind: Kind) -> dict[str, Finding]:
    return {finding.name: finding for finding in code.findings if finding.kind is kind}


@pytest.mark.parametrize(
    "policy, guards",
    [
        ("() => true", False),
        ("(ctx, config, { strapi }) => { strapi.log.info('seen'); return true; }", False),
        ("async () => {}", False),
        ("(ctx) => !!ctx.state.user", True),
        ("(ctx) => { if (ctx.state.user) { return true; } return false; }", True),
        ("(ctx) => { ctx.query.filters = {}; return true; }", True),
        ("() => { throw new Error(); }", True),
        ("() => check()", True),
        ("(ctx) => { console.log(ctx.state.user.id); return true; }", True),  # fails for callers without a user
    ],
)
def test_policies(tmp_path: Path, policy: str, guards: bool) -> None:
    code = read(
        tmp_path,
        **{ROUTER: CORE % "policies: ['one']", "src/api/article/policies/one.js": f"module.exports = {policy};"},
    )
    assert ("api::article.one" in code.guards) == guards


def test_policies_that_routes_require_are_used(tmp_path: Path) -> None:
    code = read(
        tmp_path,
        **{
            ROUTER: f"const one = require('../policies/one'); module.exports = {CORE % 'policies: [one]'}",
            "src/api/article/policies/one.js": "module.exports = (ctx) => ctx.state.user.isAdmin",
            "src/api/article/policies/two.js": "module.exports = () => false",
        },
    )
    found = findings(code, Kind.POLICY)
    assert found["api::article.one"].state is State.CLOSED
    assert "apparently unused" not in found["api::article.one"].says
    assert "apparently unused" in found["api::article.two"].says


HARMLESS = [
    ("await next();", ()),
    ("return next();", ()),
    ("ctx.query.populate = 'author'; await next();", (always("populate", "author"),)),
    ("ctx.query = { ...ctx.query, fields: ['title'] }; return next();", (always("fields", ["title"]),)),
    ("ctx.query = { sort: 'title', ...ctx.query }; return next();", (absent("sort", "title"),)),
    (
        "if (!ctx.query.populate) { ctx.query.populate = { a: true }; } await next();",
        (absent("populate", {"a": "true"}),),
    ),
    (
        "const { query } = ctx; query.pagination = { pageSize: 5 }; await next();",
        (always("pagination", {"pageSize": "5"}),),
    ),
    (
        "const p = { a: { b: ['c'] } }; ctx.request.query.populate ??= p; await next();",
        (absent("populate", {"a": {"b": ["c"]}}),),
    ),
    ("ctx.query.populate = deep(); await next();", None),
    ("ctx.query.populate = list; await next();", ()),  # known only at run time: skipped and reported
    ("const t = Date.now(); await next(); ctx.set('X-Time', `${Date.now() - t}`);", ()),
    ("await next(); if (ctx.url === '/admin') { const r = await fetch('http://x'); console.log(r); }", ()),
]
GUARDING = [
    "if (ctx.query.key) await next();",
    "if (!ctx.state.user) return ctx.unauthorized(); await next();",
    "await next(); delete ctx.body.secret;",
    "await next(); const body = ctx.body; body.data = [];",
    "await next(); restrict(ctx);",
    "await next(); ctx.redirect('/x');",
    "ctx.query.filters = { owner: ctx.state.user.id }; await next();",
    "ctx.query.fields = allowed(ctx); await next();",
    "ctx.request.body.data.owner = 1; await next();",
    "try { await next(); } catch (error) { ctx.body = {}; }",
    "let { populate } = ctx.query; populate = 'x'; next();",
    "ctx.state.user = null; await next();",
    "const { id } = ctx.state.user; await next();",
    "console.log(ctx.query.filters.owner); await next();",
    "const { filters: { owner } } = ctx.query; await next();",
    "Object.assign(ctx.query, { fields: ['id'] }); await next();",
    "",
]


@pytest.mark.parametrize("body, changes", HARMLESS)
def test_harmless_middlewares_are_done(tmp_path: Path, body: str, changes: tuple[QueryChange, ...] | None) -> None:
    text = f"module.exports = (config, {{ strapi }}) => async (ctx, next) => {{ {body} }};"
    code = read(tmp_path, **{ROUTER: CORE % "middlewares: ['one']", "src/api/article/middlewares/one.js": text})
    if changes is None:
        assert "api::article.one" in code.guards
    else:
        assert shapes(code) == ((Shape(changes),) if changes else ())


@pytest.mark.parametrize("body", GUARDING)
def test_other_middlewares_guard(tmp_path: Path, body: str) -> None:
    text = f"export default (config, {{ strapi }}) => {{ return async (ctx, next) => {{ {body} }}; }};"
    code = read(tmp_path, **{ROUTER: CORE % "middlewares: ['one']", "src/api/article/middlewares/one.js": text})
    assert "api::article.one" in code.guards


@pytest.mark.parametrize(
    "action, expected",
    [
        ("async find(ctx) { return super.find(ctx); }", ()),
        ("async find(ctx) { const { data, meta } = await super.find(ctx); return { data, meta }; }", ()),
        (
            "async find(ctx) { ctx.query = { populate: '*' }; const found = await super.find(ctx); return found; }",
            (Shape((always("populate", "*"),), replaces=True),),
        ),
        (
            "find: async function (ctx) { ctx.query.locale ||= 'en'; return await super.find(ctx); }",
            (Shape((absent("locale", "en"),)),),
        ),
    ],
)
def test_actions_that_shape_the_query_and_go_on(tmp_path: Path, action: str, expected: tuple[Shape, ...]) -> None:
    controller = f"createCoreController('api::article.article', ({{ strapi }}) => ({{ {action} }}))"
    assert shapes(read(tmp_path, **{"src/api/article/controllers/article.js": controller})) == expected


BY_SLUG = (
    "const { id } = ctx.params; const found = await strapi.db.query('%s').findOne({ where: %s, populate: ['a'] });"
)


@pytest.mark.parametrize(
    "find, rest, closed",
    [
        (BY_SLUG % ("api::article.article", "{ slug: id }"), "return this.transformResponse(found);", False),
        (BY_SLUG % ("api::article.article", "{ path: id }"), "return found;", False),
        (
            BY_SLUG % ("api::article.article", "{ $or: [{ slug: id }, { id }] }"),
            "if (found) { const clean = await this.sanitizeOutput(found, ctx); return this.transformResponse(clean); }",
            False,
        ),
        (BY_SLUG % ("api::article.article", "{ token: id }"), "return found;", True),
        (BY_SLUG % ("api::other.other", "{ slug: id }"), "return found;", True),
        (BY_SLUG % ("api::article.article", "{ slug: id, owner: ctx.state.user.id }"), "return found;", True),
        (BY_SLUG % ("api::article.article", "{ slug: id }"), "delete found.title; return found;", True),
        (BY_SLUG % ("api::article.article", "{ slug: id }"), "if (found.open) { return found; }", True),
        (BY_SLUG % ("api::article.article", "{ slug: id }"), "return { title: found.title };", True),
    ],
)
def test_finding_by_slug_falls_back_to_the_core_action(tmp_path: Path, find: str, rest: str, closed: bool) -> None:
    action = f"async findOne(ctx) {{ {find} {rest} }}"
    controller = f"createCoreController('api::article.article', ({{ strapi }}) => ({{ {action} }}))"
    attributes = {"title": TEXT, "slug": TEXT, "token": TEXT, "path": {"type": "uid"}}
    code = read_project(tmp_path, {"article": attributes}, {"src/api/article/controllers/article.js": controller})
    (found,) = [route for route in code.routes if route.name == "GET /articles/:id"]
    assert bool(found.guards) == closed
    assert findings(code, Kind.ACTION)["api::article.article.findOne"].state is (State.CLOSED if closed else State.OPEN)


def test_a_name_inside_hides_the_one_outside(tmp_path: Path) -> None:
    text = """const populate = ['safe'];
    module.exports = () => async (ctx, next) => {
      const populate = pick(); ctx.query.populate = populate; await next();
    };"""
    code = read(tmp_path, **{ROUTER: CORE % "middlewares: ['one']", "src/api/article/middlewares/one.js": text})
    assert "api::article.one" in code.guards


def test_shapes_change_the_query() -> None:
    shape = Shape((absent("sort", "title"), always("populate", "a")))
    assert shape.apply({"sort": "id", "populate": "b", "x": "1"}) == {"sort": "id", "populate": "a", "x": "1"}
    assert Shape((always("populate", "a"),), replaces=True).apply({"filters": {}}) == {"populate": "a"}


@pytest.mark.parametrize(
    "hook, actions",
    [
        ("beforeCreate(event) { event.params.data.slug = slugify(event.params.data.title); }", None),
        ("beforeCreate({ params: { data } }) { data.title = data.title || 'none'; }", None),
        ("beforeCreate(event) { const { data } = event.params; if (!data.title) data.title = 'none'; }", None),
        ("beforeUpdate(event) { const { data } = event.params; data.title = data.title.trim(); }", None),
        ("beforeUpdate(event) { const { data } = event.params; data.title = 'fixed'; }", ("update",)),
        ("beforeUpdate(event) { const { data } = event.params; if (data.title) data.title = ''; }", ("update",)),
        ("async beforeCreate(event) { event.params.data.title = await found(event.params.data); }", ("create",)),
        (
            "beforeCreate(event) { if (!event.params.data.title) throw new ApplicationError('no'); }",
            ("create", "createLocalization"),
        ),
        ("beforeUpdate(event) { validate(event.params); }", ("update",)),
        ("beforeCreate(event) { event.params.data.owner = strapi.requestContext.get().state.user.id; }", ("create",)),
        ("beforeCreate(event) { own(event.params.data); }", ("create",)),
        ("async beforeCreate({ params }) { await strapi.service('api::article.article').check(params); }", ("create",)),
        ("beforeCreate({ params }) { params.data.a = strapi.service('api::article.article').named(params); }", None),
        ("beforeCreate(event) { event.state = { title: event.params.data.title }; }", None),
        ("afterCreate(event) { log(strapi.requestContext.get()); }", None),
        ("beforeUpdate: imported", ("update",)),
        ("beforeUpdate(event) { delete event.params.data.role; }", ("update",)),
        ("beforeDelete(event) { event.params.where.owner = 1; }", ("delete",)),
        (
            "beforeFindMany(event) { event.params.where = { owner: 1 }; }",
            ("find", "findOne", "create", "update", "delete"),
        ),
        ("beforeFindOne(event) { console.log(event); }", None),
        ("afterFindMany(event) { event.result.forEach((one) => { delete one.secret; }); }", ("find", "findOne")),
        ("afterFindOne({ result }) { result.title = '***'; }", ("find", "findOne")),
        ("afterFindMany(event) { mask(event.result); }", ("find", "findOne")),
        ("afterFindOne(event) { event.result.full = event.result.a + event.result.b; }", None),
        ("afterUpdate(event) { axios.post('http://x', event.result); }", None),
    ],
)
def test_hooks(tmp_path: Path, hook: str, actions: tuple[str, ...] | None) -> None:
    text = f"""function validate(params) {{ throw new Error(); }}
      const own = (data) => {{ const {{ requestContext }} = strapi; data.owner = requestContext.get().state.user; }};
      module.exports = {{ {hook} }};"""
    service = "module.exports = () => ({ async check(it) { if (!it) throw new Error(); }, named: (it) => it.title });"
    files = {
        "src/api/article/content-types/article/lifecycles.js": text,
        "src/api/article/services/article.js": service,
    }
    code = read(tmp_path, **files)
    event = hook.removeprefix("async ").partition("(")[0].partition(":")[0]
    found = findings(code, Kind.HOOK)[f"api::article.article.{event}"]
    assert found.state is (State.OPEN if actions is None else State.CLOSED)
    closed = {route.core[1] for route in code.routes if route.core and route.guards}
    assert closed.issuperset(set(actions or ()) - {"createLocalization"})
    assert bool(closed) == (actions is not None)


def test_python_opens_only_the_ported_actions(tmp_path: Path) -> None:
    folder = "src/api/article/content-types/article"
    script = "module.exports = { beforeCreate() { throw 1; }, beforeUpdate() { throw 1; }, afterDelete() { mail(); } };"
    files = {f"{folder}/lifecycles.js": script, f"{folder}/lifecycles.py": "x = 1\ndef before_create(event): pass\n"}
    code = read(tmp_path, **files)
    found = {name: (one.state, one.says) for name, one in findings(code, Kind.HOOK).items()}
    uid = "api::article.article"
    assert found[f"{uid}.beforeCreate"] == (State.PORTED, f"ported by {folder}/lifecycles.py:2: can reject")
    assert (found[f"{uid}.beforeUpdate"][0], found[f"{uid}.afterDelete"][0]) == (State.CLOSED, State.OPEN)
    closed = {route.core[1]: bool(route.guards) for route in code.routes if route.core}
    assert (closed["create"], closed["update"]) == (False, True)


def test_hooks_that_code_subscribes_to(tmp_path: Path) -> None:
    text = """module.exports = { register() {}, async bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ['plugin::users-permissions.user'], beforeCreate() { throw 1; } });
      strapi.db.lifecycles.subscribe(async (event) => {});
      strapi.contentType('api::article.article').lifecycles = { beforeDelete() { throw 1; }, afterDelete() {} };
    } };"""
    code = read(tmp_path, **{"src/index.js": text})
    assert {(hook.uid, hook.guard.name) for hook in code.hooks} == {
        ("plugin::users-permissions.user", "plugin::users-permissions.user.beforeCreate"),
        ("", "all content types: hooks"),
        ("api::article.article", "api::article.article.beforeDelete"),
    }
    assert {name: finding.state for name, finding in findings(code, Kind.START).items()} == {
        "src/index.js: register": State.NOTHING,
        "src/index.js: bootstrap": State.OPEN,
    }


@pytest.mark.parametrize(
    "listed, guards",
    [
        ("['strapi::errors', 'global::log', { name: 'strapi::cors', config: { origin: ['x'] } }]", set()),
        ("({ env }) => ['strapi::errors', { resolve: './src/middlewares/log' }]", set()),
        ("['global::filter']", {"global::filter"}),
        ("[{ name: 'global::filter', config: {} }]", {"global::filter"}),
        ("[{ resolve: './src/middlewares/filter' }]", {"global::filter"}),
        ("[{ resolve: 'src/middlewares/log' }]", set()),
        ("[{ resolve: 'src/middlewares/log.js' }]", set()),
        ("[{ resolve: 'src/middlewares/filter' }]", {"global::filter"}),
        ("[{ resolve: './src/other' }]", set()),
        ("[{ resolve: './src/other/refuse' }]", {"./src/other/refuse"}),
        ("[{ resolve: '../elsewhere' }]", {"../elsewhere"}),
        ("[{ resolve: 'a-package' }]", {"a-package"}),
        ("['plugin::shop.count']", {"plugin::shop.count"}),
        ("env('X') ? ['a'] : []", {"config/middlewares.js"}),
    ],
)
def test_global_middlewares(tmp_path: Path, listed: str, guards: set[str]) -> None:
    files = {
        "config/middlewares.js": f"module.exports = {listed};",
        "src/middlewares/log.js": "module.exports = () => async (ctx, next) => { console.log(ctx); await next(); };",
        "src/middlewares/filter.js": "module.exports = () => (ctx, next) => ctx.ip ? next() : ctx.forbidden();",
        "src/other/index.js": "module.exports = () => (ctx, next) => next();",
        "src/other/refuse.js": "module.exports = () => (ctx) => ctx.forbidden();",
    }
    assert {guard.name for guard in read(tmp_path, **files).everywhere} == guards


@pytest.mark.parametrize("text", ["export default {};", "module.exports = {};"])
def test_empty_lists_of_a_plugin_are_no_code(tmp_path: Path, text: str) -> None:
    suffix = ".ts" if text.startswith("export") else ".js"
    files = {f"src/plugins/shop/server/{family}/index{suffix}": text for family in ("policies", "middlewares")}
    code = read(tmp_path, **files)
    assert not findings(code, Kind.POLICY)
    assert not findings(code, Kind.MIDDLEWARE)


def test_lists_of_a_plugin_name_their_entries(tmp_path: Path) -> None:
    files = {
        "src/plugins/shop/server/policies/index.js": (
            "module.exports = { 'is-owner': require('./owner'), isOpen: () => true, owner: require('./owner') };"
        ),
        "src/plugins/shop/server/policies/owner.js": "module.exports = (ctx) => ctx.state.user.id === 1;",
        ROUTER: CORE % "policies: ['plugin::shop.is-owner', 'plugin::shop.isOpen']",
    }
    code = read(tmp_path, **files)
    assert "plugin::shop.is-owner" in code.guards
    assert "plugin::shop.isOpen" not in code.guards
    assert "plugin::shop.index" not in findings(code, Kind.POLICY)


def test_middlewares_that_code_adds(tmp_path: Path) -> None:
    text = (
        "module.exports = { register({ strapi }) { strapi.server.use(async (ctx, next) => { ctx.status = 404; }); } };"
    )
    assert [guard.name for guard in read(tmp_path, **{"src/index.js": text}).everywhere] == ["src/index.js: server.use"]


@pytest.mark.parametrize(
    "text, name",
    [
        ("strapi.controller('api::article.article').find = (ctx) => [];", "controller.find"),
        (
            "strapi.plugins['users-permissions'].controllers.user.me = (ctx) => {};",
            "plugins.users-permissions.controllers.user.me",
        ),
        ("strapi.container.get('services').extend('api::article.article', (s) => s);", "container.get.extend"),
        ("strapi.contentTypes['api::article.article'].options = {};", "contentTypes.api::article.article.options"),
        ("strapi.contentType('api::article.article').lifecycles = {};", None),
        ("const found = strapi.service('api::article.article').find();", None),
        ("if (strapi.service('x') === 1) log();", None),
    ],
)
def test_code_that_is_replaced_at_run_time(tmp_path: Path, text: str, name: str | None) -> None:
    code = read(tmp_path, **{"src/index.js": f"module.exports = {{ bootstrap({{ strapi }}) {{ {text} }} }};"})
    assert [guard.name for guard in code.everywhere] == ([] if name is None else [f"src/index.js: {name}"])


@pytest.mark.parametrize(
    "body, actions, whole",
    [
        ("", set(), False),
        ("plugin.controllers.user.me = async (ctx) => {};", {"user.me"}, False),
        ("plugin.controllers['auth']['callback'] = f(plugin.controllers.auth.callback);", {"auth.callback"}, False),
        ("plugin.controllers.auth = () => ({});", {"auth"}, False),
        ("const old = plugin.controllers.auth.register.bind(plugin.controllers.auth);", set(), False),
        ("const { user } = plugin.controllers;", set(), True),
        ("change(plugin);", set(), True),
        ("plugin.services.jwt = () => ({});", set(), True),
        ("replaceMe(plugin);", {"user.me"}, False),
        ("plugin.routes['content-api'].routes = [];", set(), True),
        ("plugin.routes['content-api'].routes.forEach((route) => {});", set(), True),
        ("plugin.policies.own = () => true;", set(), False),
        (
            "plugin.controllers.auth = { ...plugin.controllers.auth, async callback(ctx) {} };",
            {"auth.callback"},
            False,
        ),
        (
            "const raw = plugin.controllers.auth; plugin.controllers.auth = ({ strapi }) => {"
            " const auth = raw({ strapi }); return { ...auth, callback: (ctx) => auth.callback(ctx), mine() {} }; };",
            {"auth.callback", "auth.mine"},
            False,
        ),
        (
            "plugin.controllers.user = (s) => ({ ...plugin.controllers.user(s), 'me': find });",
            {"user.me"},
            False,
        ),
        ("const auth = plugin.controllers.auth; auth.callback = (ctx) => {};", {"auth.callback"}, False),
        ("plugin.controllers.auth = { callback() {}, ...plugin.controllers.auth };", {"auth"}, True),
        ("plugin.controllers.auth = { ...plugin.controllers.auth, ...own };", {"auth"}, True),
        ("plugin.controllers.auth = { ...plugin.controllers.auth, [name]: own };", {"auth"}, True),
        ("plugin.controllers.auth = { ...plugin.controllers.user, me() {} };", {"auth"}, True),
        ("const auth = plugin.controllers.auth; change(auth);", set(), True),
        ("Object.assign(plugin.controllers.auth, { callback() {} });", set(), True),
    ],
)
def test_extensions_of_plugins(tmp_path: Path, body: str, actions: set[str], whole: bool) -> None:
    text = f"""module.exports = (plugin) => {{ {body} return plugin; }};
    function replaceMe(extended) {{ extended.controllers.user.me = (ctx) => {{}}; }}"""
    code = read(tmp_path, **{"src/extensions/users-permissions/strapi-server.js": text})
    assert code.plugin_actions.keys() == {f"plugin::users-permissions.{action}" for action in actions}
    assert bool(code.plugin_routes) == whole


def test_extensions_add_policies_and_middlewares(tmp_path: Path) -> None:
    """Routes of the project and of the extension refer to them by name."""
    extension = """module.exports = (plugin) => {
      plugin.policies['deny'] = (ctx) => ctx.state.user.id === 1;
      plugin.policies.pass = (ctx) => true;
      plugin.middlewares.stop = (config, { strapi }) => async (ctx, next) => { ctx.status = 204; };
      plugin.routes['content-api'].routes.push(
        { method: 'GET', path: '/mine', handler: 'user.count', config: { policies: ['deny'] } });
      return plugin; };"""
    names = {"policies": ("deny", "pass", "other"), "middlewares": ("stop",)}
    routes = ",".join(
        f"{{ method: 'GET', path: '/{name}', handler: 'note.find', "
        f"config: {{ {family}: ['plugin::users-permissions.{name}'] }} }}"
        for family, members in names.items()
        for name in members
    )
    own = {"src/api/note/routes/own.js": f"module.exports = {{ routes: [{routes}] }};"}
    code = read(tmp_path, **{"src/extensions/users-permissions/strapi-server.js": extension}, **own)
    guards = {route.path: [guard.says for guard in route.guards] for route in code.routes}
    assert guards["/pass"] == []
    assert guards["/other"] == ["not found in the project"]
    for path in ("/deny", "/stop", "/users-permissions/mine"):
        [says] = guards[path]
        assert says != "not found in the project"


ROUTES = "plugin.routes['content-api'].routes"


@pytest.mark.parametrize(
    "body, closed",
    [
        (
            f"const one = {ROUTES}.find((route) => route.method === 'GET' && route.path === '/users/:id');"
            "one.config.policies = ['global::is-me'];",
            ["user.findOne"],
        ),
        (
            f"{ROUTES}.find((r) => r.handler === 'auth.callback').config.middlewares = ['global::log'];",
            ["auth.callback"],
        ),
        (f"{ROUTES}.find(function (r) {{ return r.path == '/users/me'; }}).config.auth = false;", ["user.me"]),
        (f"const all = {ROUTES}; all.find((r) => r.path === '/users/me');", [""]),
        (f"{ROUTES}.find((r) => r.path.startsWith('/users')).config = {{}};", [""]),
        (f"{ROUTES}.find((r) => r.path === '/nowhere').config = {{}};", [""]),
        (f"{ROUTES}.find((r) => {{ change(r); return r.path === '/users/me'; }});", [""]),
        (f"{ROUTES}.find((r) => r.handler === 'user.me' || change(r));", [""]),
        (
            f"{ROUTES}.push({{ method: 'GET', path: '/mine', handler: 'user.mine' }});"
            f"{ROUTES}.find((r) => r.path === '/mine');",
            [""],
        ),
    ],
)
def test_only_the_routes_that_an_extension_looks_up_are_closed(tmp_path: Path, body: str, closed: list[str]) -> None:
    text = f"module.exports = (plugin) => {{ {body} return plugin; }};"
    code = read(tmp_path, **{"src/extensions/users-permissions/strapi-server.js": text})
    names = [f"plugin::users-permissions{'.' if name else ''}{name}" for name in closed]
    assert [guard.name for guard in code.plugin_routes] == names


def test_routes_that_extensions_add(tmp_path: Path) -> None:
    text = """module.exports = (plugin) => {
      plugin.controllers.user.extra = (ctx) => {};
      plugin.routes['content-api'].routes.push({ method: 'GET', path: '/extra', handler: 'user.extra' });
      plugin.routes['content-api'].routes.unshift(
        { method: 'PUT', path: '/me', handler: 'user.extra', config: { prefix: '' } },
      );
      return plugin; };"""
    code = read(tmp_path, **{"src/extensions/users-permissions/strapi-server.js": text})
    assert [route.name for route in code.routes[-2:]] == ["GET /users-permissions/extra", "PUT /me"]
    assert code.routes[-1].access.scopes == ("plugin::users-permissions.user.extra",)
    assert not code.plugin_routes


def test_the_rest_is_named(tmp_path: Path) -> None:
    files = {
        "config/cron-tasks.js": "module.exports = { '0 1 * * *': async () => { await fetch('http://x'); }, "
        "daily: { task: ({ strapi }) => {}, options: { rule: '0 2 * * *' } } };",
        "config/server.ts": "import tasks from './cron-tasks'; export default () => ({ cron: { tasks } });",
        "database/migrations/2024.01.01.js": "module.exports = { async up(knex) { await knex.raw('x'); } };",
        "src/api/article/helpers/text.js": "module.exports = {};",
        "src/plugins/shop/server/routes/index.js": "module.exports = { 'content-api': { type: 'content-api', "
        "routes: [{ method: 'GET', path: '/', handler: 'shop.index' }] } };",
        "package.json": '{"dependencies": {"@strapi/strapi": "4.25.0", "strapi-plugin-menus": "1.0.0", "koa": "2"}}',
    }
    code = read(tmp_path, **files)
    assert {name: finding.says for name, finding in findings(code, Kind.CRON).items()} == {
        "0 1 * * *": "sends HTTP requests",
        "daily": "at 0 2 * * *: custom code",
    }
    assert findings(code, Kind.MIGRATION)["2024.01.01"].says.endswith("runs SQL")
    assert findings(code, Kind.PLUGIN).keys() == {"plugin::shop"}
    assert findings(code, Kind.MODULE).keys() == {"src/api/article/helpers/text.js"}
    assert findings(code, Kind.PACKAGE).keys() == {"@strapi/strapi", "strapi-plugin-menus"}
    assert code.routes[-1].name == "GET /shop/"
