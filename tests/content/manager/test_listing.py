"""Lists in the content manager: one statement each, without unreadable values."""

import json
from typing import Any

import pytest

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import SYSTEM, Actor
from octavo.access.authorization.admin.ability import AdminAbility, Share
from octavo.api.http.query_string import parse_query_string
from octavo.content.manager.listing import read_page
from octavo.core.errors import InvalidParameter, OctavoError, PaginationError, ValidationError
from octavo.query.ast import Page
from octavo.query.numbers import MAX_SAFE_INTEGER
from tests.access.authorization.conditional import ConditionalAbility, at
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

READ = "plugin::content-manager.explorer.read"


def everything(site: Site) -> Ability:
    return AdminAbility(site.octavo.site.registry, {}, everything=True, knows_private=True)


async def listed(site: Site, asked: str, ability: Ability, uid: str = BOOK) -> tuple[list[dict[str, Any]], int]:
    entries = site.octavo.site.services.manage().managed
    content_type, actor = entries.registry.content_types[uid], Actor("administrator", ability, 1)

    async def ask() -> tuple[bytes, Page, int]:
        return await entries.page(content_type, asked, lambda: parse_query_string(asked), actor)

    await ask()
    before = site.database.statements
    results, _, total = await ask()
    assert site.database.statements <= before + 2  # the list, and once a second the default locale
    return json.loads(results), total


async def ids(site: Site, asked: str, ability: Ability | None = None, uid: str = BOOK) -> list[int]:
    found, _ = await listed(site, asked, ability or everything(site), uid)
    return [entry["id"] for entry in found]


async def test_a_list_has_its_page_and_the_total(bookshop: Site) -> None:
    found, total = await listed(bookshop, "page=2&pageSize=3&sort=id:DESC", everything(bookshop))
    assert len(found) == 3
    assert total == len(await ids(bookshop, "pageSize=100"))
    assert {entry["locale"] for entry in found} == {"en"}
    assert any(entry["publishedAt"] is None for entry in (await listed(bookshop, "", everything(bookshop)))[0])


async def test_filters_sorts_and_locales(bookshop: Site) -> None:
    assert await ids(bookshop, "filters[$and][0][id][$in][0]=1&filters[$and][1][id][$lt]=2&locale=all") == [1]
    assert await ids(bookshop, "locale=fr&pageSize=100") != await ids(bookshop, "pageSize=100")
    assert await ids(bookshop, "sort=id:DESC&pageSize=2") == sorted(await ids(bookshop, "pageSize=100"))[:-3:-1]
    assert set(await ids(bookshop, "publicationState=live&pageSize=100")) < set(await ids(bookshop, "pageSize=100"))


async def test_filtered_and_populated_relations_are_shown(bookshop: Site) -> None:
    for asked in ("filters[genres][name][$notNull]=true", "populate=*", "populate[genres]=true"):
        found, _ = await listed(bookshop, f"pageSize=2&{asked}", everything(bookshop))
        assert found
        assert all(isinstance(entry["genres"], list) for entry in found), asked
    found, _ = await listed(bookshop, "pageSize=1&fields=title&populate=genres", everything(bookshop))
    assert {"id", "title", "genres", "author"} <= found[0].keys()
    assert "slug" not in found[0]
    assert [*found[0]["genres"]] == ["count"]


async def test_populated_relations_show_readable_fields(bookshop: Site) -> None:
    narrow = ConditionalAbility({GENRE: ["name"]}, {GENRE: at("rank", "$gt", 1000)})
    for entry in (await listed(bookshop, "populate=*&pageSize=100", narrow))[0]:
        assert entry["genres"] == []
    found, _ = await listed(bookshop, "populate=*&pageSize=100", ConditionalAbility({GENRE: ["name"]}))
    genres = [genre for entry in found for genre in entry["genres"]]
    assert genres
    assert all("name" not in genre and "rank" in genre for genre in genres)


@pytest.mark.parametrize(
    "asked",
    [
        "filters[blurb][$contains]=a",
        "filters[$and][0][blurb][$contains]=a",
        "filters[$not][blurb][$notNull]=true",
        "filters[author][name][$contains]=zzz",
        "filters[nothing]=1",
        "filters[title][$nope]=1",
        "filters[pin][$contains]=a",
        "filters[createdBy][email][$contains]=zzz",
        "sort=blurb",
        "sort=pin",
        "sort=author.name",
    ],
)
async def test_unreadable_fields_are_left_out(bookshop: Site, asked: str) -> None:
    share = Share(frozenset({"title", "author", "genres"}))
    reader = AdminAbility(bookshop.octavo.site.registry, {(READ, BOOK): (share,)}, knows_private=True)
    assert await ids(bookshop, f"pageSize=100&{asked}", reader) == await ids(bookshop, "pageSize=100", reader)


async def test_a_search_covers_all_readable_fields(bookshop: Site) -> None:
    registry = bookshop.octavo.site.registry
    found, _ = await listed(bookshop, "pageSize=100&locale=all", everything(bookshop))
    secret = next(entry["secretNote"] for entry in found if entry["secretNote"])
    asked = f"_q={secret.replace(' ', '+')}&locale=all"
    assert await ids(bookshop, asked)
    for fields, some in ((frozenset({"title", "secretNote"}), True), (frozenset({"title"}), False)):
        reader = AdminAbility(registry, {(READ, BOOK): (Share(fields),)}, knows_private=True)
        assert bool(await ids(bookshop, asked, reader)) == some
    assert not await ids(bookshop, asked, SYSTEM.ability)  # an ability without access to private fields


async def test_conditions_limit_a_list(bookshop: Site) -> None:
    narrow = ConditionalAbility(scopes={BOOK: at("id", "$lt", 4), AUTHOR: at("id", "$lt", 0)})
    found, total = await listed(bookshop, "locale=all", narrow)
    assert (len(found), total) == (3, 3)
    assert any(entry["author"] for entry in found)


@pytest.mark.parametrize(
    "asked", ["sort=nope", "sort=author.nope:ASC", "fields=nope", "fields[0]=author", "sort=title.x"]
)
async def test_unknown_names_are_refused_with_their_place(sqlite_bookshop: Site, asked: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        await ids(sqlite_bookshop, asked)
    assert refused.value.path == (asked.partition("=")[0].removesuffix("[0]"),)


@pytest.mark.parametrize(
    "asked", ["sort=title:up", "filters[pages][$gt]=x", "publicationState=x", "filters=x", "_q[a]=b"]
)
async def test_invalid_queries_are_refused(sqlite_bookshop: Site, asked: str) -> None:
    with pytest.raises(OctavoError) as refused:
        await ids(sqlite_bookshop, asked)
    assert refused.value.status == 400


def test_valid_pagination() -> None:
    assert read_page({}) == Page(start=0, limit=10, number=1)
    assert read_page({"page": "3", "pageSize": "7"}) == Page(start=14, limit=7, number=3)
    assert read_page({"page": ["2"], "pageSize": "1e2"}) == Page(start=100, limit=100, number=2)
    assert read_page({"page": "9" * 30}).start == MAX_SAFE_INTEGER


@pytest.mark.parametrize(
    "given, message",
    [
        ({"page": "0"}, "Invalid 'page' parameter. Expected an integer > 0, received: 0"),
        ({"page": ""}, "Invalid 'page' parameter. Expected an integer > 0, received: "),
        ({"page": ["2", "3"]}, "Invalid 'page' parameter. Expected an integer > 0, received: 2,3"),
        ({"page": {"a": "1"}}, "Invalid 'page' parameter. Expected an integer > 0, received: undefined"),
        ({"page": "Infinity"}, "Invalid 'page' parameter. Expected an integer > 0, received: Infinity"),
        ({"pageSize": "-1"}, "Invalid 'pageSize' parameter. Expected an integer > 0, received: undefined"),
        ({"pageSize": "1.5"}, "Invalid 'pageSize' parameter. Expected an integer > 0, received: undefined"),
    ],
)
def test_invalid_pagination(given: dict[str, Any], message: str) -> None:
    with pytest.raises(PaginationError) as refused:
        read_page(given)
    assert refused.value.message == message


async def test_the_page_size_is_limited(bookshop: Site) -> None:
    await ids(bookshop, "pageSize=1000")
    with pytest.raises(ValidationError, match="pageSize must be at most 1000"):
        await ids(bookshop, "pageSize=1001")
