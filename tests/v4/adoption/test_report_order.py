"""The report: visible changes first, the worst effects first, secrets in files, the panel, and `--strict`."""

from pathlib import Path

from click.testing import CliRunner

from octavo.cli import main
from octavo.v4.adoption.panel_customizations import find_customizations
from octavo.v4.adoption.report import Closed, CodeItem, Plugin, Report, SettingItem, Verdict
from octavo.v4.adoption.source_secrets import find_secrets
from octavo.v4.adoption.visitors import severity, visible_changes
from tests.cli.projects import SECRETS
from tests.models.v4_project import write_files, write_project
from tests.v4.adoption.test_adopt import report

BEST = "{ method: 'GET', path: '/best', handler: 'note.best' }"
PASSWORD = "s3cret-Passw0rd-of-2024"


def code(kind: str, name: str, says: str, state: str = "to port") -> CodeItem:
    return CodeItem("src/x.js", 1, kind, name, says, state)


def test_visitors_first() -> None:
    found = Report(
        project="",
        version="",
        version_source="",
        closed=(
            Closed("plugin::users-permissions.auth", "", "", ("POST /auth/local",)),
            Closed("api::a.a.find", "", "", ("GET /as", "Query.as")),
            Closed("api::a.a.beforeUpdate", "", "", ("PUT /as/:id", "Mutation.updateA")),
        ),
        settings=(SettingItem("closed", "config/plugins.js:3", "email", "", None, "no key; email is disabled"),),
        code=(
            code("route", "GET /best", "custom handler a.best: returns 501"),
            code("hook", "api::order.order.afterCreate", "sends mail; reads entries"),
            code("cron", "clean", "deletes entries"),
        ),
        plugins=(Plugin("strapi-plugin-transformer", "1", Verdict.ABSENT, "responses keep data"),),
    )
    assert list(visible_changes(found)) == [
        ("account endpoints that return 403: POST /auth/local", "plugin::users-permissions.auth"),
        ("read endpoints that return 403: 2", "api::a.a.find"),
        ("write endpoints that return 403: 2", "api::a.a.beforeUpdate"),
        ("custom routes that return 501: 1", "GET /best"),
        ("email is disabled", "config/plugins.js:3"),
        ("mails are not sent", "api::order.order.afterCreate"),
        ("scheduled tasks that do not run: 1", "clean"),
        ("responses have another format", "strapi-plugin-transformer: responses keep data"),
    ]


def test_a_closed_api_hides_its_endpoints_but_not_mails_and_tasks() -> None:
    closed = (Closed("global::gate", "", "", ("the whole API",)), Closed("api::a.a.find", "", "", ("GET /as",)))
    tasks = (code("cron", "clean", "sends mail"),)
    found = Report(project="", version="", version_source="", closed=closed, code=tasks)
    assert list(visible_changes(found)) == [
        ("the whole API returns 403", "global::gate"),
        ("mails are not sent", "clean"),
        ("scheduled tasks that do not run: 1", "clean"),
    ]


def test_the_worst_effect_is_first() -> None:
    items = [
        code("service", "s", "sends mail"),
        code("route", "r", "returns 501"),
        code("hook", "reads", "reads entries; can reject"),
        code("cron", "deletes", "deletes entries; reads entries"),
        code("hook", "mails", "sends mail; writes entries"),
    ]
    assert [item.name for item in sorted(items, key=severity)] == ["mails", "deletes", "reads", "r", "s"]


def test_secrets_in_files_are_named_without_their_values(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----"
    write_files(
        tmp_path,
        {
            "src/a.js": f"const options = {{ password: '{PASSWORD}' }}\nconst url = 'amqp://me:{PASSWORD}@host'\n",
            "src/b.ts": f"export const key = `{key}`\nconst token = process.env.ACCESS_TOKEN_OF_2024\n",
            "src/c.js": "const message = { password: 'Please choose another' }; const accessToken = ctx.token",
        },
    )
    found = list(find_secrets(tmp_path))
    assert [(item.place, item.says.partition(", which")[0]) for item in found] == [
        ("src/a.js:1", "a password, key or token"),
        ("src/a.js:2", "a password in a URL"),
        ("src/b.ts:1", "a private key"),
    ]
    assert PASSWORD not in str(found)


def test_customizations_of_the_panel_are_listed(tmp_path: Path) -> None:
    text = """
const config = { locales: ['fr'], translations: {}, auth: { logo: 'x.png' } };
export default { config, bootstrap(app) { app.addMenuLink({}) } };"""
    write_files(tmp_path, {"src/admin/app.js": text, "src/admin/app.example.tsx": text})
    found = [(item.place, item.name, item.says.partition(":")[0]) for item in find_customizations(tmp_path)]
    assert found == [
        (
            "src/admin/app.js:2",
            "locales",
            "Octavo's admin pages are in English and German, as the browser or the administrator chooses",
        ),
        ("src/admin/app.js:2", "auth", "the logo of the sign-in page"),
        ("src/admin/app.js:3", "bootstrap", "code of the panel"),
    ]


def test_customizations_with_jsx_are_read(tmp_path: Path) -> None:
    text = """import type { StrapiApp } from '@strapi/strapi/admin';
const Logo = () => <img src="x.png" alt="" />;
export default { config: { tutorials: false }, bootstrap(app: StrapiApp) { app.addMenuLink(<Logo />); } };"""
    write_files(tmp_path, {"src/admin/app.tsx": text, "src/admin/app.js": "// nothing"})
    found = [(item.place, item.name, item.says.partition(":")[0]) for item in find_customizations(tmp_path)]
    assert found == [
        ("src/admin/app.tsx:3", "tutorials", "Octavo's admin pages have no tutorials"),
        ("src/admin/app.tsx:3", "bootstrap", "code of the panel"),
    ]


def test_strict_succeeds_if_everything_is_served_or_allowed(tmp_path: Path) -> None:
    text = {"type": "string", "description": "v4 ignores this key"}
    controller = """createCoreController('api::note.note', () => ({
  async best(ctx) { return strapi.service('api::note.note').best() },
}))"""
    files = {
        ".env": SECRETS,
        "config/database.json": '{"connection": {"client": "sqlite", "connection": {"filename": "data.db"}}}',
        "config/plugins.js": "module.exports = { shop: { resolve: './src/plugins/shop' } }",
        "src/api/note/controllers/note.js": controller,
        "src/api/note/services/note.js": "createCoreService('api::note.note', () => ({ async best() { return [] } }))",
        "src/api/note/routes/own.js": f"module.exports = {{ routes: [{BEST}] }}",
        "src/plugins/shop/strapi-server.js": "module.exports = { routes: require('./server/routes') }",
        "src/plugins/shop/server/routes.js": "module.exports = [{ method: 'GET', path: '/x', handler: 'a.b' }]",
        "src/plugins/shop/server/policies/index.js": "export default {}",
        "src/index.js": "module.exports = { register() {}, bootstrap() {} }",
    }
    write_project(tmp_path, {"note": {"title": text}}, files)
    arguments = ["config", "check", "--strict", "--project", str(tmp_path)]
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 1
    assert [line.strip() for line in refused.stderr.splitlines()[1:]] == [
        "src/api/note/controllers/note.js:3: action api::note.note.best: to port",
        "src/api/note/routes/own.js:1: route GET /best: to port",
        "src/plugins/shop/server/routes.js:1: route GET /x of plugin::shop: to port",
        "src/plugins/shop/strapi-server.js:1: plugin plugin::shop: to port",
    ]
    write_files(tmp_path, {"config/api.toml": '[adoption]\nallow = ["GET /best", "plugin::shop"]\n'})
    accepted = CliRunner().invoke(main, arguments)
    assert (accepted.exit_code, accepted.stderr) == (0, "")
    assert report(tmp_path)["definitions"], "remarks on keys that v4 ignores as well stay in the report"


def test_strict_requires_each_inline_route_and_each_plugin(tmp_path: Path) -> None:
    inline = "{ method: 'GET', path: '/%s', handler: (ctx) => { ctx.body = 1 } }"
    files = {
        ".env": SECRETS,
        "config/database.json": '{"connection": {"client": "sqlite", "connection": {"filename": "data.db"}}}',
        "config/plugins.js": "module.exports = { shop: { resolve: './src/plugins/shop' } }",
        "src/api/note/routes/own.js": f"module.exports = {{ routes: [{inline % 'a'}, {inline % 'b'}] }}",
        "src/plugins/shop/server/late/a.js": "module.exports = 1",
        "src/plugins/shop/server/b.js": "module.exports = 1",
        "config/api.toml": '[adoption]\nallow = ["GET /a", "plugin::shop"]\n',
    }
    write_project(tmp_path, {"note": {"title": {"type": "string"}}}, files)
    refused = CliRunner().invoke(main, ["config", "check", "--strict", "--project", str(tmp_path)])
    assert [line.strip() for line in refused.stderr.splitlines()[1:]] == [
        "src/api/note/routes/own.js:1: route GET /b: to port"
    ]
