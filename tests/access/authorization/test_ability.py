"""Abilities with fields and conditions: withheld fields are refused wherever they are named, and never shown.

Conditions are added to every read and every write, at every level, on both databases.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from octavo.access.authorization.actor import SYSTEM, Actor
from octavo.access.authorization.permissions import EVERYTHING, READS, permission_set
from octavo.api.http.query_string import parse_query_string
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.write_policy import Write
from octavo.content.reader import PreparedRead
from octavo.core.errors import ForbiddenError, InvalidParameter, NotFoundError
from octavo.query.ast import Page, Query
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.nodes import Slot
from octavo.query.request import By, Drafts, Form, ReadRequest
from tests.access.authorization.conditional import ConditionalAbility, at, both
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

LIMITED = ConditionalAbility({BOOK: ["blurb", "editor", "details.binding", "extras"], AUTHOR: ["rating", "books"]})
HIGH = ConditionalAbility(scopes={GENRE: at("rank", "$gt", 40)})
"""Allows only genres 5 to 9."""
ACTIONS = ConditionalAbility(
    scopes={
        (GENRE, "update"): at("rank", "$lt", 40),
        (GENRE, "delete"): at("parent.name", "$eq", "genre 1"),
        (GENRE, "create"): at("rank", "$gt", 100),
    }
)


def controller_of(site: Site) -> ContentController:
    return site.octavo.site.services.controller


def prepare(site: Site, ability: ConditionalAbility, uid: str, asked: str = "", **how: Any) -> PreparedRead:
    given = parse_query_string(asked)
    controller = controller_of(site)
    request = ReadRequest(
        content_type=controller.registry.content_types[uid],
        query=read_query(given, PageLimits()),
        given=given,
        locale="en",
        **{"projection": Form.FLAT, **how},
    )
    return controller.reads.prepare(request, ability)


async def find(site: Site, ability: ConditionalAbility, uid: str, asked: str = "", **how: Any) -> Any:
    return json.loads((await controller_of(site).reads.find(prepare(site, ability, uid, asked, **how)))[0])


def actor(ability: ConditionalAbility) -> Actor:
    return replace(SYSTEM, ability=ability)


# Permissions by type only are the simple case


def test_the_simple_case_limits_neither_fields_nor_entries() -> None:
    for simple in (EVERYTHING, READS, permission_set([f"{BOOK}.find"])):
        assert not simple.limits_fields
        assert simple.reads(BOOK, "title")
        assert simple.writes(BOOK, "title", "update")
        assert (simple.scope(BOOK), simple.scope(BOOK, "update")) == (None, None)
        assert simple.may("find", BOOK)
    assert not READS.may("update", BOOK)


# Fields


@pytest.mark.parametrize(
    "asked",
    [
        "fields[0]=blurb",
        "sort=blurb",
        "sort=title,author.rating:desc",
        "filters[blurb][$notNull]=true",
        "filters[$or][0][title]=x&filters[$or][1][$not][author][rating][$gt]=1",
        "filters[details][binding]=hard",
        "filters[editor][username]=ed",
        "populate[author][fields][0]=rating",
        "populate[author][filters][rating][$gt]=1",
        "populate[author][sort]=rating",
        "populate[details][fields][0]=binding",
        "populate[sequel][populate][author][filters][books][title]=x",
    ],
)
async def test_unreadable_fields_are_refused(sqlite_bookshop: Site, asked: str) -> None:
    with pytest.raises(InvalidParameter):
        prepare(sqlite_bookshop, LIMITED, BOOK, asked)


@pytest.mark.parametrize("form", [Form.FLAT, Form.REST])
async def test_unreadable_fields_are_not_shown_at_any_depth(bookshop: Site, form: Form) -> None:
    asked = "populate[author][populate]=*&populate[details]=true&populate[editor]=true&populate[extras]=true&sort=id"
    found = await find(bookshop, LIMITED, BOOK, f"{asked}&populate[notesAbout][populate]=subject", projection=form)
    everything = await find(bookshop, ConditionalAbility(), BOOK, asked, projection=form)
    assert len(found) == len(everything)
    text, whole = json.dumps(found), json.dumps(everything)
    for name in ("blurb", "binding", "rating", "editor", "extras", "books"):
        assert (f'"{name}":' in whole, f'"{name}":' in text) == (True, False), name
    for name in ("title", "name", "details", "born"):
        assert f'"{name}":' in text


async def test_searches_leave_out_unreadable_fields(bookshop: Site) -> None:
    unlimited = ConditionalAbility()
    assert await find(bookshop, unlimited, BOOK, "_q=Blurb")
    assert not await find(bookshop, LIMITED, BOOK, "_q=Blurb")
    assert await find(bookshop, LIMITED, BOOK, "_q=book-01")


async def test_fields_without_write_permission_are_left_out(own_bookshop: Site) -> None:
    controller = controller_of(own_bookshop)
    book = controller.registry.content_types[BOOK]
    everything = prepare(own_bookshop, ConditionalAbility(), BOOK, "populate=details", by=By.ID, drafts=Drafts.ANY)
    data = {"title": "new", "blurb": "no", "details": {"binding": "hard", "weight": 2}}
    before = json.loads(await controller.reads.find_one(everything.bind(id=1)))
    changed = json.loads(await controller.writes.update(book, 1, Write(data), everything, actor(LIMITED)))
    assert (changed["title"], changed["blurb"]) == ("new", before["blurb"])
    assert (changed["details"]["weight"], changed["details"]["binding"]) == (2, None)


# Conditions on what is read


async def test_lists_and_totals_contain_only_entries_in_scope(bookshop: Site) -> None:
    reads = controller_of(bookshop).reads
    entries, total = await reads.find(prepare(bookshop, HIGH, GENRE, "publicationState=preview&sort=id"))
    assert ([entry["id"] for entry in json.loads(entries)], total) == ([5, 6, 7, 8, 9], 5)
    counted = prepare(bookshop, HIGH, GENRE, "filters[rank][$lt]=70&publicationState=preview", by=By.COUNT)
    assert await reads.count(counted) == 2


async def test_entries_out_of_scope_are_not_found_by_id(bookshop: Site) -> None:
    reads, by_id = controller_of(bookshop).reads, prepare(bookshop, HIGH, GENRE, by=By.ID, drafts=Drafts.BY_ID)
    assert json.loads(await reads.find_one(by_id.bind(id=5)))["id"] == 5
    with pytest.raises(NotFoundError):
        await reads.find_one(by_id.bind(id=4))


async def test_relations_leave_out_entries_out_of_scope(bookshop: Site) -> None:
    asked = "populate=parent,children&publicationState=preview&sort=id"
    found = {entry["id"]: entry for entry in await find(bookshop, ConditionalAbility(), GENRE, asked)}
    assert (found[8]["parent"]["id"], [child["id"] for child in found[2]["children"]]) == (4, [4, 5])
    asked = "populate[genres][sort]=id&publicationState=preview&pagination[pageSize]=100&locale=all&sort=id"
    books = await find(bookshop, HIGH, BOOK, asked)
    shown = {genre["id"] for book in books for genre in book["genres"]}
    assert shown == {5, 6, 7, 8, 9}
    counted = await find(bookshop, HIGH, BOOK, asked.replace("[sort]=id", "[count]=true"))
    assert [book["genres"]["count"] for book in counted] == [len(book["genres"]) for book in books]
    parents = await find(bookshop, HIGH, GENRE, "populate=parent&publicationState=preview&sort=id")
    assert [entry["parent"] for entry in parents] == [None] * 5


async def test_filters_and_sorts_ignore_entries_out_of_scope(bookshop: Site) -> None:
    asked = "publicationState=preview&locale=all&pagination[pageSize]=100&populate[genres][fields]=id"
    low = await find(bookshop, HIGH, BOOK, f"{asked}&filters[genres][rank][$lt]=50")
    assert low == []
    without = await find(bookshop, HIGH, BOOK, f"{asked}&filters[genres][id][$null]=true")
    assert without
    assert all(book["genres"] == [] for book in without)
    by_parent = await find(bookshop, HIGH, GENRE, "publicationState=preview&sort=parent.rank:desc,id")
    assert [entry["id"] for entry in by_parent] == [5, 6, 7, 8, 9]


async def test_conditions_can_use_unreadable_fields_and_relations(bookshop: Site) -> None:
    own = both(at("createdBy.id", "$eq", 1), at("id", "$lt", 4))
    ability = ConditionalAbility({BOOK: ["createdBy"]}, {BOOK: own})
    asked = "publicationState=preview&sort=id&populate[author][populate][books][sort]=id"
    books = await find(bookshop, ability, BOOK, asked)
    assert [book["id"] for book in books] == [1, 2, 3]
    assert {book["id"] for one in books for book in one["author"]["books"]} <= {1, 2, 3}
    with pytest.raises(InvalidParameter):
        prepare(bookshop, ability, BOOK, "filters[createdBy][id]=1")


async def test_a_condition_is_planned_once_for_all_levels(sqlite_bookshop: Site) -> None:
    asked = "populate[genres][populate][parent][populate][children][populate]=parent&filters[genres][rank][$gt]=1"
    assert prepare(sqlite_bookshop, HIGH, BOOK, asked).values == (40, 1, "en", 25)
    assert prepare(sqlite_bookshop, HIGH, GENRE, by=By.ID).values == (Slot.ID, 40)


async def test_equal_conditions_on_other_values_share_a_statement(sqlite_bookshop: Site) -> None:
    other = ConditionalAbility(scopes={GENRE: at("rank", "$gt", 70)})
    one, two = (prepare(sqlite_bookshop, ability, GENRE, "populate=parent") for ability in (HIGH, other))
    assert one.statement is two.statement
    assert (one.values, two.values) == ((40, 25), (70, 25))
    assert HIGH.key != other.key


# Conditions on what is written


async def test_updates_and_deletes_find_only_entries_in_scope(own_bookshop: Site) -> None:
    controller = controller_of(own_bookshop)
    genre = controller.registry.content_types[GENRE]
    answer = prepare(own_bookshop, ConditionalAbility(), GENRE, by=By.ID, drafts=Drafts.ANY)
    who = actor(ACTIONS)
    changed = await controller.writes.update(genre, 3, Write({"name": "low"}), answer, who)
    assert json.loads(changed)["name"] == "low"
    with pytest.raises(NotFoundError):
        await controller.writes.update(genre, 4, Write({"name": "low"}), answer, who)
    with pytest.raises(NotFoundError):
        await controller.writes.delete(genre, 4, answer, who)
    assert json.loads(await controller.writes.delete(genre, 3, answer, who))["id"] == 3
    names = {entry["id"]: entry["name"] for entry in await find(own_bookshop, ConditionalAbility(), GENRE)}
    assert (3 in names, names.get(5)) == (False, "genre 5")
    by_id = answer.bind(id=4)
    assert json.loads(await controller.reads.find_one(by_id))["name"] == "genre 4"


async def test_created_entries_must_be_in_scope(own_bookshop: Site) -> None:
    controller = controller_of(own_bookshop)
    author = controller.registry.content_types[AUTHOR]
    ability = ConditionalAbility(scopes={(AUTHOR, "create"): at("name", "$startsWith", "new")})
    answer = prepare(own_bookshop, ConditionalAbility(), AUTHOR, by=By.ID, drafts=Drafts.ANY)
    count = prepare(own_bookshop, ConditionalAbility(), AUTHOR, by=By.COUNT)
    before = await controller.reads.count(count)
    with pytest.raises(ForbiddenError):
        await controller.writes.create(author, Write({"name": "old"}), answer, actor(ability))
    assert await controller.reads.count(count) == before
    made = await controller.writes.create(author, Write({"name": "newer"}), answer, actor(ability))
    assert json.loads(made)["name"] == "newer"


async def test_writes_without_conditions_need_no_more_statements(own_bookshop: Site) -> None:
    controller = controller_of(own_bookshop)
    genre = controller.registry.content_types[GENRE]
    answer = prepare(own_bookshop, ConditionalAbility(), GENRE, by=By.ID, drafts=Drafts.ANY)
    counts = []
    for who in (SYSTEM, actor(ConditionalAbility()), actor(ACTIONS)):
        before = own_bookshop.database.statements
        await controller.writes.update(genre, 2, Write({"name": "again"}), answer, who)
        counts.append(own_bookshop.database.statements - before)
    # reads of the entry before and after the write, and of the response where the write itself returns it otherwise
    more = 3 if own_bookshop.database.dialect.name == "postgresql" else 2
    assert counts == [counts[0], counts[0], counts[0] + more]


async def test_internal_requests_and_selected_entries_have_no_conditions_at_the_top_level(bookshop: Site) -> None:
    reads, registry = controller_of(bookshop).reads, controller_of(bookshop).registry
    query = Query(page=Page(limit=50, with_count=False))
    request = ReadRequest(content_type=registry.content_types[GENRE], query=query, projection=Form.FLAT)
    for drafts, ability in ((Drafts.ANY, HIGH), (Drafts.ANY, None)):
        found = await reads.find(reads.prepare(replace(request, drafts=drafts), ability))
        assert len(json.loads(found[0])) == 9
