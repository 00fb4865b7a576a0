"""Entries for administrators: all readable fields in one statement, on both databases."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from octavo.access.authorization.ability import FIND, Ability
from octavo.access.authorization.permissions import EVERYTHING
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.field_visibility import View
from octavo.query.ast import Filter
from octavo.query.request import Drafts
from tests.access.authorization.conditional import ConditionalAbility, at
from tests.models.bookshop import AUTHOR, BOOK, GENRE, NOTE, USER
from tests.models.site import Site

pytestmark = pytest.mark.anyio


class Guarding(ConditionalAbility):
    """An ability that reads some fields of some entries only."""

    def __init__(self, guards: Mapping[str, Filter]) -> None:
        super().__init__()
        self.guards = guards
        self.key = repr(guards)

    def field_scope(self, uid: str, field: str, action: str = FIND) -> Filter | None:
        return self.guards.get(field) if uid == BOOK else None


def entries_of(site: Site) -> ManagedEntries:
    return site.octavo.site.services.manage().managed


async def show(
    site: Site, uid: str, entry_id: int, ability: Ability = EVERYTHING, view: View = View.ENTRY
) -> dict[str, Any] | None:
    entries = entries_of(site)
    answer = entries.answer(entries.registry.content_types[uid], ability, Drafts.SHOWN, view)
    before = site.database.statements
    found = await entries.reads.find_any(answer.bind(id=entry_id))
    assert site.database.statements == before + 1
    shown: dict[str, Any] | None = None if found is None else json.loads(found)
    return shown


async def every_book(site: Site, ability: Ability = EVERYTHING, view: View = View.ENTRY) -> list[dict[str, Any]]:
    found = [await show(site, BOOK, entry_id, ability, view) for entry_id in range(1, 13)]
    return [entry for entry in found if entry is not None]


async def test_an_entry_is_shown_with_all_components_and_counted_relations(bookshop: Site) -> None:
    books = await every_book(bookshop)
    assert len(books) == 12
    by_count = {"author", "translators", "genres", "prequel", "sequel", "similar", "shelf", "editor", "vaults"}
    for book in books:
        assert {name for name, value in book.items() if isinstance(value, dict) and [*value] == ["count"]} >= by_count
        assert isinstance(book["id"], int)
        assert "pin" not in book
        assert {"secretNote", "createdBy", "localizations", "publishedAt", "locale"} <= book.keys()
        assert book["gallery"] is None or all(file["folder"] is None for file in book["gallery"])
    assert any(book["publishedAt"] is None for book in books)
    assert any(book["genres"]["count"] > 1 for book in books)
    assert any(book["notesAbout"] and "text" in book["notesAbout"][0] for book in books)
    assert any(part["__component"] == "shop.quote" for book in books for part in book["extras"])


async def test_a_row_of_a_list_shows_one_related_entry_and_counts_several(bookshop: Site) -> None:
    books = await every_book(bookshop, view=View.ROW)
    authors = [book["author"] for book in books if book["author"]]
    assert authors
    assert all({"id", "name"} <= author.keys() and "books" not in author for author in authors)
    assert all([*book["genres"]] == ["count"] for book in books)
    for book in books:
        parts = [*book["extras"], *book["chapters"], *([book["details"]] if book["details"] else [])]
        assert all(not isinstance(value, dict | list) for part in parts for value in part.values())


async def test_the_complete_view_shows_related_entries(bookshop: Site) -> None:
    books = await every_book(bookshop, view=View.WHOLE)
    assert all(isinstance(book["genres"], list) for book in books)
    assert any(book["genres"] and "name" in book["genres"][0] for book in books)


async def test_polymorphic_relations_contain_types(bookshop: Site) -> None:
    notes = [await show(bookshop, NOTE, entry_id) for entry_id in range(1, 6)]
    subjects = [subject for note in notes if note for subject in note["subjects"]]
    assert {BOOK} <= {subject["__type"] for subject in subjects}
    assert not any("pin" in subject or "password" in subject for subject in subjects)
    assert any(note and note["subject"] for note in notes)


async def test_accounts_hide_their_secrets(bookshop: Site) -> None:
    account = await show(bookshop, USER, 1)
    assert account is not None
    assert account["username"] == "ed"
    assert not {"password", "provider", "resetPasswordToken", "confirmationToken"} & account.keys()


async def test_unreadable_fields_are_missing(bookshop: Site) -> None:
    withheld = ("blurb", "author", "details.binding", "chapters.title", "extras", "gallery")
    for book in await every_book(bookshop, ConditionalAbility({BOOK: withheld})):
        assert not {"blurb", "author", "extras", "gallery"} & book.keys()
        assert "binding" not in (book["details"] or {})
        assert all("title" not in chapter for chapter in book["chapters"])
        assert {"title", "genres", "cover"} <= book.keys()


async def test_conditionally_readable_fields_are_missing_in_other_entries(bookshop: Site) -> None:
    few = at("id", "$lt", 5)
    guards = {"title": few, "genres": few, "details.binding": few, "chapters": at("author.id", "$notNull", True)}
    for book, whole in zip(await every_book(bookshop, Guarding(guards)), await every_book(bookshop), strict=True):
        mine = book["id"] < 5
        assert ("title" in book, "genres" in book) == (mine, mine)
        assert ("chapters" in book) == (whole["author"]["count"] == 1)
        if book["details"]:
            assert ("binding" in book["details"]) == mine
        assert {name: whole[name] for name in book if name != "details"} == {
            name: value for name, value in book.items() if name != "details"
        }


async def test_conditions_apply_only_to_the_entry_itself(bookshop: Site) -> None:
    scopes = {GENRE: at("rank", "$gt", 1000), AUTHOR: at("id", "$lt", 0), BOOK: at("id", "$gt", 3)}
    narrow = ConditionalAbility(scopes=scopes)
    assert await show(bookshop, BOOK, 3, narrow) is None
    assert await show(bookshop, GENRE, 1, narrow) is None
    assert await show(bookshop, BOOK, 4, narrow) == await show(bookshop, BOOK, 4)
