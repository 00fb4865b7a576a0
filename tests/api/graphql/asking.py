"""Requests to the bookshop over GraphQL, in the same process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from graphql import GraphQLSchema

from octavo.api.graphql.document.documents import Documents
from octavo.api.graphql.options import Limits
from octavo.core.cache import CacheBudget
from octavo.operations.runtime import process as app
from octavo.settings.model import Mode
from tests.api.http.asgi import Answer, call
from tests.models.site import Site


async def send(site: Site, body: Any, token: str | None = None) -> Answer:
    """Send a body, encoded as JSON unless it is bytes."""
    headers = [("Content-Type", "application/json")]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await call(site.octavo.asgi, "POST", "/graphql", headers, [data])


async def ask(site: Site, text: str, token: str | None = None, **variables: Any) -> Any:
    """Execute an operation and return its response."""
    answer = await send(site, {"query": text, "variables": variables}, token)
    assert answer.status == 200, answer.body
    return answer.json


def documents_of(schema: GraphQLSchema, limits: Limits) -> Documents:
    """Return a reader of documents for a schema, without a service."""
    return Documents(schema, limits, CacheBudget(10_000_000).cache("documents"))


def messages(answer: Any) -> list[str]:
    return [error["message"] for error in answer.get("errors", [])]


@asynccontextmanager
async def served(site: Site, mode: Mode = "production", **config: Any) -> AsyncIterator[Site]:
    """Serve the same content in another mode or with other GraphQL settings."""
    settings = site.octavo.settings
    graphql = replace(settings.plugins.graphql, config=replace(settings.plugins.graphql.config, **config))
    octavo = app.build(replace(settings, mode=mode, plugins=replace(settings.plugins, graphql=graphql)))
    await octavo.database.connect()
    try:
        yield Site(octavo)
    finally:
        await octavo.database.close()
