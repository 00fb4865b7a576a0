"""Directus 11 on the plain tables, with relations and public permissions."""

import asyncio
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.peers.client import fetch
from benchmarks.peers.processes import Service, StartFailed, serving
from benchmarks.peers.requests import Dialect, Document, RestCall
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.systems.driver import fill_plain
from benchmarks.peers.workloads import PAGE, Kind
from tests.cli.processes import free_port

_TOKEN = "benchmark-token"
_PUBLIC = "abf8a154-5b1c-4a46-ac9c-7300570f4f17"
"""The policy of requests without a token, the same in every installation."""
_TABLES = ("articles", "authors", "categories", "articles_categories")


def _relation(table: str, column: str, target: str, **meta: str) -> tuple[str, str, Any]:
    body = {"collection": table, "field": column, "related_collection": target, "meta": meta}
    return "PATCH", f"/relations/{table}/{column}", body


_SETUP: tuple[tuple[str, str, Any], ...] = (
    *[("PATCH", f"/collections/{table}", {"meta": {"hidden": False}}) for table in _TABLES],
    ("POST", "/fields/authors", {"field": "articles", "type": "alias", "meta": {"special": ["o2m"]}}),
    _relation("articles", "author_id", "authors", one_field="articles"),
    ("POST", "/fields/articles", {"field": "categories", "type": "alias", "meta": {"special": ["m2m"]}}),
    _relation("articles_categories", "article_id", "articles", one_field="categories", junction_field="category_id"),
    _relation("articles_categories", "category_id", "categories", junction_field="article_id"),
)


def _variables(site: Site, port: int) -> dict[str, str]:
    database = site.database
    return {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "NODE_ENV": "production",
        "DB_CLIENT": "pg",
        "DB_HOST": database.host,
        "DB_PORT": str(database.port),
        "DB_DATABASE": database.name,
        "DB_USER": database.user,
        "DB_PASSWORD": database.password,
        "KEY": "benchmark",
        "SECRET": "benchmark-benchmark-benchmark-benchmark",
        "ADMIN_EMAIL": "admin@example.com",
        "ADMIN_PASSWORD": "benchmark",
        "ADMIN_TOKEN": _TOKEN,
        "CACHE_ENABLED": "false",
        "RATE_LIMITER_ENABLED": "false",
        "PRESSURE_LIMITER_ENABLED": "false",
        "WEBSOCKETS_ENABLED": "false",
        "TELEMETRY": "false",
        "LOG_LEVEL": "error",
        "SERVE_APP": "false",
    }


@contextmanager
def serve(site: Site) -> Iterator[Service]:
    """Serve the plain tables, which Directus reads as they are."""
    assert site.packages
    assert site.node
    asyncio.run(fill_plain(site))
    port = free_port()
    variables = _variables(site, port)
    command = (site.node, site.packages / "node_modules/directus/cli.js")
    _bootstrap(site, command, variables)
    with serving((*command, "start"), site.folder, variables, port, "/server/ping") as service:
        _set_up(service)
        yield service


def _bootstrap(site: Site, command: tuple[Path, Path], variables: Mapping[str, str]) -> None:
    """Create the tables of Directus."""
    run = subprocess.run(
        [*command, "bootstrap"],
        cwd=site.folder,
        env={"HOME": str(site.folder), **variables},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise StartFailed(f"`directus bootstrap` exited with {run.returncode}:\n{(run.stdout + run.stderr)[-2000:]}")


def _set_up(service: Service) -> None:
    for method, path, body in _SETUP:
        _administer(service, method, path, body)
    for table in _TABLES:
        for action in ("read", "create", "update"):
            permission: dict[str, Any] = {
                "policy": _PUBLIC,
                "collection": table,
                "action": action,
                "fields": ["*"],
                "permissions": {},
            }
            _administer(service, "POST", "/permissions", permission)


def _administer(service: Service, method: str, path: str, body: Any) -> None:
    data = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {_TOKEN}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    status, answer = fetch(service.port, head.encode() + data)
    if status >= 300:
        raise StartFailed(f"Directus returned {status} to {method} {path}: {answer.decode()[:500]}")


_ARTICLE = "id title slug summary body kind views featured created_at updated_at published_at"
_AUTHOR = "id name email bio created_at updated_at"
_CATEGORY = "id name code created_at updated_at"


def _fields(names: str, path: str = "") -> str:
    return ",".join(f"{path}{name}" for name in names.split())


_ITEMS = f"/items/articles?fields={_fields(_ARTICLE)}"
_LIST = f"{_ITEMS}&sort=id&limit={PAGE}&offset={{}}"
_RELATED = f"{_fields(_AUTHOR, 'author_id.')},{_fields(_CATEGORY, 'categories.category_id.')}"
_WITH_CATEGORIES = f"{_ARTICLE} categories {{ category_id {{ {_CATEGORY} }} }}"


def _create(title: str, slug: str, views: int, author: int) -> dict[str, Any]:
    return {"title": title, "slug": slug, "views": views, "author_id": author}


def _create_in_graphql(title: str, slug: str, views: int, author: int) -> dict[str, Any]:
    return {"data": {"title": title, "slug": slug, "views": views, "author_id": {"id": author}}}


def _update(article: int, title: str, views: int) -> dict[str, Any]:
    return {"title": title, "views": views}


_REST = {
    Kind.ENTRY: RestCall(f"/items/articles/{{}}?fields={_fields(_ARTICLE)}"),
    Kind.LIST: RestCall(_LIST),
    Kind.TOTAL: RestCall(f"{_LIST}&meta=filter_count"),
    Kind.AFTER: RestCall(f"{_ITEMS}&sort=id&limit={PAGE}&filter[id][_gt]={{}}"),
    Kind.FILTER: RestCall(f"{_ITEMS}&sort=id&limit={PAGE}&filter[author_id][name][_eq]={{}}&filter[views][_gte]={{}}"),
    Kind.SEARCH: RestCall(f"{_ITEMS}&sort=id&limit=10&filter[title][_icontains]={{}}&filter[kind][_eq]={{}}"),
    Kind.POPULATE: RestCall(_LIST.replace("&", f",{_RELATED}&", 1)),
    Kind.DEEP: RestCall(
        f"/items/authors/{{}}?fields={_fields(_AUTHOR)},{_fields(_ARTICLE, 'articles.')},"
        f"{_fields(_CATEGORY, 'articles.categories.category_id.')}"
    ),
    Kind.CREATE: RestCall(f"/items/articles?fields={_fields(_ARTICLE)}", "POST", lambda *values: (), _create),
    Kind.UPDATE: RestCall(
        f"/items/articles/{{}}?fields={_fields(_ARTICLE)}", "PATCH", lambda article, *values: (article,), _update
    ),
}

_PAGE = f'sort: ["id"], limit: {PAGE}, offset: $start'
_GRAPHQL = {
    Kind.ENTRY: Document("$id: ID!", f"articles_by_id(id: $id) {{ {_ARTICLE} }}", lambda number: {"id": str(number)}),
    Kind.LIST: Document("$start: Int", f"articles({_PAGE}) {{ {_ARTICLE} }}", lambda start: {"start": start}),
    Kind.TOTAL: Document(
        "$start: Int",
        f"articles({_PAGE}) {{ {_ARTICLE} }} articles_aggregated {{ count {{ id }} }}",
        lambda start: {"start": start},
    ),
    Kind.AFTER: Document(
        "$id: GraphQLStringOrFloat",
        f'articles(sort: ["id"], limit: {PAGE}, filter: {{id: {{_gt: $id}}}}) {{ {_ARTICLE} }}',
        lambda number: {"id": number},
    ),
    Kind.FILTER: Document(
        "$name: String, $views: GraphQLStringOrFloat",
        f'articles(sort: ["id"], limit: {PAGE}, filter: {{author_id: {{name: {{_eq: $name}}}}, '
        f"views: {{_gte: $views}}}}) {{ {_ARTICLE} }}",
        lambda name, views: {"name": name, "views": views},
    ),
    Kind.SEARCH: Document(
        "$text: String, $kind: String",
        f'articles(sort: ["id"], limit: 10, filter: {{title: {{_icontains: $text}}, kind: {{_eq: $kind}}}})'
        f" {{ {_ARTICLE} }}",
        lambda text, kind: {"text": text, "kind": kind},
    ),
    Kind.POPULATE: Document(
        "$start: Int",
        f"articles({_PAGE}) {{ {_WITH_CATEGORIES} author_id {{ {_AUTHOR} }} }}",
        lambda start: {"start": start},
    ),
    Kind.DEEP: Document(
        "$id: ID!",
        f"authors_by_id(id: $id) {{ {_AUTHOR} articles {{ {_WITH_CATEGORIES} }} }}",
        lambda number: {"id": str(number)},
    ),
    Kind.CREATE: Document(
        "$data: create_articles_input!",
        f"create_articles_item(data: $data) {{ {_ARTICLE} }}",
        _create_in_graphql,
        "mutation",
    ),
    Kind.UPDATE: Document(
        "$id: ID!, $data: update_articles_input!",
        f"update_articles_item(id: $id, data: $data) {{ {_ARTICLE} }}",
        lambda article, title, views: {"id": str(article), "data": {"title": title, "views": views}},
        "mutation",
    ),
}

SYSTEM = System("directus", "Directus 11", Dialect(_REST, _GRAPHQL), serve, needs_packages=True)
