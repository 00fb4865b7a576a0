"""Drafts: the Python for JavaScript statements, and which files become drafts."""

import ast
import textwrap
from pathlib import Path

import pytest

from octavo.schema.registry import Registry
from octavo.v4.adoption.drafts.files import Draft, drafts
from octavo.v4.code.read import read_code
from octavo.v4.code.sources import Sources
from tests.v4.config.project import write

NOTHING = Registry((), ())


def drafted(folder: Path, **files: str) -> dict[str, Draft]:
    """Return the drafts for a project of these files, by path. In names, `__` represents a slash."""
    write(folder, {f"{name.replace('__', '/').replace('_0', '-')}.js": text for name, text in files.items()})
    code = read_code(folder, NOTHING)
    found = {draft.path: draft for draft in drafts(Sources(folder), NOTHING, code.findings)}
    for draft in found.values():
        ast.parse(draft.text)
    return found


def action(folder: Path, body: str, before: str = "", parameters: str = "ctx") -> Draft:
    """Return the draft of a controller with one custom action."""
    members = f"{{ async best({parameters}) {{ {body} }} }}"
    text = f"{before}\nmodule.exports = require('@strapi/strapi').factories.createCoreController('api::a.a', {members})"
    [draft] = drafted(folder, src__api__a__controllers__a=text).values()
    return draft


def lines(draft: Draft) -> str:
    """Return the body of the action."""
    inside = draft.text.split("async def best(self, request):\n")[1]
    return textwrap.dedent(inside).strip()


CASES = {
    "ctx.query.populate = ctx.query.populate || ['author']; return super.find(ctx)": """
        request.query["populate"] = request.query.get("populate") or ["author"]
        return await super().find(request)""",
    "const { id } = ctx.params; return strapi.entityService.findOne('api::a.a', id, { populate: { b: true } })": """
        id = request.params.get("id")
        return await self.app.entries("api::a.a").find_one(id, populate={"b": True})""",
    "const { slug } = ctx.params"
    "; const one = await strapi.db.query('api::a.a').findOne({ where: { slug }, select: ['id'] })"
    "; if (!one) { return ctx.notFound('No such a') }"
    "; const clean = await this.sanitizeOutput(one, ctx); return this.transformResponse(clean)": """
        slug = request.params.get("slug")
        one = await self.app.entries("api::a.a").find_first(filters={"slug": slug}, fields=["id"])
        if not one:
            raise NotFoundError("No such a")
        clean = await self.sanitize_output(one, request)
        return self.transform_response(clean)""",
    "const [first] = await strapi.entityService.findMany('api::a.a', { filters: { b: 1 } }); return first": """
        first = await self.app.entries("api::a.a").find_first(filters={"b": 1})
        return first""",
    "ctx.request.body.data.owner = ctx.state.user.id; return super.create(ctx)": """
        (await request.json())["data"]["owner"] = (await request.user()).get("id")
        return await super().create(request)""",
    "const { data, meta } = await super.find(ctx); data.forEach((a) => { a.seen = true }); return { data, meta }": """
        taken = await super().find(request)
        data = taken["data"]
        meta = taken["meta"]
        for a in data:
            a["seen"] = True
        return {"data": data, "meta": meta}""",
    "ctx.body = { ok: true }": 'return {"ok": True}',
    "ctx.status = 201; ctx.body = 'done'": 'return Response.json("done", status=201)',
    "return ctx.throw(404, `no ${ctx.params.id}`)": "raise NotFoundError(f\"no {request.params.get('id')}\")",
    "try { await super.update(ctx) } catch (err) { strapi.log.error(err.message); return { error: err.message } }": """
        try:
            await super().update(request)
        except Exception as err:
            self.app.log.error("%s", str(err))
            return {"error": str(err)}""",
    "const all = await strapi.entityService.findMany('api::a.a')"
    "; const names = all.filter((a) => a.b > 2).map(({ name }) => name)"
    "; return names.includes('x') ? names.join(', ') : []": """
        all_ = await self.app.entries("api::a.a").find_many()
        names = [item.get("name") for item in [a for a in all_ if a.get("b") > 2]]
        return ", ".join(map(str, names)) if "x" in names else []""",
    "const { b = 3, ...rest } = ctx.query; return { ...rest, b }": """
        taken = request.query
        b = taken.get("b")
        if b is None:
            b = 3
        rest = {key: value for key, value in taken.items() if key not in ("b",)}
        return {**rest, "b": b}""",
    "let sum = 0; for (const x of ctx.query.list) { if (!x) continue; sum += x } return sum": """
        sum_ = 0
        for x in request.query.get("list"):
            if not x:
                continue
            sum_ += x
        return sum_""",
    "const { user } = ctx.state; return user?.role?.name === 'E' && ctx.query.a !== undefined": """
        user = await request.user()
        return ((user or {}).get("role") or {}).get("name") == "E" and request.query.get("a") is not None""",
    "const { data } = await axios.post('https://x.test', { a: 1 }, { headers: { b: 'c' } }); return data": """
        data = (await self.app.http.post("https://x.test", json={"a": 1}, headers={"b": "c"})).raise_for_status().json()
        return data""",
    "const found = await fetch('https://x.test'); if (!found.ok) return; return found.json()": """
        found = await self.app.http.get("https://x.test")
        if not found.is_success:
            return
        return found.json()""",
    "return strapi.db.transaction(async () => {"
    " await strapi.entityService.delete('api::a.a', 1); return { ok: true } })": """
        async with self.app.transaction():
            await self.app.entries("api::a.a").delete(1)
            return {"ok": True}""",
    "return strapi.service('api::a.other').countAll(ctx.query.x ?? 1)": """
        # check: unlike `??`, `or` also replaces 0, False and empty strings
        return await self.app.service("api::a.other").count_all(request.query.get("x") or 1)""",
    "switch (ctx.query.a) { case 'x': return 1; case 'y': case 'z': return 2; default: return 3 }": """
        if request.query.get("a") == "x":
            return 1
        elif request.query.get("a") in ("y", "z"):
            return 2
        else:
            return 3""",
    "const total = ctx.query.list.reduce((all, one) => all + one.price, 0); return total": """
        total = sum(one.get("price") for one in request.query.get("list"))
        return total""",
    "await strapi.plugins['email'].services.email.send({ to: 'a@b.c', subject: 'x', html: '<b>\"' })": """
        await self.app.mail.send(to="a@b.c", subject="x", html="<b>\\"")""",
}


@pytest.mark.parametrize("script", CASES, ids=range(len(CASES)))
def test_translation(tmp_path: Path, script: str) -> None:
    draft = action(tmp_path, script, "const axios = require('axios')")
    assert lines(draft) == textwrap.dedent(CASES[script]).strip()
    assert draft.is_whole
    assert draft.path == "src/api/a/controllers/a.py"


MISSING = {
    "return stripe.charge(1)": "unsupported import: `stripe` from stripe",
    "return nobody": "unknown name `nobody`",
    "label: for (;;) {}": "unsupported syntax: labeled statement",
    "return ctx.state.route": "`ctx.state.route` does not exist in Octavo",
    "return eval('1')": "unknown name `eval`",
    "with (ctx) { x }": "unsupported syntax: with statement",
    "return /(?<a>x)/.test('x')": "this regular expression has a different syntax in Python",
    "await strapi.db.connection.raw('x')": "cannot read `connection` of an object that is not data",
    "const x = " + "[" * 70 + "]" * 70: "nested too deeply",
    "return strapi.entityService.findMany('api::a.a', { having: 1 })": "unsupported option `having`",
    "return [[1]].map((x) => x.map((y) => { const z = x; return z }))": (
        "cannot translate a function with several statements inside another one"
    ),
}


@pytest.mark.parametrize("script", MISSING, ids=range(len(MISSING)))
def test_missing_translation(tmp_path: Path, script: str) -> None:
    draft = action(tmp_path, f"const before = 1\n{script}\n", "const stripe = require('stripe')")
    assert draft.path == "src/api/a/controllers/a.py.draft"
    assert draft.missing[0].startswith(MISSING[script])
    assert f"# {script.splitlines()[0]}"[:20] in lines(draft)
    assert "raise NotImplementedError(" in lines(draft)


def test_complete_functions_and_others_are_separate_files(tmp_path: Path) -> None:
    text = (
        "module.exports = { a(ctx) { return this.b() }, b() { return 1 }, c(ctx) { return this.d() }, d() { gone() } }"
    )
    found = drafted(tmp_path, src__api__a__controllers__a=text)
    whole, rest = found["src/api/a/controllers/a.py"], found["src/api/a/controllers/a.py.draft"]
    assert (whole.pieces, rest.pieces) == (("a", "b"), ("c", "d"))
    assert "return await self.b()" in whole.text
    assert "# src/api/a/controllers/a.js:1" in whole.text


def test_defaults_are_worked_out_once_in_python(tmp_path: Path) -> None:
    text = "module.exports = { a(x = 1) { return x }, b(x = strapi.config.get('a.b')) { return x } }"
    found = drafted(tmp_path, src__api__a__services__a=text)
    assert "async def a(self, x=1):" in found["src/api/a/services/a.py"].text
    assert found["src/api/a/services/a.py.draft"].pieces == ("b",)


def test_names_do_not_shadow_names_of_python(tmp_path: Path) -> None:
    draft = action(tmp_path, "const from = 1, list = 2, request = 3, self = 4; return [from, list, request, self]")
    assert lines(draft).endswith("return [from_, list_, request_, self_]")


def test_hostile_names_and_texts(tmp_path: Path) -> None:
    folder = tmp_path / 'src/api/a/policies/x"""\nimport os\n'
    folder.parent.mkdir(parents=True)
    Path(f"{folder}.js").write_text("module.exports = (ctx) => ctx.query['\"; os.system(1) #\\n\u202e'] === '{os}\\\\'")
    [draft] = drafted(tmp_path).values()
    tree = ast.parse(draft.text)
    assert [type(node).__name__ for node in tree.body] == ["Expr", "AsyncFunctionDef"]
    assert "\u202e" not in draft.text


def test_policy_returns_what_v4_accepts(tmp_path: Path) -> None:
    text = "module.exports = (context, config, { strapi }) => { if (!context.state.user) return false; %s }"
    passing = drafted(tmp_path / "1", src__policies__p=text % "")["src/policies/p.py"]
    assert passing.text.endswith("    return True\n")
    valued = drafted(tmp_path / "2", src__policies__p=text % "return config.who")["src/policies/p.py"]
    assert valued.text.endswith('    return config.get("who") is True\n')


def test_middleware_calls_next_and_responds(tmp_path: Path) -> None:
    inner = "async (ctx, next) => { ctx.query.limit = config.limit; await next(); ctx.body.seen = true }"
    text = f"module.exports = (config, {{ strapi }}) => {inner}"
    [draft] = drafted(tmp_path, src__middlewares__m=text).values()
    assert draft.text.endswith(
        """async def middleware(request, next, config):
    request.query["limit"] = config.get("limit")
    answer = await next(request)
    answer.value["seen"] = True
    return answer
"""
    )


def test_hooks(tmp_path: Path) -> None:
    text = """
    const slugify = require('slugify')
    const count = async ({ id }) => strapi.db.query('api::b.b').count({ where: { a: id } })
    const afterwards = () => 1
    module.exports = {
      beforeCreate(event) { const { data } = event.params; data.slug = slugify(data.title) },
      async beforeDelete({ params }) { if (await count(params.where)) throw new Error('in use') },
      async afterUpdate({ result }) { await fetch(process.env.HOOK, { method: 'POST', body: JSON.stringify(result) }) },
      afterCreate(event) { event.result.title = 'x' },
    }"""
    found = drafted(tmp_path, src__api__a__content_0types__a__lifecycles=text)
    whole = found["src/api/a/content-types/a/lifecycles.py"]
    assert whole.pieces == ("beforeCreate", "beforeDelete", "afterUpdate")
    assert "from octavo import slugify\n" in whole.text
    assert 'data["slug"] = slugify(data.get("title"))' in whole.text
    assert 'async def _count(app, given):\n    id = given.get("id")\n' in whole.text
    assert 'if await _count(event.app, event.params.where):\n        raise RuntimeError("in use")' in whole.text
    assert "async def after_commit_update(event):\n" in whole.text
    assert 'await event.app.http.post(os.environ.get("HOOK"), json=result)' in whole.text
    assert found["src/api/a/content-types/a/lifecycles.py.draft"].pieces == ("afterCreate",)


def test_tasks(tmp_path: Path) -> None:
    text = """module.exports = ({ env }) => ({
      '0 1 * * *': async ({ strapi }) => { await strapi.service('api::a.a').clean() },
      nightly: { task: ({ strapi }) => strapi.log.info('x'), options: { rule: '0 2 * * *', tz: 'Asia/Baghdad' } },
    })"""
    [draft] = drafted(tmp_path, config__cron_0tasks=text).values()
    assert draft.path == "src/cron.py"
    assert '"0 1 * * *": task_1' in draft.text
    assert '"nightly": {"task": nightly, "options": {"rule": "0 2 * * *", "tz": "Asia/Baghdad"}}' in draft.text


def test_helper_files_become_modules(tmp_path: Path) -> None:
    found = drafted(
        tmp_path,
        src__utils__site_0names="exports.LIMIT = 3; exports.nameOf = (site) => prefix + site.name; const prefix = 'x '",
        src__utils__bad="module.exports.broken = () => nobody()",
        src__api__a__services__a="""
        const { LIMIT, nameOf } = require('../../../utils/site-names')
        const utils = require('../../../utils/bad')
        module.exports = () => ({
          async names() { return (await strapi.entityService.findMany('api::a.a', { limit: LIMIT })).map(nameOf) },
          async worse() { return utils.broken() },
        })""",
    )
    service = found["src/api/a/services/a.py"]
    assert "from ....utils.site_names import LIMIT" in service.text
    assert "[name_of(item) for item in await self.app.entries" in service.text
    module = found["src/utils/site_names.py"].text
    assert "PREFIX = " in module
    assert "def name_of(site):" in module
    assert found["src/api/a/services/a.py.draft"].missing == ("unsupported import: `broken` from ../../../utils/bad",)
