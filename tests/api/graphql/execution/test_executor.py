"""Operations on known documents, up to the bytes of their responses."""

import json
from typing import Any

import pytest

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import permission_set
from octavo.api.graphql.execution.engine import Engine, make_engine
from octavo.api.graphql.execution.error_format import render
from octavo.api.graphql.execution.prepared_operations import RequestedOperation
from octavo.api.graphql.options import GraphqlContent, GraphqlOptions
from octavo.core.cache import CacheBudget, CacheScope
from octavo.core.errors import ForbiddenError
from tests.api.http.asgi import request_of
from tests.models.bookshop import AUTHOR, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

READER = Actor(
    "anonymous", permission_set([f"{uid}.{action}" for uid in (AUTHOR, GENRE) for action in ("find", "findOne")])
)
FORBIDDEN = render(ForbiddenError())


def engine_of(bookshop: Site) -> Engine:
    """Return a new engine without cached documents."""
    site = bookshop.octavo.site
    content = GraphqlContent(
        authenticator=bookshop.octavo.infrastructure.authenticator,
        controller=site.services.controller,
        accounts=site.services.accounts,
        users=site.services.users,
        roles=site.services.roles,
        files=site.services.files,
        extending=site.extending,
        caches=CacheScope(CacheBudget(10_000_000)),
    )
    return make_engine(content, GraphqlOptions())


async def run(engine: Engine, text: str, actor: Actor = READER, **variables: Any) -> bytes:
    document = engine.documents.read(text)
    return await engine.executor.run(RequestedOperation(document, document.operation(), variables), actor, request_of())


READS: list[tuple[str, str]] = [
    ("{ genre(id: 1) { data { id } } }", '{"data":{"genre":{"data":{"id":"1"}}}}'),
    (
        "query ($id: ID) { b: genre(id: $id) { data { id } } a: __typename genre(id: 999) { data { id } } }",
        '{"data":{"b":{"data":{"id":"2"}},"a":"Query","genre":{"data":null}}}',
    ),
    (
        '{ genres(sort: "id", pagination: {limit: 2}) { data { id } meta { pagination { page pageSize } } } }',
        '{"data":{"genres":{"data":[{"id":"1"},{"id":"2"}],"meta":{"pagination":{"page":1,"pageSize":2}}}}}',
    ),
]


@pytest.mark.parametrize("text, expected", READS)
async def test_root_fields_are_joined_in_their_order(bookshop: Site, text: str, expected: str) -> None:
    assert await run(engine_of(bookshop), text, id="2") == expected.encode()


async def test_forbidden_fields_are_null_and_others_are_returned(bookshop: Site) -> None:
    found = await run(engine_of(bookshop), "{ books { data { id } } genre(id: 1) { data { id } } }")
    assert json.loads(found) == {"errors": [FORBIDDEN], "data": {"books": None, "genre": {"data": {"id": "1"}}}}


async def test_known_operations_are_prepared_for_the_same_permissions(bookshop: Site) -> None:
    engine, text = engine_of(bookshop), "{ author(id: 1) { data { attributes { books { data { id } } } } } }"
    document = engine.documents.read(text)
    requested = RequestedOperation(document, document.operation(), {})
    nobody = Actor("anonymous", permission_set([]))
    first = await run(engine, text)
    assert engine.executor.ready.get(requested, READER) is not None
    assert engine.executor.ready.get(requested, nobody) is None
    before = bookshop.database.statements
    assert await run(engine, text) == first
    assert bookshop.database.statements - before == 1
    assert json.loads(first)["errors"] == [FORBIDDEN]


async def test_introspection_is_answered_without_the_database(bookshop: Site) -> None:
    engine, text = engine_of(bookshop), '{ __type(name: "Genre") { kind name } __schema { queryType { name } } }'
    before = bookshop.database.statements
    answers = [await run(engine, text), await run(engine, text)]
    expected = '{"data":{"__type":{"kind":"OBJECT","name":"Genre"},"__schema":{"queryType":{"name":"Query"}}}}'
    assert answers == [expected.encode()] * 2
    assert bookshop.database.statements == before


async def test_mutations_are_never_cached(bookshop: Site) -> None:
    engine, text = engine_of(bookshop), 'mutation { createGenre(data: { name: "x" }) { data { id } } }'
    document = engine.documents.read(text)
    answer = await run(engine, text)
    assert json.loads(answer) == {"errors": [FORBIDDEN], "data": {"createGenre": None}}
    assert engine.executor.ready.get(RequestedOperation(document, document.operation(), {}), READER) is None
