"""The change feed reveals nothing that `find` would not return: each change is compared with each actor's results
before and after it, over permissions, publication states and rules.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import EVERYTHING, READS, permission_set
from octavo.database.synchronize import continue_ids
from tests.access.authorization.conditional import ConditionalAbility, at
from tests.api.rest.feed_client import ON, Subscriber, subscribed, write
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

GENRE, AUTHOR, BOOK, FILE = "api::genre.genre", "api::author.author", "api::book.book", "plugin::upload.content-api"
ABILITIES: dict[str, Ability] = {
    "all": EVERYTHING,
    "reads": READS,
    "genres": permission_set([f"{GENRE}.find"]),
    "one": permission_set([f"{GENRE}.findOne", f"{AUTHOR}.find"]),
    "editor": permission_set([f"{GENRE}.find", f"{GENRE}.update"]),
    "low": ConditionalAbility(scopes={GENRE: at("rank", "$lte", 5), AUTHOR: at("name", "$startsWith", "a")}),
    "high": ConditionalAbility(scopes={GENRE: at("rank", "$gt", 5)}),
}
LATER, BEFORE = "2999-01-01T00:00:00.000Z", "2020-01-01T00:00:00.000Z"
STEPS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "genres", {"name": "draft", "rank": 1, "publishedAt": None}),
    ("PUT", "genres", {"name": "draft too"}),
    ("PUT", "genres", {"rank": 9}),
    ("PUT", "genres", {"publishedAt": LATER}),
    ("PUT", "genres", {"name": "soon"}),
    ("PUT", "genres", {"publishedAt": BEFORE}),
    ("PUT", "genres", {"name": "live"}),
    ("PUT", "genres", {"rank": 2}),
    ("PUT", "genres", {"rank": 7, "publishedAt": None}),
    ("PUT", "genres", {"publishedAt": BEFORE}),
    ("PUT", "genres", {"publishedAt": LATER}),
    ("DELETE", "genres", None),
    ("POST", "genres", {"name": "at once", "rank": 3, "publishedAt": BEFORE}),
    ("DELETE", "genres", None),
    ("POST", "genres", {"name": "never", "rank": 3, "publishedAt": None}),
    ("DELETE", "genres", None),
    ("POST", "authors", {"name": "ann"}),
    ("PUT", "authors", {"name": "bob"}),
    ("PUT", "authors", {"name": "al"}),
    ("DELETE", "authors", None),
    ("POST", "books", {"title": "book", "slug": "book-1", "publishedAt": BEFORE}),
    ("PUT", "books", {"publishedAt": None}),
    ("DELETE", "books", None),
)
TYPES = {"genres": GENRE, "authors": AUTHOR, "books": BOOK}


@dataclass
class Spy:
    """A subscriber, and the entries that `find` returns to it."""

    site: Site
    name: str
    state: str
    subscriber: Subscriber = field(default_factory=Subscriber)
    seen: dict[str, set[int]] = field(default_factory=dict)
    remembers: set[tuple[str, int]] = field(default_factory=set)
    expected: list[tuple[str, int, bool]] = field(default_factory=list)

    async def look(self, path: str) -> set[int]:
        target = f"/api/{path}?publicationState={self.state}&locale=all&pagination[limit]=-1&fields[0]=id&sort=id"
        answer = await self.site.get(target, self.name)
        return {entry["id"] for entry in answer.json["data"]} if answer.status == 200 else set()

    async def expect(self, path: str, changed: int) -> None:
        """Record the expected change from the results before and after it."""
        before, after = self.seen.get(path, set()), await self.look(path)
        self.seen[path] = after
        uid = TYPES[path]
        if ABILITIES[self.name].scope(uid) is not None:
            before = {changed} if (uid, changed) in self.remembers else set()
        if changed in after:
            self.expected.append((uid, changed, False))
            self.remembers.add((uid, changed))
        elif changed in before:
            self.expected.append((uid, changed, True))
            self.remembers.discard((uid, changed))


@pytest.fixture(params=["v4", "safe"])
async def site(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, request: pytest.FixtureRequest, monkeypatch: Any
) -> AsyncIterator[Site]:
    rules = {
        "OCTAVO_API__COMPAT__DRAFTS_BY_ID": "visible" if request.param == "v4" else "preview",
        "OCTAVO_API__COMPAT__FUTURE_PUBLICATION": "shown" if request.param == "v4" else "hidden",
    }
    site = await open_copy(tmp_path, bookshop_copy, {**ON, **rules})
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)

    async def authenticate(authorization: str | None) -> Actor:
        return Actor("api-token", ABILITIES[(authorization or "Bearer all").split()[1]])

    monkeypatch.setattr(site.octavo.infrastructure.authenticator, "authenticate", authenticate)
    yield site
    await site.octavo.asgi.stop()


async def test_changes_reveal_only_what_find_returns(site: Site) -> None:
    spies = [Spy(site, name, state) for name in ABILITIES for state in ("live", "preview")]
    async with AsyncExitStack() as stack:
        for spy in spies:
            query = f"?publicationState={spy.state}&entry=true"
            spy.subscriber = await stack.enter_async_context(subscribed(site, query, spy.name))
            spy.seen = {path: await spy.look(path) for path in TYPES}
        all_of_it = next(spy for spy in spies if (spy.name, spy.state) == ("all", "preview"))
        changed = 0
        for number, (method, path, data) in enumerate(STEPS, 1):
            target = path if method == "POST" else f"{path}/{changed}"
            changed = (await write(site, method, target, data, token="all"))["id"]
            await all_of_it.subscriber.until(lambda number=number: len(all_of_it.subscriber.changes) == number)
            for spy in spies:
                await spy.expect(path, changed)
        site.octavo.asgi.end_live()
        for spy in spies:
            await spy.subscriber.until(lambda spy=spy: spy.subscriber.is_over)
            reported = [(event["uid"], event["id"], bool(event.get("gone"))) for event in spy.subscriber.events]
            assert reported == spy.expected, (spy.name, spy.state)
            assert all(_tells_no_more(event) for event in spy.subscriber.events)
    assert len({len(spy.expected) for spy in spies}) > len(spies) / 3, "they are told different things"


def _tells_no_more(event: dict[str, Any]) -> bool:
    """Check the details: for a deleted entry its id, type and locale, otherwise the attributes in a list."""
    known = {"event", "createdAt", "model", "uid", "id", "locale"}
    return set(event) - known == ({"gone"} if event.get("gone") else {"entry"})
