"""Drafts in use: a v4 bookshop whose JavaScript `octavo adopt --drafts` has translated to Python, over REST."""

import json
from collections.abc import AsyncIterator

import pytest

from octavo.v4.adoption.drafts.files import write_drafts
from octavo.v4.adoption.report import DraftItem
from tests.project.rest.shop import Shop, open_shop, write_code
from tests.v4.config.project import PACKAGES

pytestmark = pytest.mark.anyio

FILES = {
    "api/book/controllers/book.js": """
        const { createCoreController } = require('@strapi/strapi').factories
        module.exports = createCoreController('api::book.book', ({ strapi }) => ({
          async find(ctx) {
            const { data, meta } = await super.find(ctx)
            return { data: data.map(({ id, attributes }) => ({ id, title: attributes.title.toUpperCase() })), meta }
          },
          async create(ctx) {
            const { data } = ctx.request.body
            if (!data.title) return ctx.badRequest('A title, please', { field: 'title' })
            data.title = `${data.title.trim()}!`
            return super.create(ctx)
          },
          async byTitle(ctx) {
            const [book] = await strapi.entityService.findMany('api::book.book', {
              filters: { title: ctx.params.title }, populate: { author: { fields: ['name'] } },
            })
            if (!book) return ctx.notFound()
            const clean = await this.sanitizeOutput(book, ctx)
            return this.transformResponse(clean)
          },
          async shelf(ctx) {
            const { results, pagination } = await strapi.service('api::book.book').find({ fields: ['title'] })
            ctx.send({ total: pagination.total, first: results[0].title, size: results.length })
          },
        }))
    """,
    "policies/no-odd-ids.js": """
        module.exports = (ctx, config, { strapi }) => {
          if (parseInt(ctx.params.id) % 2 === 1) { return false }
        }
    """,
    "api/book/content-types/book/lifecycles.js": """
        module.exports = {
          async beforeCreate(event) {
            const { data } = event.params
            const known = await strapi.db.query('api::book.book').count({ where: { title: data.title } })
            if (known > 0) { data.title = data.title + ' (again)' }
          },
        }
    """,
}
ROUTES = {
    "api/book/routes/book.py": """
        from octavo import CoreRouter

        PUBLIC = {"auth": False}
        router = CoreRouter(
            config={"find": PUBLIC, "create": PUBLIC, "findOne": {"auth": False, "policies": ["no-odd-ids"]}}
        )
    """,
    "api/book/routes/own.py": """
        from octavo import Route

        routes = [
            Route("GET", "/titles/:title", "book.byTitle", auth=False),
            Route("GET", "/shelf", "book.shelf", auth=False),
        ]
    """,
}


@pytest.fixture(scope="module")
async def shop(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Shop, tuple[DraftItem, ...]]]:
    folder = tmp_path_factory.mktemp("drafted")
    old = write_code(folder / "v4", FILES)
    (old / "package.json").write_text(json.dumps({"dependencies": PACKAGES}))
    drafts = write_drafts(old, folder / "new")
    async with open_shop(folder / "new", ROUTES) as shop:
        yield shop, drafts


async def test_all_drafts_are_complete(shop: tuple[Shop, tuple[DraftItem, ...]]) -> None:
    assert {draft.path: draft.missing for draft in shop[1]} == {
        "src/api/book/content-types/book/lifecycles.py": (),
        "src/api/book/controllers/book.py": (),
        "src/policies/no-odd-ids.py": (),
    }


async def test_responses_equal_those_of_the_javascript(shop: tuple[Shop, tuple[DraftItem, ...]]) -> None:
    ask = shop[0].ask
    made = await ask("POST", "/api/books", {"data": {"title": " Drafts "}})
    assert made.status == 200, made.body
    assert (made.status, made.json["data"]["attributes"]["title"]) == (200, "Drafts!")
    again = await ask("POST", "/api/books", {"data": {"title": "Drafts"}})
    assert again.json["data"]["attributes"]["title"] == "Drafts! (again)"
    refused = await ask("POST", "/api/books", {"data": {}})
    assert (refused.status, refused.json["error"]["message"]) == (400, "A title, please")
    assert refused.json["error"]["details"] == {"field": "title"}

    listed = (await ask("GET", "/api/books?sort=id:desc&pagination[limit]=1")).json
    assert listed["data"][0]["title"] == "DRAFTS! (AGAIN)"
    one = await ask("GET", "/api/titles/Drafts!")
    assert one.json["data"] == one.json["data"] | {"id": made.json["data"]["id"]}
    assert (await ask("GET", "/api/titles/none")).status == 404
    shelf = (await ask("GET", "/api/shelf")).json
    assert shelf["total"] >= shelf["size"] > 0

    entries = (made.json["data"]["id"], again.json["data"]["id"])
    statuses = {entry % 2: (await ask("GET", f"/api/books/{entry}")).status for entry in entries}
    assert statuses == {0: 200, 1: 403}
