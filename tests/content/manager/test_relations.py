"""Relations in edit views: existing entries, candidates, and whether the caller can read their names."""

import json
from typing import Any

import pytest

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.ability import AdminAbility, Share, Shares
from octavo.content.component_owners import ComponentOwners, places_of
from octavo.content.manager.relations import Relations
from octavo.core.errors import ForbiddenError, NotFoundError, OctavoError
from tests.access.authorization.conditional import at
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

READ = "plugin::content-manager.explorer.read"


def relations_of(site: Site) -> Relations:
    services = site.octavo.site.services
    owners = ComponentOwners(site.database, services.manage().managed.registry)
    return Relations(services.manage().managed, services.manage().configurations, owners)


def everything(site: Site) -> Ability:
    return AdminAbility(site.octavo.site.registry, {}, everything=True, knows_private=True)


def reader(site: Site, **shares: Share) -> Ability:
    uids = {"book": BOOK, "author": AUTHOR, "genre": GENRE}
    granted: Shares = {(READ, uids[name]): (share,) for name, share in shares.items()}
    return AdminAbility(site.octavo.site.registry, granted, knows_private=True)


async def existing(
    site: Site, name: str, ability: Ability | None = None, entry_id: int = 1, **given: Any
) -> tuple[Any, int]:
    actor = Actor("administrator", ability or everything(site), 1)
    found = await relations_of(site).existing(BOOK, entry_id, name, given, actor)
    return json.loads(found.json), found.total


async def candidates(
    site: Site, name: str, ability: Ability | None = None, uid: str = BOOK, **given: Any
) -> tuple[list[dict[str, Any]], int]:
    actor = Actor("administrator", ability or everything(site), 1)
    found = await relations_of(site).candidates(uid, name, given, actor)
    return json.loads(found.json), found.total


def ids(found: list[dict[str, Any]]) -> list[int]:
    return [entry["id"] for entry in found]


async def book_with_genres(site: Site) -> tuple[int, list[int]]:
    """Return the id of a book with several genres, and the genres' ids in the order of their links."""
    for entry_id in range(1, 13):
        found, total = await existing(site, "genres", entry_id=entry_id, pageSize="100")
        if total > 2:
            return entry_id, ids(found)[::-1]
    raise AssertionError("no book has three genres")


async def test_a_page_beyond_the_largest_integer_is_empty(bookshop: Site) -> None:
    beyond = str(10**20)
    assert (await existing(bookshop, "genres", page=beyond))[0] == []
    assert (await candidates(bookshop, "genres", page=beyond))[0] == []


async def test_related_entries_are_paginated_from_the_last_link(bookshop: Site) -> None:
    entry_id, genres = await book_with_genres(bookshop)
    first, total = await existing(bookshop, "genres", entry_id=entry_id, pageSize="2")
    second, _ = await existing(bookshop, "genres", entry_id=entry_id, pageSize="2", page="2")
    assert total == len(genres)
    assert ids(first + second) == genres[::-1][:4]
    assert all({"id", "name"} <= entry.keys() for entry in first)
    rest = await bookshop.get(f"/api/books/{entry_id}?populate=genres&publicationState=preview&locale=all")
    if rest.status == 200:
        assert [one["id"] for one in rest.json["data"]["attributes"]["genres"]["data"]] == genres


async def test_to_one_relations_return_one_entry(bookshop: Site) -> None:
    found = [(await existing(bookshop, "author", entry_id=entry_id))[0] for entry_id in range(1, 13)]
    assert any(one is None for one in found) or all(found)
    assert all([*one] == ["id", "name"] for one in found if one)
    assert (await existing(bookshop, "notesAbout"))[0] is None


async def test_names_are_shown_with_permission_to_read_them(bookshop: Site) -> None:
    entry_id, genres = await book_with_genres(bookshop)
    book = Share(frozenset({"genres"}))
    nobody, total = await existing(bookshop, "genres", reader(bookshop, book=book), entry_id)
    assert (nobody, total) == ([{"id": genre} for genre in genres[::-1]], len(genres))
    some = reader(bookshop, book=book, genre=Share(frozenset({"name"}), at("id", "$eq", genres[0])))
    for entry in (await existing(bookshop, "genres", some, entry_id))[0]:
        assert ("name" in entry) == (entry["id"] == genres[0])
    no_name = reader(bookshop, book=book, genre=Share(frozenset({"rank"})))
    assert all("name" not in entry for entry in (await existing(bookshop, "genres", no_name, entry_id))[0])


async def test_relations_need_permission_for_the_field_and_the_entry(bookshop: Site) -> None:
    for ability in (
        reader(bookshop),
        reader(bookshop, book=Share(frozenset({"title"}))),
        reader(bookshop, book=Share(None, at("id", "$eq", 2))),
    ):
        with pytest.raises(ForbiddenError):
            await existing(bookshop, "genres", ability)
    two_shares = (Share(frozenset({"title"})), Share(frozenset({"genres"}), at("id", "$eq", 2)))
    mixed = AdminAbility(bookshop.octavo.site.registry, {(READ, BOOK): two_shares}, knows_private=True)
    assert (await existing(bookshop, "genres", mixed, 2))[1] >= 0
    with pytest.raises(ForbiddenError):
        await existing(bookshop, "genres", mixed, 1)
    with pytest.raises(NotFoundError):
        await existing(bookshop, "genres", entry_id=9999)
    for name in ("createdBy", "localizations"):
        with pytest.raises(ForbiddenError):
            await candidates(bookshop, name)


async def test_candidates_are_entries_that_are_not_linked_yet(bookshop: Site) -> None:
    entry_id, genres = await book_with_genres(bookshop)
    found, total = await candidates(bookshop, "genres", pageSize="100")
    assert total == len(found)
    fresh, fewer = await candidates(bookshop, "genres", pageSize="100", entityId=str(entry_id))
    assert not set(ids(fresh)) & set(genres)
    assert fewer == total - len(set(genres))
    again, _ = await candidates(
        bookshop, "genres", pageSize="100", entityId=entry_id, idsToInclude=[str(genres[0])], idsToOmit=[ids(fresh)[0]]
    )
    assert set(ids(again)) == {*ids(fresh)[1:], genres[0]}


async def test_candidates_are_searched_by_their_main_field(bookshop: Site) -> None:
    found, total = await candidates(bookshop, "genres", pageSize="100")
    named = next(entry for entry in found if entry["name"] and entry["name"].isascii())
    wanted = named["name"]
    assert named["id"] in ids((await candidates(bookshop, "genres", _q=wanted.upper(), _filter="$eqi"))[0])
    assert (await candidates(bookshop, "genres", _q="zzzz"))[1] == 0
    assert (await candidates(bookshop, "genres", _q=wanted, _filter="nonsense"))[1] >= 1
    assert (await candidates(bookshop, "genres", _q=""))[1] == total
    by_rank, _ = await candidates(bookshop, "genres", sort="rank:DESC", pageSize="100")
    assert set(ids(by_rank)) == set(ids(found))


async def test_candidates_are_limited_by_permissions(bookshop: Site) -> None:
    book = Share(frozenset({"genres", "author"}))
    narrow = reader(bookshop, book=book, genre=Share(frozenset({"name"}), at("id", "$lt", 3)))
    assert {*ids((await candidates(bookshop, "genres", narrow))[0])} == {1, 2}
    found, _ = await candidates(bookshop, "author", narrow, sort="name:DESC", pageSize="3")
    assert found == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert ids((await candidates(bookshop, "author", narrow, _q="Ann"))[0]) == []  # only ids are searched


async def test_relations_of_components_need_permission_to_read_the_component(bookshop: Site) -> None:
    registry = bookshop.octavo.site.registry
    component, name = next(
        (item, attribute.name)
        for item in registry.components.values()
        for attribute in item.attributes.values()
        if getattr(attribute, "target", None) in (BOOK, AUTHOR, GENRE)
    )
    place = next(places_of(registry, component))
    held = AdminAbility(registry, {(READ, place.uid): (Share(frozenset({place.field(name)})),)}, knows_private=True)
    found, total = await candidates(bookshop, name, held, uid=component.uid)
    assert total
    assert all([*entry] == ["id"] for entry in found)
    with pytest.raises(ForbiddenError):
        await candidates(bookshop, name, reader(bookshop), uid=component.uid)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"pageSize": "0"}, "pageSize must be greater than or equal to 1"),
        ({"pageSize": "101"}, "pageSize must be less than or equal to 100"),
        (
            {"page": "abc"},
            'page must be a `number` type, but the final value was: `NaN` (cast from the value `"\\"abc\\""`).',
        ),
        (
            {"idsToOmit": "1"},
            'idsToOmit must be a `array` type, but the final value was: `null` (cast from the value `"\\"1\\""`).',
        ),
        ({"_q": {"a": "1"}, "page": "0"}, "2 errors occurred"),
        ({"entityId": "x"}, "Not Found"),
    ],
)
async def test_invalid_parameters(sqlite_bookshop: Site, given: dict[str, Any], message: str) -> None:
    with pytest.raises(OctavoError) as refused:
        await candidates(sqlite_bookshop, "genres", **given)
    assert refused.value.message.replace('"\\"', '"').replace('\\""', '"') == message.replace('"\\"', '"').replace(
        '\\""', '"'
    )


@pytest.mark.parametrize(
    "uid, name",
    [("api::no.no", "x"), (BOOK, "title"), (BOOK, "cover"), (BOOK, "nothing"), ("api::note.note", "subject")],
)
async def test_fields_that_are_not_relations(sqlite_bookshop: Site, uid: str, name: str) -> None:
    with pytest.raises(OctavoError) as refused:
        await candidates(sqlite_bookshop, name, uid=uid)
    assert refused.value.status == 400
