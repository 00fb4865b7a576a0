"""Drafts of reads and writes of content: v4's query parameters in Octavo's form."""

from pathlib import Path

import pytest

from octavo.schema.loader import load_registry
from octavo.v4.adoption.drafts.files import Draft, drafts
from octavo.v4.code.read import read_code
from octavo.v4.code.sources import Sources
from tests.v4.adoption.test_drafts import action, drafted, lines
from tests.v4.config.project import write

QUERY = "const a = await strapi.db.query('api::a.a').%s; return a"
SERVICE = "const a = await strapi.entityService.%s; return a"

POPULATED = {
    QUERY % "findMany({ populate: { b: { select: ['id', 'url'], where: { c: 1 }, orderBy: { d: 'asc' },"
    " populate: { e: true } } } })": '{"b": {"fields": ["id", "url"], "filters": {"c": 1}, "sort": {"d": "asc"}, '
    '"populate": {"e": True}}}',
    QUERY % "findOne({ where: { x: 1 }, populate: { b: { on: { 'c.d': { select: ['id'] } } } } })": (
        '{"b": {"on": {"c.d": {"fields": ["id"]}}}}'
    ),
    SERVICE % "findMany('api::a.a', { populate: { b: { fields: ['c'], filters: { d: 1 } } } })": (
        '{"b": {"fields": ["c"], "filters": {"d": 1}}}'
    ),
    SERVICE % "findMany('api::a.a', { populate: { b: { select: ['c'] } } })": '{"b": True}',
    SERVICE % "findMany('api::a.a', { populate: ['b'] })": '["b"]',
}


@pytest.mark.parametrize("script", POPULATED, ids=range(len(POPULATED)))
def test_populate(tmp_path: Path, script: str) -> None:
    draft = action(tmp_path, script)
    assert f"populate={POPULATED[script]}" in lines(draft)
    assert draft.is_whole


def test_parameters_that_v4_ignores_are_reported(tmp_path: Path) -> None:
    found = lines(action(tmp_path, SERVICE % "findMany('api::a.a', { populate: { b: { select: ['c'] } } })"))
    assert "# check: `select` inside `populate` is left out, because v4 ignores it" in found
    found = lines(action(tmp_path, SERVICE % "findOne('api::a.a', 1, { fields: ['b'], filters: { c: 1 } })"))
    assert "# check: v4 ignores filters when it reads by ID" in found
    assert 'find_one(1, fields=["b"])' in found


def test_rows_without_ids_are_reported(tmp_path: Path) -> None:
    doubt = "# check: entries always include `id`"
    assert doubt in lines(action(tmp_path / "1", QUERY % "findMany({ select: ['b'] })"))
    assert doubt not in lines(action(tmp_path / "2", QUERY % "findMany({ select: ['id', 'b'] })"))


def test_the_entry_of_a_single_type_is_no_list(tmp_path: Path) -> None:
    schema = """{"kind": "singleType", "collectionName": "abouts", "info": {"singularName": "about",
      "pluralName": "abouts", "displayName": "About"}, "options": {}, "attributes": {"title": {"type": "string"}}}"""
    base = "src/api/about"
    write(tmp_path, {f"{base}/content-types/about/schema.json": schema})
    script = (
        "module.exports = { async x() { return strapi.entityService.findMany('api::about.about', { fields: ['a'] }) } }"
    )
    write(tmp_path, {f"{base}/services/other.js": script})
    registry = load_registry(tmp_path)
    code = read_code(tmp_path, registry)
    [draft] = drafts(Sources(tmp_path), registry, code.findings)
    assert 'entries("api::about.about").find_first(fields=["a"])' in draft.text


SERVICES = "module.exports = require('@strapi/strapi').factories.createCoreService('api::a.a', { %s })"
CONTROLLER = "module.exports = require('@strapi/strapi').factories.createCoreController('api::a.a', { %s })"


def served(folder: Path, service: str, controller: str) -> dict[str, Draft]:
    files = {"src__api__a__services__a": SERVICES % service, "src__api__a__controllers__a": CONTROLLER % controller}
    return drafted(folder, **files)


def test_a_service_that_only_the_controller_of_the_project_calls(tmp_path: Path) -> None:
    """It can accept and return any values, because core actions do not call it."""
    action = "async find(ctx) { const all = await strapi.service('api::a.a').find(ctx); return all.length }"
    found = served(tmp_path, "async find(ctx) { return [1] }", action)
    assert "async def find(self, request=None):" in found["src/api/a/services/a.py"].text
    assert 'all_ = await self.app.service("api::a.a").find(request)' in found["src/api/a/controllers/a.py"].text


def test_a_service_that_core_actions_ask(tmp_path: Path) -> None:
    found = served(tmp_path, "async find(ctx) { return [1] }", "async best(ctx) { return 1 }")
    [why] = found["src/api/a/services/a.py.draft"].missing
    assert why.startswith("core actions in Octavo call `find` with other arguments")


def test_a_core_service_is_called_without_a_request(tmp_path: Path) -> None:
    draft = action(tmp_path, "return strapi.service('api::a.a').find(ctx)")
    assert lines(draft).endswith('return await self.app.service("api::a.a").find()')


def test_names_that_cannot_be_converted_back_do_not_change(tmp_path: Path) -> None:
    found = served(
        tmp_path, "findByURL(url) { return url }", "async byURL(ctx) { return strapi.service('api::a.a').findByURL(1) }"
    )
    assert "async def findByURL(self, url=None):" in found["src/api/a/services/a.py"].text
    text = found["src/api/a/controllers/a.py"].text
    assert "async def byURL(self, request):" in text
    assert 'service("api::a.a").findByURL(1)' in text


def test_actions_of_other_controllers(tmp_path: Path) -> None:
    draft = action(tmp_path, "const b = await strapi.controller('api::b.b').find(ctx); return b")
    assert 'b = await self.controller("api::b.b").find(request)' in lines(draft)
