"""The response cache: when responses are reused, what invalidates them besides writes, and what is not cached."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from octavo.content.result_cache import CachedResult, CachingReader
from octavo.core.clock import this_moment
from octavo.database.postgresql import TableVersionSnapshot
from octavo.database.sqlite import FileVersionSnapshot
from tests.api.rest.keeping import ARTICLES, COUNT, Press, get, hits, open_press, write
from tests.models.club import FULL, NEVER, SAFE, Club, open_club
from tests.models.people import Hands
from tests.models.templates import Copy, copy_of

pytestmark = pytest.mark.anyio

TAG = "/api/tags/1"
_OTHER_DEFAULT = "UPDATE strapi_core_store_settings SET value = '\"de\"' WHERE key = 'plugin_i18n_default_locale'"
SETTINGS = {**SAFE, "OCTAVO_API__COMPAT__CORS": "reflect"}


@pytest.fixture(params=["sqlite", "postgresql"])
def club_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture
async def press(anyio_backend: str, tmp_path: Path, club_copy: Copy, still: Hands) -> AsyncIterator[Press]:
    async with open_press(tmp_path, club_copy, SETTINGS) as opened:
        yield opened


async def costs(club: Club, target: str, **named: object) -> int:
    """Return the number of statements of a request, with the clocks stopped so that nothing expires."""
    await club.octavo.infrastructure.authenticator.drain()  # the last use of tokens is recorded in the background
    before = club.database.statements
    assert (await get(club, target, **named)).status in (200, 304)
    return club.database.statements - before


async def test_repeated_requests_need_only_the_statement_for_versions(press: Press) -> None:
    club, version = press.one, 0 if press.file is not None else 1
    first = await get(club, ARTICLES)
    assert [await costs(club, ARTICLES) for _ in range(3)] == [version] * 3
    tag = first.headers["etag"]
    assert await costs(club, ARTICLES, headers=(("If-None-Match", tag),)) == version
    known = await get(club, ARTICLES, headers=(("If-None-Match", tag),))
    assert (known.status, known.body, known.headers["etag"]) == (304, b"", tag)
    again = await get(club, ARTICLES)
    assert (again.body, again.only("etag", "content-type")) == (first.body, first.only("etag", "content-type"))
    assert again.headers["x-request-id"] != first.headers["x-request-id"]
    before, reads = club.database.statements, [get(club, ARTICLES) for _ in range(30)]
    assert {answer.body for answer in await asyncio.gather(*reads)} == {first.body}
    assert club.database.statements - before <= 2 * version  # one for all that wait, and one that was running
    reported = {one.name: one for one in club.octavo.infrastructure.caches.reports()}
    assert reported["quick answers"].hits >= 30
    assert reported["answers"].size > len(first.body)


async def test_a_write_invalidates_responses_from_its_table(press: Press) -> None:
    club = press.two
    await get(club, TAG)
    await get(club, "/api/articles?fields=title")
    await press.sql("UPDATE tags SET name = 'other' WHERE id = 1")
    assert (await get(club, TAG)).json["data"]["attributes"]["name"] == "other"
    if press.file is None:  # here each table has its own version
        assert await costs(club, "/api/articles?fields=title") == 1
    await press.sql("DELETE FROM articles_tags_links")
    assert b'"tags":{"data":[]}' in (await get(club, ARTICLES)).body
    missing = await club.ask("GET", "/api/tags/99", token=FULL)
    await press.sql("INSERT INTO tags (id, name) VALUES (99, 'late')")
    assert (missing.status, (await get(club, "/api/tags/99")).status) == (404, 200)


async def test_scheduled_entries_appear_on_time(press: Press) -> None:
    club, at = press.one, this_moment() + 700
    column = f"{at}" if press.file is not None else f"to_timestamp({at} / 1000.0) AT TIME ZONE 'UTC'"
    await press.sql(f"INSERT INTO articles (title, locale, published_at) VALUES ('soon', 'en', {column})")
    listed = "/api/articles?fields=title"
    while this_moment() < at - 50:
        before, body = this_moment(), (await get(club, listed)).body
        assert b"soon" not in body or this_moment() >= at, before
    while this_moment() < at:  # noqa: ASYNC110 - the clock tells nobody
        await asyncio.sleep(0.01)
    for _ in range(2):
        assert b"soon" in (await get(club, listed)).body


async def test_permissions_are_checked_each_time(press: Press) -> None:
    club = press.one
    await club.grant("public", "api::tag.tag.findOne", "api::article.article.find")
    club.octavo.infrastructure.authenticator.invalidate()
    shown = [await club.ask("GET", ARTICLES) for _ in range(2)]
    for _ in range(2):
        assert (await club.ask("GET", TAG)).status == 200
    assert b"first" not in shown[1].body  # the caller has no permission to find tags
    await press.sql("DELETE FROM up_permissions WHERE action = 'api::tag.tag.findOne'")
    club.octavo.infrastructure.authenticator.invalidate()
    assert [(await club.ask("GET", TAG)).status, (await get(club, TAG)).status] == [403, 200]
    assert (await club.ask("GET", TAG, token="wrong")).status == 401


async def test_a_new_default_locale_changes_the_response(press: Press) -> None:
    club, listed = press.two, "/api/articles?fields=title"
    assert len((await get(club, listed)).json["data"]) == 1
    await press.sql(_OTHER_DEFAULT)
    club.octavo.infrastructure.locales.forget()
    for _ in range(2):
        assert (await get(club, listed)).json["data"] == []


async def test_graphql_reads_from_the_cache(press: Press) -> None:
    club, asked = press.one, {"query": "{ tag(id: 1) { data { attributes { name } } } }"}
    before = hits(club)
    for name in ("first", "first", "second"):
        await press.sql(f"UPDATE tags SET name = '{name}' WHERE id = 1 AND name <> '{name}'")
        for _ in range(2):
            answer = await club.ask("POST", "/graphql", asked, FULL)
            assert answer.json["data"]["tag"]["data"]["attributes"]["name"] == name
    assert hits(club) > before


async def test_cached_responses_have_the_origin_and_id_of_their_request(press: Press) -> None:
    club = press.one
    await get(club, COUNT)
    given = (("Origin", "https://a.example"), ("X-Request-Id", "a-name-of-mine"))
    answer = await get(club, COUNT, headers=given)
    assert (answer.headers["access-control-allow-origin"], answer.headers["x-request-id"]) == (
        "https://a.example",
        "a-name-of-mine",
    )
    assert (await get(club, COUNT)).headers.get("access-control-allow-origin") != "https://a.example"
    assert (await club.ask("HEAD", COUNT, token=FULL)).body == b""


async def test_the_cache_is_off_by_default(tmp_path: Path, club_copy: Copy) -> None:
    club_copy.place(tmp_path / ".octavo/data.db")
    async with open_club(tmp_path, {**club_copy.variables, **NEVER}, filled=True) as club:
        assert type(club.octavo.site.services.controller.reader) is not CachingReader
        assert club.octavo.site.router.quick is None
        if club_copy.file is None:
            assert await club.database.fetch_value("SELECT to_regclass('octavo_versions') IS NULL")


async def test_hooks_of_reads_are_called_each_time(tmp_path: Path, club_copy: Copy) -> None:
    folder = tmp_path / "src/api/tag/content-types/tag"
    folder.mkdir(parents=True)
    (folder / "lifecycles.py").write_text(
        "calls = []\ndef before_find_one(event):\n    calls.append(1)\n"
        "def after_find_one(event):\n    event.result['name'] = str(len(calls))\n"
    )
    async with open_press(tmp_path, club_copy) as press:
        names = [(await get(press.one, TAG)).json["data"]["attributes"]["name"] for _ in range(3)]
    assert names == ["1", "2", "3"]


async def test_cursors_belong_to_the_requested_list(press: Press) -> None:
    club = press.one
    for name in ("second", "third"):
        await write(club, "POST", "tags", {"name": name})
    for same in ("", "&publicationState=live", "&publicationState=preview"):  # one statement: tags have no drafts
        names, page = [], f"/api/tags?sort=id&pagination[pageSize]=1{same}&pagination[after]="
        after = ""
        while after is not None:
            found = (await get(club, page + after)).json
            names += [tag["attributes"]["name"] for tag in found["data"]]
            after = found["meta"]["pagination"]["after"]
        assert names == ["first", "second", "third"]


async def test_the_memory_of_the_cache_is_counted(press: Press) -> None:
    club = press.one
    before = _there(FileVersionSnapshot, TableVersionSnapshot)
    for number in range(20):
        await press.sql(f"UPDATE tags SET views = {number}")
        for target in (TAG, f"/api/articles?fields=title&filters[id][$ne]={number + 50}"):
            await get(club, target)
    assert _there(FileVersionSnapshot, TableVersionSnapshot) <= before + 2  # each snapshot covers all tables
    listed = [await get(club, ARTICLES) for _ in range(2)][
        -1
    ]  # the first one started before the last write was visible
    reader = club.octavo.site.services.controller.reader
    assert isinstance(reader, CachingReader)
    reader._answers.clear()
    assert _there(CachedResult) == 0  # cached responses do not keep the result in memory
    used = hits(club)
    assert (await get(club, ARTICLES)).body == listed.body
    assert hits(club) == used + 1


def _there(*kinds: type) -> int:
    gc.collect()
    return sum(isinstance(one, kinds) for one in gc.get_objects())


async def test_a_default_locale_that_changes_during_a_read(press: Press) -> None:
    if press.file is not None:
        pytest.skip("SQLite has no table locks to wait for")
    club, asked = press.one, {"query": "{ articles { data { attributes { title } } } }"}
    holder = await asyncpg.connect(press.url)
    async with holder.transaction():
        await holder.execute("LOCK TABLE articles")
        reading = asyncio.create_task(club.ask("POST", "/graphql", asked, FULL))
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'articles'::regclass"
        while not await holder.fetchval(waits):  # noqa: ASYNC110 - PostgreSQL tells nobody
            await asyncio.sleep(0.01)
        await press.sql(_OTHER_DEFAULT)
        club.octavo.infrastructure.locales.forget()
    await holder.close()
    assert len((await reading).json["data"]["articles"]["data"]) == 1
    assert (await club.ask("POST", "/graphql", asked, FULL)).json["data"]["articles"]["data"] == []
