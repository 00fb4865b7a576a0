"""Races between cached responses and all kinds of writes: no response is older than the last write before the request.

Every number only grows. A reader records each number's confirmed value before a request; the response of either
service, cached or not, is never lower. In the end both return the same as a service without a cache.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.rest.keeping import ARTICLES, COUNT, Press, get, hits, open_press, write
from tests.models.club import NEVER, Club, open_club
from tests.models.templates import Copy, copy_of

pytestmark = pytest.mark.anyio

_WRITES = 25
_NUMBERS = ("article", "tag", "seo", "part", "tags", "linked")


@pytest.fixture(params=["sqlite", "postgresql"])
def club_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture
async def press(anyio_backend: str, tmp_path: Path, club_copy: Copy) -> AsyncIterator[Press]:
    async with open_press(tmp_path, club_copy, services=2) as opened:
        yield opened


class Race:
    """The confirmed value of each number, its writers and its readers."""

    def __init__(self, press: Press, seed: int) -> None:
        self.press = press
        self.known = dict.fromkeys(_NUMBERS, 0) | {"tags": 1, "linked": 1}
        self.stale: list[tuple[str, int, int]] = []
        self.reads = 0
        self.choose = random.Random(seed)

    async def write(self, name: str) -> None:
        """Increase a number repeatedly, each time in one of the possible ways."""
        for _ in range(_WRITES):
            value = self.known[name] + 1
            await self.choose.choice(self._ways(name, value))()
            self.known[name] = value
            await asyncio.sleep(self.choose.random() * 0.005)

    def _ways(self, name: str, value: int) -> list[Callable[[], Awaitable[Any]]]:
        press = self.press
        club = self.choose.choice((press.one, press.two))
        match name:
            case "article":
                return [
                    lambda: write(club, "PUT", "articles/1", {"views": value}),
                    lambda: press.sql(f"UPDATE articles SET views = {value} WHERE id = 1"),
                ]
            case "tag":
                return [
                    lambda: write(club, "PUT", "tags/1", {"views": value}),
                    lambda: press.sql(f"UPDATE tags SET views = {value} WHERE id = 1"),
                ]
            case "seo":
                return [lambda: write(club, "PUT", "articles/1", {"seo": {"views": value, "title": "seo"}})]
            case "part":
                return [lambda: press.sql(f"UPDATE components_parts_seos SET views = {value} WHERE title = 'x'")]
            case "tags":
                return [
                    lambda: write(club, "POST", "tags", {"name": f"{value}"}),
                    lambda: press.sql(f"INSERT INTO tags (name) VALUES ('{value}')"),
                ]
            case _:
                return [lambda: self._link(club, by_hand=True), lambda: self._link(club, by_hand=False)]

    async def _link(self, club: Club, *, by_hand: bool) -> None:
        tag = (await write(club, "POST", "tags", {"name": "linked"}))["id"]
        if by_hand:
            await self.press.sql(f"INSERT INTO articles_tags_links (article_id, tag_id) VALUES (1, {tag})")
        else:
            await write(club, "PUT", "articles/1", {"tags": {"connect": [tag]}})

    async def read(self, done: asyncio.Event) -> None:
        """Read all numbers until everything is written."""
        while not done.is_set():
            club, known = self.choose.choice((self.press.one, self.press.two)), dict(self.known)
            listed, counted = (await get(club, ARTICLES)).json["data"][0]["attributes"], await get(club, COUNT)
            tags = listed["tags"]["data"]
            found = {
                "article": listed["views"],
                "tag": next(tag["attributes"]["views"] for tag in tags if tag["id"] == 1),
                "part": listed["parts"][0]["views"],
                "tags": counted.json["meta"]["pagination"]["total"],
                "linked": len(tags),
            }
            if listed["seo"] is not None:
                found["seo"] = listed["seo"]["views"]
            self.stale += [(name, value, known[name]) for name, value in found.items() if value < known[name]]
            self.reads += 1
            await asyncio.sleep(0)


async def test_no_response_is_older_than_the_last_confirmed_write(
    press: Press, tmp_path: Path, club_copy: Copy
) -> None:
    await press.sql("UPDATE components_parts_seos SET title = 'seo' WHERE id = 1")
    race, done = Race(press, seed=5), asyncio.Event()
    readers = [asyncio.create_task(race.read(done)) for _ in range(6)]
    try:
        await asyncio.gather(*(race.write(name) for name in _NUMBERS))
    finally:
        done.set()
        await asyncio.gather(*readers)
    assert race.stale == []
    for club in (press.one, press.two):
        before = hits(club)
        answers = [(await get(club, target)).body for target in (ARTICLES, COUNT, ARTICLES, COUNT)]
        assert answers[:2] == answers[2:]
        assert hits(club) > before
        assert b'"views":%d' % race.known["article"] in answers[0]
    async with open_club(tmp_path, {**club_copy.variables, **NEVER}, filled=True) as plain:
        for target in (ARTICLES, COUNT):
            assert (await get(plain, target)).body == (await get(press.two, target)).body
