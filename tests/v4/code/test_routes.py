"""Routes of a v4 project, read from its files: paths, access and guards."""

from pathlib import Path

import pytest

from octavo.schema.loader import load_registry
from octavo.v4.code import Access, Code, Kind, Route, State
from octavo.v4.code.read import read_code
from tests.models.v4_project import TEXT, read_project, write_files, write_project

LOCALIZED = {**TEXT, "pluginOptions": {"i18n": {"localized": True}}}
CORE = ["GET /articles", "GET /articles/:id", "POST /articles", "PUT /articles/:id", "DELETE /articles/:id"]


def read(folder: Path, **files: str | None) -> Code:
    """Read a project with articles. `routes`, `controller` and others are files of the type's API."""
    places = {"router": "routes/article.js", "controller": "controllers/article.js", "own": "routes/z.js"}
    found = {f"src/api/article/{places[name]}": text for name, text in files.items()}
    return read_project(folder, {"article": {"title": TEXT}}, found)


def only(code: Code, name: str) -> Route:
    (found,) = [route for route in code.routes if route.name == name]
    return found


def names(code: Code) -> list[str]:
    return [route.name for route in code.routes]


def test_generated_code_is_open_and_needs_no_work(tmp_path: Path) -> None:
    code = read(tmp_path)
    assert names(code) == CORE
    assert not code.guards
    assert {finding.state for finding in code.findings if finding.kind is not Kind.PACKAGE} == {State.NOTHING}
    assert only(code, "GET /articles").core == ("api::article.article", "find")


def test_no_file_no_routes(tmp_path: Path) -> None:
    assert names(read(tmp_path, router=None)) == []


def test_code_of_other_projects_is_not_read(tmp_path: Path) -> None:
    write_project(tmp_path, {"article": {"title": TEXT}}, {"package.json": "{}"})
    assert read_code(tmp_path, load_registry(tmp_path)) == Code()


@pytest.mark.parametrize(
    "options, expected",
    [
        ("{ only: ['find', 'findOne'] }", CORE[:2]),
        ("{ except: ['delete', 'update'] }", CORE[:3]),
        ("{ prefix: '/v1', only: ['create'] }", ["POST /v1/articles"]),
        ("({ strapi }) => ({ only: ['find'] })", CORE),  # v4 reads options of a function, which has none
        ("makeOptions()", []),
    ],
)
def test_core_routers(tmp_path: Path, options: str, expected: list[str]) -> None:
    assert names(read(tmp_path, router=f"createCoreRouter('api::article.article', {options})")) == expected


def test_single_and_localized_types(tmp_path: Path) -> None:
    types = {"single:home": {"title": LOCALIZED}, "article": {"title": LOCALIZED}}
    only_find = "createCoreRouter('api::article.article', { prefix: '/v1', only: ['find'] })"
    code = read_project(tmp_path, types, {"src/api/article/routes/article.js": only_find})
    assert names(code) == [
        "GET /v1/articles",
        "POST /v1/articles/:id/localizations",
        "GET /home",
        "PUT /home",
        "DELETE /home",
        "POST /home/localizations",
    ]


def test_access_is_data(tmp_path: Path) -> None:
    config = (
        "{ find: { auth: false }, create: { auth: { scope: ['api::other.x.y'] } }, update: { auth: { scope: [] } } }"
    )
    code = read(tmp_path, router=f"createCoreRouter('api::article.article', {{ config: {config} }})")
    assert only(code, CORE[0]).access == Access(public=True)
    assert only(code, CORE[1]).access == Access(scopes=("api::article.article.findOne",))
    assert only(code, CORE[2]).access == Access(scopes=("api::other.x.y",))
    assert only(code, CORE[3]).access == Access(scopes=("api::article.article.update",))
    assert not code.guards


def test_keys_of_auth_that_v4_ignores(tmp_path: Path) -> None:
    config = "{ find: { auth: { required: true } } }"
    code = read(tmp_path, router=f"createCoreRouter('api::article.article', {{ config: {config} }})")
    assert only(code, CORE[0]).access == Access(scopes=("api::article.article.find",))
    assert not code.guards


@pytest.mark.parametrize(
    "config",
    [
        "{ find: { auth: decide() } }",
        "{ find: { auth: { scope: scopes() } } }",
        "{ find: { auth: { strategies: ['api-token'] } } }",
        "{ find: { auth: { scope: ['api::other.x.y'], strategies: ['api-token'] } } }",
        "{ find: { auth: { scope: ['api::other.x.y'], strategies: [] } } }",
        "{ find: { auth: { scope: ['api::other.x.y'], strategies: 'jwt' } } }",
        "{ find: { ...common } }",
        "{ ['find']: {}, ...rest }",
        "{ find: { policies: somewhere } }",
        "{ find: { policies: ['is-owner'] } }",
        "{ find: { policies: ['global::nowhere'] } }",
        "{ find: { policies: [(ctx) => ctx.state.user.id === 1] } }",
        "{ find: { policies: [{ name: 'is-owner', config: {} }] } }",
        "{ find: { middlewares: [(ctx, next) => { if (ctx.query.x) return next(); }] } }",
    ],
)
def test_unknown_code_guards(tmp_path: Path, config: str) -> None:
    code = read(tmp_path, router=f"createCoreRouter('api::article.article', {{ config: {config} }})")
    assert only(code, CORE[0]).guards
    if "rest" not in config:
        assert not only(code, CORE[1]).guards


def test_own_routes(tmp_path: Path) -> None:
    own = """module.exports = { routes: [
      { method: 'GET', path: '/popular', handler: 'article.popular' },
      { method: 'get', path: 'newest', handler: 'api::article.article.find', config: { auth: false } },
      { method: 'GET', path: '/articles/:slug', handler: 'article.popular' },
      { method: 'GET', path: '/other', handler: 'api::other.other.find' },
      { method: 'GET', path: '/inline/:id(\\\\d+)', handler: (ctx) => { ctx.body = 1; } },
      { method: 'GET', path: '/maybe/:id?', handler: 'article.popular' },
      { method: 'GET', path: '/wild/(.*)', handler: 'article.popular' },
      { method: 'GET', path: '/wild/known', handler: 'article.find' },
      ...more,
    ] };"""
    controller = "createCoreController('api::article.article', () => ({ popular(ctx) { return []; } }))"
    code = read(tmp_path, own=own, controller=controller)
    assert names(code)[5:] == [
        "GET /popular",
        "GET /newest",
        "GET /other",
        "GET /inline/:id",
        "GET /maybe",
        "GET /maybe/:id",
        "GET /wild/known",
    ]
    popular, newest, other = only(code, "GET /popular"), only(code, "GET /newest"), only(code, "GET /other")
    assert (popular.core, popular.handled_at and popular.handled_at.file) == (
        None,
        "src/api/article/controllers/article.js",
    )
    assert (newest.core, newest.access) == (("api::article.article", "find"), Access(public=True))
    assert (other.core, other.access.scopes) == (None, ("api::article.api::other.other.find",))
    assert only(code, "GET /wild/known").guards, "an address that is not understood comes before it"
    reported = {finding.name: finding.says for finding in code.findings}
    assert "never reached" in reported["GET /articles/:slug"]
    assert "not served" in reported["GET /wild/(.*)"]


def test_custom_routes_hide_later_core_routes(tmp_path: Path) -> None:
    own = "module.exports = { routes: [{ method: 'GET', path: '/articles/:slug', handler: 'article.bySlug' }] };"
    write_project(tmp_path, {"article": {"title": TEXT}}, {"src/api/article/routes/01-first.js": own})
    code = read_code(tmp_path, load_registry(tmp_path))
    assert [route.core for route in code.routes if route.name.startswith("GET /articles/")] == [None]


def test_a_router_with_more_routes(tmp_path: Path) -> None:
    router = """const core = createCoreRouter('api::article.article', { only: ['find'] });
    const joined = (inner, extra = []) => { let routes; return {
      get prefix() { return inner.prefix; },
      get routes() { if (!routes) routes = inner.routes.concat(extra); return routes; },
    }; };
    const extra = [{ method: 'GET', path: '/popular', handler: 'api::article.article.popular' }];
    module.exports = joined(core, extra);"""
    assert names(read(tmp_path, router=router)) == ["GET /articles", "GET /popular"]


def test_routes_in_typescript_are_read(tmp_path: Path) -> None:
    write_project(tmp_path, {"article": {"title": TEXT}}, {})
    typed = """import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::article.article', { only: ['find'] as string[] });"""
    write_files(tmp_path, {"tsconfig.json": "{}", "src/api/article/routes/article.ts": typed})
    assert names(read_code(tmp_path, load_registry(tmp_path))) == ["GET /articles"]


@pytest.mark.parametrize(
    "members",
    [
        "async find(ctx) { return []; }",
        "async find(ctx) { ctx.query.filters = { owner: ctx.state.user.id }; return super.find(ctx); }",
        "async find(ctx) { const { data } = await super.find(ctx); return { data: data.slice(1) }; }",
        "async find(ctx) { if (!ctx.state.user) return ctx.unauthorized(); return super.find(ctx); }",
        "...others",
        "sanitizeOutput(data) { return data; }",
        "find: guarded('find')",
    ],
)
def test_overridden_actions_guard(tmp_path: Path, members: str) -> None:
    code = read(tmp_path, controller=f"createCoreController('api::article.article', () => ({{ {members} }}))")
    assert only(code, CORE[0]).guards
    assert bool(only(code, CORE[1]).guards) == (members.startswith(("...", "sanitize")))


def test_a_custom_controller_has_no_core_actions(tmp_path: Path) -> None:
    code = read(tmp_path, controller="module.exports = { find(ctx) { return []; } };")
    assert {route.core for route in code.routes} == {None}


def test_a_controller_for_another_type_reads_that_type(tmp_path: Path) -> None:
    types = {"article": {"title": TEXT}, "note": {"title": TEXT}}
    code = read_project(
        tmp_path, types, {"src/api/article/controllers/article.js": "createCoreController('api::note.note')"}
    )
    assert only(code, CORE[0]).core == ("api::note.note", "find")
    assert only(code, CORE[0]).access.scopes == ("api::article.article.find",)


def test_overridden_services_guard_the_actions_that_call_them(tmp_path: Path) -> None:
    service = "createCoreService('api::article.article', () => ({ async find() { return []; }, count() {} }))"
    code = read_project(tmp_path, {"article": {"title": TEXT}}, {"src/api/article/services/article.js": service})
    assert [bool(route.guards) for route in code.routes] == [True, False, False, False, False]


def test_hostile_files_end_in_findings(tmp_path: Path) -> None:
    own = {
        "src/api/article/routes/deep.js": "module.exports = " + "f(" * 900 + "[]" + ")" * 900,
        "src/api/article/routes/itself.js": "const again = join(again, again); module.exports = again;",
        "src/api/article/routes/broken.js": "module.exports = { routes: [",
        "src/api/article/routes/spread.js": "const all = [...all]; module.exports = { routes: all };",
    }
    code = read_project(tmp_path, {"article": {"title": TEXT}}, own)
    assert names(code) == CORE
    assert {finding.place.file for finding in code.findings if finding.state is State.CLOSED} == own.keys()
