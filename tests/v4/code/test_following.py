"""Calls in a hook: followed ones, ones that need not be followed, and the findings for the others."""

from pathlib import Path

import pytest

from octavo.v4.code import Code, Kind, State
from octavo.v4.code.call_following import Follower
from octavo.v4.code.references import Thing
from octavo.v4.code.services import ServiceResolver
from octavo.v4.code.sources import Sources
from tests.models.v4_project import TEXT, read_project, write_files

LIFECYCLES = "src/api/article/content-types/article/lifecycles.js"
ROUTER = "src/api/article/routes/article.js"
NEVER = "throw new Error('no');"


def read(folder: Path, text: str, **files: str) -> Code:
    return read_project(folder, {"article": {"title": TEXT}}, {LIFECYCLES: text, **files})


def state_of(code: Code, name: str) -> tuple[State, str]:
    (found,) = [finding for finding in code.findings if finding.kind is Kind.HOOK and finding.name.endswith(name)]
    return found.state, found.says


def hook(folder: Path, body: str, head: str = "", **files: str) -> tuple[State, str]:
    """Return the result for a hook with this body."""
    text = f"{head}\nmodule.exports = {{ async beforeUpdate(event) {{ {body} }} }};"
    return state_of(read(folder, text, **files), ".beforeUpdate")


@pytest.mark.parametrize(
    "body",
    [
        "event.params.data.slug = slugify(event.params.data.title, { lower: true });",
        "event.params.data.slug = require('slugify')(event.params.data);",
        "console.log('about to', event); strapi.log.info(`updates ${event.params.where.id}`, event.params);",
        "console.assert(event.params.data.title); console.table(event.params);",
        "const { v4 } = require('uuid'); event.state.key = v4(); crypto.randomUUID();",
        "await fs.promises.writeFile(path.join('a', 'b'), JSON.stringify(event.params.data));",
        "_.forEach(event.params.data, (value) => { console.log(value); }); _.chain([1]).map(String).value();",
        "event.params.data.day = format(parseISO(event.params.data.day), 'yyyy');",
        "const found = await strapi.entityService.findOne('api::a.a', event.params.where.id); found.title.trim();",
        "const found = await strapi.db.query('api::a.a').findMany(event.params); found.map((one) => one.id);",
        "await strapi.plugin('email').service('email').send(event.params.data);",
        "await strapi.plugins['email'].services.email.send({ to: event.params.data.title });",
        "await strapi.plugin('upload').service('upload').findOne(event.params.where.id);",
        "await strapi.service('api::article.article').find(event.params);",
        "await strapi.db.transaction(async () => { await strapi.db.connection('a').insert(event.params); });",
        "strapi.eventHub.emit('a', event); setTimeout(() => console.log(event), 5);",
        "try { await axios.post('http://a', event.params); } catch (error) { console.error(error); }",
        "axios.get('http://a').then((answer) => { event.state.a = answer; }).catch(() => {});".replace(
            "axios", "fetch"
        ),
        "await fetch('http://a', { method: 'POST', body: event.params });",
        "const { data, ...rest } = event.params; Object.keys(rest).forEach((key) => console.log(key)); new Date();",
        "await new Promise((done) => setTimeout(done, 5));",
        "event.params.data.title = unlisted(event.params.data.title);",
        "const text = unlisted(event.params.data.title); event.params.data.title = `${text}`;",
        "event.params.data.tags = event.params.data.tags.map((tag) => unlisted(tag));",
    ],
)
def test_calls_that_cannot_refuse_close_nothing(tmp_path: Path, body: str) -> None:
    head = """const slugify = require('slugify'); const _ = require('lodash'); const axios = require('axios');
      const crypto = require('node:crypto'); const fs = require('fs'); const path = require('path');
      const { format, parseISO } = require('date-fns'); const unlisted = require('unlisted');"""
    assert hook(tmp_path, body, head)[0] is State.OPEN


@pytest.mark.parametrize(
    "body, call",
    [
        ("await axios.post('http://a', event.params.data.title);", "axios.post"),
        ("unlisted(1);", "unlisted"),
        ("const free = unlisted(event.params.where.id);", "unlisted"),
        ("const { where } = event.params; if (unlisted(where)) { event.state.a = 1; }", "unlisted"),
        ("assert(event.params.data.title);", "assert"),
        ("assert.ok(1);", "assert.ok"),
        ("await validateYupSchema(schema)(1);", "validateYupSchema(schema)"),
        ("strapi.config.guards.check(1);", "strapi.config.guards.check"),
        (
            "await strapi.controller('api::article.article').check(event);",
            "strapi.controller('api::article.article').check",
        ),
        (
            "await strapi.plugin('comments').service('common').check(1);",
            "strapi.plugin('comments').service('common').check",
        ),
        ("await strapi.service('api::article.article').check(1);", "strapi.service('api::article.article').check"),
        ("await strapi.service(event.state.uid).check(1);", "strapi.service(event.state.uid).check"),
        ("event.state.check(1);", "event.state.check"),
        ("await known[event.action](event);", "known[event.action]"),
        ("eval(event.params.data.title);", "eval"),
        ("const console = require('unlisted'); console.log(1);", "console.log"),
        ("const calls = [unlisted(1)]; await Promise.all(calls);", None),
        ("await Promise.all(event.params.data.tags.map(unlisted));", "event.params.data.tags.map"),
    ],
)
def test_calls_that_cannot_be_followed_close(tmp_path: Path, body: str, call: str | None) -> None:
    head = """const axios = require('axios'); const unlisted = require('unlisted'); const assert = require('assert');
      const { validateYupSchema } = require('@strapi/utils'); const known = require('unlisted/known');"""
    state, says = hook(tmp_path, body, head)
    assert state is State.CLOSED
    if call is not None:
        assert f"calls {call} at {LIFECYCLES}:3, which Octavo cannot follow; " in says
        assert says.endswith("if it rejects nothing, allow api::article.article.beforeUpdate")


@pytest.mark.parametrize(
    "body, closed",
    [
        ("try { refuse(1); } catch (error) { console.error(error); }", False),
        ("try { await later(1); } catch { }", False),
        ("try { if (event.params.data.title) throw new Error(); } catch (error) { strapi.log.warn(error); }", False),
        ("try { await Promise.all([1].map(async (one) => { await later(one); })); } catch { }", False),
        ("[1].forEach(async (one) => { await unlisted(one); });", False),
        ("await Promise.resolve(1).then(unlisted).catch(() => null);", False),
        ("try { return later(1); } catch { }", True),
        ("try { const waiting = later(1); await 2; return waiting; } catch { }", True),
        ("try { return Promise.all([1].map(async () => { throw new Error(); })); } catch { }", True),
        ("try { return Promise.resolve(1).then(() => { throw new Error(); }); } catch { }", True),
        ("try { refuse(1); } finally { console.log(1); }", True),
        ("try { refuse(1); } catch (error) { refuse(error); }", True),
        ("try { refuse(1); } catch (error) { return Promise.reject(error); }", True),
        ("try { console.log(1); } catch { } refuse(1);", True),
        ("new Guard(1);", True),
        ("new Kept();", True),
        ("checked(1);", True),
    ],
)
def test_caught_exceptions_refuse_nothing(tmp_path: Path, body: str, closed: bool) -> None:
    head = f"""const unlisted = require('unlisted');
      const refuse = (id) => {{ {NEVER} }}; const later = async (id) => {{ {NEVER} }};
      class Base {{ constructor(id) {{ {NEVER} }} }} class Guard extends Base {{ constructor(id) {{ super(id); }} }}
      class Kept {{ found = unlisted(1); }}
      const checked = (id, check = refuse) => {{ check(id); }};"""
    assert (hook(tmp_path, body, head)[0] is State.CLOSED) == closed


@pytest.mark.parametrize(
    "helper, closed",
    [
        (NEVER, True),
        ("return Promise.reject(new Error('no'));", True),
        ("process.exit(1);", True),
        ("event.params.where.owner = 1;", True),
        ("delete event.params.data.title;", True),
        ("event.params.data.title = 'fixed';", True),
        ("event.params.data.owner = strapi.requestContext.get().state.user.id;", True),
        ("if (event.params.data.home) event.params.data.title = '/';", False),
        ("event.params.data.title = event.params.data.title.trim();", False),
        (
            "const cache = {}; delete cache.one; const where = { id: 1 };",
            True,
        ),  # as far as the analysis knows, a property of the event
    ],
)
def test_helpers_that_use_the_event_are_followed(tmp_path: Path, helper: str, closed: bool) -> None:
    files = {"src/guard.js": f"exports.look = async (event) => {{ {helper} }};"}
    state, says = hook(tmp_path, "await look(event);", "const { look } = require('../../../../guard');", **files)
    assert (state is State.CLOSED) == closed
    if closed:
        assert "src/guard.js:1" in says


@pytest.mark.parametrize(
    "text",
    [
        "const hooks = {}; hooks.beforeUpdate = () => { %s }; module.exports = hooks;",
        "const hooks = { beforeCreate() {} }; Object.assign(hooks, {}); hooks.beforeUpdate = refuse; "
        "function refuse() { %s } module.exports = hooks;",
        "exports.beforeUpdate = () => { %s };",
        "module.exports = { get beforeUpdate() { return () => { %s }; } };",
        "module.exports = require('./others');",
        "module.exports = { ...require('./others') };",
    ],
)
def test_hooks_are_found_in_every_form_of_export(tmp_path: Path, text: str) -> None:
    others = "src/api/article/content-types/article/others.js"
    code = read(
        tmp_path, text.replace("%s", NEVER), **{others: f"module.exports = {{ beforeUpdate() {{ {NEVER} }} }};"}
    )
    assert "update" in {route.core[1] for route in code.routes if route.core and route.guards}


@pytest.mark.parametrize(
    "text, uids",
    [
        (
            "strapi.db.lifecycles.subscribe({ models: ['api::article.article'], beforeUpdate: refuse });",
            {"api::article.article"},
        ),
        ("const { lifecycles } = strapi.db; lifecycles.subscribe({ beforeUpdate: refuse });", {""}),
        ("const { subscribe } = strapi.db.lifecycles; subscribe({ beforeUpdate: refuse });", {""}),
        ("const known = strapi.db.lifecycles; known.subscribe?.({ beforeUpdate: refuse });", {""}),
        ("const all = { beforeUpdate() { this.check(); }, check: refuse }; strapi.db.lifecycles.subscribe(all);", {""}),
        ("strapi.db.lifecycles.subscribe((event) => { refuse(); });", {""}),
        ("strapi.contentType('api::article.article').lifecycles.beforeUpdate = refuse;", {"api::article.article"}),
        (
            "const one = strapi.contentType('api::article.article'); one.lifecycles = { beforeUpdate: refuse };",
            {"api::article.article"},
        ),
        ("const { one } = strapi.contentTypes; one.lifecycles = { beforeUpdate: refuse };", {""}),
        (
            "strapi.db.lifecycles.subscribe({ models: ['api::article.article'], beforeUpdate() { console.log(1); } });",
            set(),
        ),
        ("strapi.eventHub.subscribe((event) => { refuse(); });", set()),
    ],
)
def test_hooks_that_code_sets_at_run_time(tmp_path: Path, text: str, uids: set[str]) -> None:
    index = f"const refuse = () => {{ {NEVER} }};\nmodule.exports = {{ bootstrap({{ strapi }}) {{ {text} }} }};"
    code = read(tmp_path, "", **{"src/index.js": index})
    assert {hook.uid for hook in code.hooks} == uids
    assert not code.everywhere


@pytest.mark.parametrize(
    "text, uid",
    [
        ("plugin.contentTypes.user.lifecycles = { beforeUpdate: refuse };", "plugin::users-permissions.user"),
        ("plugin.contentTypes.user.lifecycles.beforeUpdate = refuse;", "plugin::users-permissions.user"),
        (
            "const { user } = plugin.contentTypes; user.lifecycles.beforeUpdate = refuse;",
            "plugin::users-permissions.user",
        ),
        (
            "const user = plugin.contentTypes.user; if (!user.lifecycles) user.lifecycles = {}; "
            "user.lifecycles.beforeUpdate = refuse;",
            "plugin::users-permissions.user",
        ),
        ("plugin.contentTypes[name].lifecycles = { beforeUpdate: refuse };", ""),
    ],
)
def test_hooks_that_extensions_set(tmp_path: Path, text: str, uid: str) -> None:
    extension = f"const refuse = () => {{ {NEVER} }};\nmodule.exports = (plugin) => {{ {text} return plugin; }};"
    code = read(tmp_path, "", **{"src/extensions/users-permissions/strapi-server.js": extension})
    assert {hook.uid for hook in code.hooks} == {uid}


@pytest.mark.parametrize(
    "policy, closed",
    [
        ("() => { console.log('seen', 1 + 1); return true; }", False),
        ("() => { console.log(check()); return true; }", True),
        ("(ctx, config = check()) => true", True),
        ("({ request = check() }) => true", True),
    ],
)
def test_policies_that_call_on_the_way(tmp_path: Path, policy: str, closed: bool) -> None:
    files = {
        ROUTER: "createCoreRouter('api::article.article', { config: { find: { policies: ['one'] } } })",
        "src/api/article/policies/one.js": f"const check = () => {{ {NEVER} }};\nmodule.exports = {policy};",
    }
    assert ("api::article.one" in read(tmp_path, "", **files).guards) == closed


@pytest.mark.parametrize(
    "after, closed",
    [
        ("console.log('done'); await fetch('http://a');", False),
        ("ctx.set('X-A', '1'); const text = [1].map(String).join(); _.noop();", False),
        ("await check();", True),
        ("require('./other').check();", True),
        ("await Promise.reject(1);", True),
        ("strapi.service('api::article.article').check();", True),
    ],
)
def test_calls_of_middlewares_after_the_response(tmp_path: Path, after: str, closed: bool) -> None:
    head = f"const _ = require('lodash'); const check = () => {{ {NEVER} }};"
    made = f"module.exports = () => async (ctx, next) => {{ await next(); {after} }};"
    files = {
        ROUTER: "createCoreRouter('api::article.article', { config: { find: { middlewares: ['one'] } } })",
        "src/api/article/middlewares/one.js": f"{head}\n{made}",
    }
    assert ("api::article.one" in read(tmp_path, "", **files).guards) == closed


class Counting(ServiceResolver):
    """Counts the properties that are read."""

    looked = 0

    def member(self, thing: Thing, name: str, depth: int = 0) -> list[Thing]:
        self.looked += 1
        return super().member(thing, name, depth)


def test_following_ends(tmp_path: Path) -> None:
    """Files that import each other are checked once. Long chains are cut off, and close the action."""
    chain = "\n".join(f"const step{number} = () => {{ step{number + 1}(); }};" for number in range(1000))
    ring = "\n".join(f"export * from './ring{number}';" for number in range(12))
    files = {
        "one.js": "const two = require('./two'); exports.go = () => { two.go(); two.go(); }; exports.end = () => {};",
        "two.js": "const one = require('./one'); exports.go = () => { one.go(); one.end(); };",
        "long.js": f"{chain}\nexports.go = () => {{ step0(); }};\nconst step1000 = () => {{}};",
        **{f"ring{number}.ts": ring for number in range(12)},
        "rings.ts": "import { none } from './ring0';\nexport const go = () => { none(); };",
    }
    sources = Sources(write_files(tmp_path, files))
    found = {}
    for name in ("one.js", "long.js", "rings.ts"):
        module = sources.module(tmp_path / name)
        assert module is not None
        resolver = Counting(sources)
        steps = list(Follower(resolver).steps(module, sources.exported_names(module)["go"], Thing("value")))
        refusals = [str(refusal) for _, refusal in steps if refusal]
        found[name] = (len(steps), refusals, resolver.looked < 10_000)
    assert found == {
        "one.js": (4, [], True),
        "long.js": (201, ["calls more functions at long.js:1001, which Octavo cannot follow"], True),
        "rings.ts": (1, ["calls none at rings.ts:2, which Octavo cannot follow"], True),
    }
