"""Passwords in bodies: hashed before a unit of work begins, so that no other writer waits."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import bcrypt
import orjson
import pytest

from octavo.access.authentication import passwords
from octavo.access.authentication.passwords import HashedPassword
from octavo.content.input.password_hashing import PasswordHasher
from octavo.content.writer import EntryWriter
from octavo.core.errors import ValidationError
from octavo.database.connection import Database, Transaction
from octavo.database.synchronize import synchronize
from octavo.schema.registry import Registry
from tests.api.http.asgi import call
from tests.layouts import registry_of
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

SECRETS = {
    "key": "top-secret",
    "legs": [{"length": 1, "secret": "leg 1"}, {"length": 2}],
    "frame": {"front": {"length": 3, "secret": "front"}, "legs": [{"length": 4, "secret": "leg 2"}]},
    "story": [{"__component": "part.leg", "length": 5, "secret": "story"}],
}
HASHED = {"top-secret", "leg 1", "front", "leg 2", "story"}


def found(value: Any) -> Iterator[HashedPassword]:
    """Yield all hashed passwords in a value."""
    if isinstance(value, HashedPassword):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from found(item)


async def test_passwords_are_hashed_at_any_depth(workshop: Registry) -> None:
    data = {"name": "Saw", **SECRETS}
    prepared = await PasswordHasher(workshop).prepare(workshop.content_types["api::tool.tool"], data)
    assert prepared == data, "the text is still validated"
    hashed = list(found(prepared))
    assert {str(one) for one in hashed} == HASHED
    assert all(bcrypt.checkpw(one.encode(), one.hash.encode()) for one in hashed)
    assert list(found(data)) == [], "the caller's data does not change"


@pytest.mark.parametrize(
    "data",
    [
        {"key": 12, "name": "Saw"},
        {"key": None},
        {"key": "good", "name": "a name that is far too long for a tool"},
        {"key": "good", "legs": [{"length": 1, "secret": "x"}] * 4},
        {"key": "x" * 73},
        {"story": [{"__component": ["part.leg"], "secret": "x"}]},
        {"story": "x", "legs": "y", "frame": ["z"]},
        [],
        None,
    ],
)
async def test_refused_bodies_are_not_hashed(workshop: Registry, data: Any) -> None:
    prepared = await PasswordHasher(workshop).prepare(workshop.content_types["api::tool.tool"], data)
    assert prepared == data
    assert list(found(prepared)) == []


async def test_incomplete_bodies_are_hashed_without_validation(workshop: Registry) -> None:
    """Files in the form may still complete it."""
    tool, data = workshop.content_types["api::tool.tool"], {"name": 1, "key": "good"}
    assert list(found(await PasswordHasher(workshop).prepare(tool, data, complete=False))) == ["good"]


class SlowHashes:
    """Makes hashing wait for `go_on` in its thread; `begun` is set when it starts.

    `hashed` contains the texts, each with the number of open transactions on entries at that time.
    """

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on, self.hashed = threading.Event(), threading.Event(), list[tuple[str, int]]()
        hash_now, begin, transactions = passwords.hash_now, database.transaction, 0

        @asynccontextmanager
        async def transaction(*, grouped: bool = False, **options: Any) -> AsyncIterator[Transaction]:
            nonlocal transactions
            async with begin(grouped=grouped, **options) as connection:
                transactions += grouped  # the last use of a token is recorded in a transaction of another kind
                try:
                    yield connection
                finally:
                    transactions -= grouped

        def hash_slowly(text: str) -> str:
            self.hashed.append((text, transactions))
            self.begun.set()
            assert self.go_on.wait(30)
            return hash_now(text)

        monkeypatch.setattr(database, "transaction", transaction)
        monkeypatch.setattr(passwords, "hash_now", hash_slowly)

    async def begin(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 30)


async def test_other_writers_do_not_wait_for_hashes_of_an_entry(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = SlowHashes(shop.database, monkeypatch)
    created = asyncio.create_task(shop.create("tool", name="Saw", **SECRETS))
    await hashes.begin()
    assert await shop.update("maker", 1, name="meanwhile")
    hashes.go_on.set()
    assert await created == 1
    assert sorted(hashes.hashed) == sorted((text, 0) for text in HASHED)
    updated = asyncio.create_task(shop.update("tool", 1, key="another"))
    hashes.begun.clear()
    hashes.go_on.clear()
    await hashes.begin()
    assert await shop.update("maker", 1, name="again")
    hashes.go_on.set()
    assert await updated
    (stored,) = await shop.rows("tools", "key")
    assert bcrypt.checkpw(b"another", stored[0].encode())


async def test_other_writers_do_not_wait_for_hashes_of_a_request(
    own_bookshop: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = SlowHashes(own_bookshop.database, monkeypatch)

    async def send(method: str, path: str, data: Any) -> int:
        headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
        return (await call(own_bookshop.octavo.asgi, method, path, headers, [orjson.dumps({"data": data})])).status

    updated = asyncio.create_task(send("PUT", "/api/books/1", {"pin": "12345"}))
    await hashes.begin()
    assert await send("PUT", "/api/authors/1", {"name": "meanwhile"}) == 200
    hashes.go_on.set()
    assert await updated == 200
    assert hashes.hashed == [("12345", 0)]


async def test_defaults_are_hashed_before_the_unit_of_work(
    database: Database, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"a default on {database.dialect.name}"  # defaults are hashed once in a process
    definition = {
        "kind": "collectionType",
        "collectionName": "safes",
        "info": {"singularName": "safe", "pluralName": "safes", "displayName": "Safe"},
        "attributes": {"name": {"type": "string"}, "code": {"type": "password", "default": text}},
    }
    registry = registry_of({"api/safe/content-types/safe/schema.json": definition}, tmp_path)
    await synchronize(database, registry)
    hashes, writer = SlowHashes(database, monkeypatch), EntryWriter(database, registry)
    created = asyncio.create_task(writer.create(registry.content_types["api::safe.safe"], {"name": "mine"}))
    await hashes.begin()
    assert await database.execute("INSERT INTO safes (name) VALUES ('meanwhile')") == 1
    hashes.go_on.set()
    made = await created
    code = await database.fetch_value(f"SELECT code FROM safes WHERE id = {made}")
    assert bcrypt.checkpw(text.encode(), code.encode())
    assert hashes.hashed == [(text, 0)]


async def test_invalid_passwords_are_reported(shop: Workshop) -> None:
    with pytest.raises(ValidationError, match="key must be at least 3 characters"):
        await shop.create("tool", name="Saw", key="ab", publishedAt="2024-01-01T00:00:00Z")
