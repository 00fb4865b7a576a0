"""PostGraphile 5 on the plain tables, with its filter plugin. It has GraphQL only."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.processes import Service, serving
from benchmarks.peers.requests import Dialect, Document
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.systems.driver import fill_plain
from benchmarks.peers.workloads import PAGE, Api, Kind
from tests.cli.processes import free_port

_CONFIG = """import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

export default {
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE, schemas: ["public"] })],
  grafserv: { host: "127.0.0.1", port: Number(process.env.PORT), graphiql: false, watch: false },
  disablePlugins: ["PgIndexBehaviorsPlugin"], // filter by attributes without an index, as the others do
  schema: { connectionFilterRelations: true },
};
"""


@contextmanager
def serve(site: Site) -> Iterator[Service]:
    """Serve the plain tables."""
    assert site.packages
    assert site.node
    asyncio.run(fill_plain(site))
    port = free_port()
    site.write({"graphile.config.mjs": _CONFIG, "package.json": '{"private": true}\n'})
    (site.folder / "node_modules").symlink_to(site.packages / "node_modules")
    variables = {"NODE_ENV": "production", "GRAPHILE_ENV": "production", "PORT": str(port)}
    command = (site.node, site.packages / "node_modules/postgraphile/dist/cli-run.js")
    with serving(command, site.folder, variables | {"DATABASE": site.database.url}, port, "/") as service:
        yield service


_ARTICLE = "rowId title slug summary body kind views featured createdAt updatedAt publishedAt"
_AUTHOR = "rowId name email bio createdAt updatedAt"
_CATEGORIES = "articlesCategoriesByArticleId { nodes { categoryByCategoryId { rowId name code createdAt updatedAt } } }"
_START = "$start: Int"
_OFFSET = f"first: {PAGE}, offset: $start"


def _start(start: int) -> Mapping[str, Any]:
    return {"start": start}


def _articles(arguments: str, more: str = "", attributes: str = _ARTICLE) -> str:
    return f"allArticles({arguments}) {{ nodes {{ {attributes} }} {more} }}"


def _create(title: str, slug: str, views: int, author: int) -> Mapping[str, Any]:
    return {"input": {"article": {"title": title, "slug": slug, "views": views, "authorId": author}}}


def _update(article: int, title: str, views: int) -> Mapping[str, Any]:
    return {"input": {"rowId": article, "articlePatch": {"title": title, "views": views}}}


_GRAPHQL = {
    Kind.ENTRY: Document("$id: Int!", f"articleByRowId(rowId: $id) {{ {_ARTICLE} }}", lambda number: {"id": number}),
    Kind.LIST: Document(_START, _articles(_OFFSET), _start),
    Kind.TOTAL: Document(_START, _articles(_OFFSET, "totalCount"), _start),
    Kind.AFTER: Document(
        "$id: Int",
        _articles(f"first: {PAGE}, filter: {{rowId: {{greaterThan: $id}}}}"),
        lambda number: {"id": number},
    ),
    Kind.CURSOR: Document(
        "$after: Cursor",
        _articles(f"first: {PAGE}, after: $after", "pageInfo { endCursor }"),
        lambda cursor: {"after": cursor or None},
    ),
    Kind.FILTER: Document(
        "$name: String!, $views: Int!",
        _articles(
            f"first: {PAGE}, filter: {{authorByAuthorId: {{name: {{equalTo: $name}}}}, "
            "views: {greaterThanOrEqualTo: $views}}"
        ),
        lambda name, views: {"name": name, "views": views},
    ),
    Kind.SEARCH: Document(
        "$text: String!, $kind: String!",
        _articles("first: 10, filter: {title: {includesInsensitive: $text}, kind: {equalTo: $kind}}"),
        lambda text, kind: {"text": text, "kind": kind},
    ),
    Kind.POPULATE: Document(
        _START, _articles(_OFFSET, "", f"{_ARTICLE} authorByAuthorId {{ {_AUTHOR} }} {_CATEGORIES}"), _start
    ),
    Kind.DEEP: Document(
        "$id: Int!",
        f"authorByRowId(rowId: $id) {{ {_AUTHOR} articlesByAuthorId {{ nodes {{ {_ARTICLE} {_CATEGORIES} }} }} }}",
        lambda number: {"id": number},
    ),
    Kind.CREATE: Document(
        "$input: CreateArticleInput!",
        f"createArticle(input: $input) {{ article {{ {_ARTICLE} }} }}",
        _create,
        "mutation",
    ),
    Kind.UPDATE: Document(
        "$input: UpdateArticleByRowIdInput!",
        f"updateArticleByRowId(input: $input) {{ article {{ {_ARTICLE} }} }}",
        _update,
        "mutation",
    ),
}


def _cursor(answer: Mapping[str, Any]) -> str | None:
    cursor: str | None = answer["data"]["allArticles"]["pageInfo"]["endCursor"]
    return cursor


SYSTEM = System(
    "postgraphile", "PostGraphile 5", Dialect({}, _GRAPHQL), serve, {Api.VARIABLES: _cursor}, needs_packages=True
)
