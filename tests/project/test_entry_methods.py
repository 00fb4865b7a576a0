"""Further operations of a project's code: pages, lazy loading, publication, relations, on each database."""

import datetime
from typing import Any

import pytest

from octavo.core.errors import NotFoundError, ValidationError
from octavo.project import EntryPage
from octavo.sdk.app import App
from tests.models.bookshop import BOOK, GENRE, NOTE, VAULT
from tests.models.site import Site
from tests.project.test_many_entries import undone

pytestmark = pytest.mark.anyio


async def held(app: App, book: int, attribute: str) -> Any:
    entry = await app.entries(BOOK).find_one(book, fields=["id"], populate=attribute)
    assert entry is not None
    found = entry[attribute]
    return [one["id"] for one in found] if isinstance(found, list) else found and found["id"]


async def test_a_page_and_its_total_are_one_statement(app: App, code_site: Site) -> None:
    await app.entries(GENRE).find_page(page=2, page_size=4, sort="id")
    before = code_site.database.statements
    page = await app.entries(GENRE).find_page(page=2, page_size=4, sort="id")
    assert code_site.database.statements - before == 1
    assert isinstance(page, EntryPage)
    assert [entry.id for entry in page.entries] == [5, 6, 7, 8]
    assert (page.total, page.page, page.page_size, page.page_count) == (9, 2, 4, 3)
    live = await app.entries(GENRE).find_page(publication_state="live", filters={"rank": {"$gt": 50}})
    assert live.total == await app.entries(GENRE).count(publication_state="live", filters={"rank": {"$gt": 50}})
    with pytest.raises(ValueError, match="page=0"):
        await app.entries(GENRE).find_page(page=0)


async def test_relations_are_loaded_later_with_one_statement(app: App, code_site: Site) -> None:
    books = await app.entries(BOOK).find_many(fields=["title"], sort="id", locale="all")
    both = ["author", "genres"]
    expected = await app.entries(BOOK).find_many(fields=["title"], sort="id", locale="all", populate=both)
    before = code_site.database.statements
    await app.entries(BOOK).load(books, both)
    assert code_site.database.statements - before == 1
    assert books == expected
    one = await app.entries(BOOK).find_one(1, fields=["title"])
    assert one is not None
    await app.entries(BOOK).load(one, {"vaults": {"fields": ["code"]}})
    assert sorted(one) == ["id", "title", "vaults"]
    await app.entries(BOOK).load([], ["author"])


async def test_a_draft_is_published_when_it_is_complete(app: App) -> None:
    books = app.entries(BOOK)
    async with undone(app):
        draft = await books.create({"title": "ready", "chapters": [{"title": "one"}]})
        assert draft["publishedAt"] is None
        published = await books.publish(draft.id, populate="chapters")
        assert published["publishedAt"] is not None
        assert [chapter["title"] for chapter in published["chapters"]] == ["one"]
        assert (await books.unpublish(draft.id))["publishedAt"] is None
        assert (await books.unpublish(draft.id))["publishedAt"] is None
        sketch = await books.create({"pages": 3, "publishedAt": None})
        with pytest.raises(ValidationError) as caught:
            await books.publish(sketch.id)
        assert caught.value.details is not None
        assert [problem["path"] for problem in caught.value.details["errors"]] == [["title"]]
    with pytest.raises(NotFoundError):
        await books.publish(99_999)
    with pytest.raises(ValidationError, match="has no drafts"):
        await app.entries(VAULT).publish(1)


async def test_related_entries_are_attached_and_detached(app: App) -> None:
    books = app.entries(BOOK)
    async with undone(app):
        await books.update(1, {"genres": [1, 2], "author": 1, "gallery": [1], "cover": 1})
        [third] = await app.entries(GENRE).find_many(filters={"id": 3})
        await books.attach(1, "genres", [third, 1])
        assert await held(app, 1, "genres") == [2, 3, 1]
        await books.detach(1, "genres", 2)
        assert await held(app, 1, "genres") == [3, 1]
        await books.detach(1, "genres")
        assert await held(app, 1, "genres") == []
        await books.attach(1, "author", 2)
        assert await held(app, 1, "author") == 2
        await books.detach(1, "author", 1)
        assert await held(app, 1, "author") == 2
        await books.detach(1, "author", 2)
        assert await held(app, 1, "author") is None


async def test_a_slug_that_no_entry_has(app: App) -> None:
    genres = app.entries(GENRE)
    first = await genres.unique_slug("name", "Straße & Öl!")
    assert first == "strasse-and-oel"
    made = await genres.create({"name": first})
    assert await genres.unique_slug("name", "Straße & Öl!") == "strasse-and-oel-1"
    assert await genres.unique_slug("name", "Straße & Öl!", but=made.id) == first
    await genres.create_many([{"name": f"{first}-{number}"} for number in range(1, 60)])
    assert await genres.unique_slug("name", "STRASSE and oel") == "strasse-and-oel-60"
    assert await genres.unique_slug("name", "♪") == "genre"


async def test_files_are_attached_and_detached(app: App) -> None:
    books = app.entries(BOOK)
    async with undone(app):
        await books.update(1, {"gallery": [1], "cover": 1})
        await books.attach(1, "gallery", [2, 3, 1])
        assert await held(app, 1, "gallery") == [2, 3, 1]
        await books.detach(1, "gallery", [1, 3])
        assert await held(app, 1, "gallery") == [2]
        await books.attach(1, "cover", 2)
        assert await held(app, 1, "cover") == 2
        await books.detach(1, "cover")
        assert await held(app, 1, "cover") is None


async def test_polymorphic_relations_are_attached(app: App) -> None:
    async with undone(app):
        note = await app.entries(NOTE).create({"text": "about", "subjects": [{"id": 1, "__type": BOOK}]})
        await app.entries(NOTE).attach(note.id, "subjects", {"id": 2, "__type": BOOK})
        shown = await app.entries(NOTE).find_one(note.id, populate="subjects")
        assert shown is not None
        assert [one["id"] for one in shown["subjects"]] == [1, 2]
        await app.entries(NOTE).detach(note.id, "subjects", shown["subjects"][0])
        await app.entries(BOOK).attach(3, "notesAbout", note)
        shown = await app.entries(NOTE).find_one(note.id, populate="*")
        assert shown is not None
        assert [[one["id"] for one in shown["subjects"]], shown["subject"]["id"]] == [[2], 3]


async def test_errors_suggest_names(app: App) -> None:
    books = app.entries(BOOK)
    with pytest.raises(ValidationError, match="no relation or media attribute 'genre'; did you mean 'genres'"):
        await books.attach(1, "genre", 1)
    with pytest.raises(ValidationError, match="no writable attribute 'titel'; did you mean 'title'"):
        await books.create({"titel": "x"})
    with pytest.raises(NotFoundError):
        await books.attach(99_999, "genres", 1)
    with pytest.raises(NotFoundError):
        await books.attach(99_999, "gallery", 1)


async def test_values_of_python_and_times_of_the_past(app: App) -> None:
    made = datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    async with undone(app):
        book = await app.entries(BOOK).create(
            {"title": "old", "createdAt": made, "releaseDate": made.date(), "reviewedAt": made}, locale="fr"
        )
        assert (book["createdAt"], book["releaseDate"]) == ("2020-01-02T03:04:05.000Z", "2020-01-02")
        assert (book["reviewedAt"], book["locale"]) == ("2020-01-02T03:04:05.000Z", "fr")
        chosen = {"createdAt": {"$lte": made}, "title": "old"}
        assert await app.entries(BOOK).count(filters=chosen, locale="fr") == 1


async def test_code_reads_private_attributes(app: App) -> None:
    books = app.entries(BOOK)
    secret = {"secretNote": {"$startsWith": "secret"}}
    found = await books.find_first(filters=secret, sort="secretNote:desc", fields=["title", "secretNote"])
    assert found is not None
    assert str(found["secretNote"]).startswith("secret")
    shown = await books.find_first(filters=secret, populate="*")
    assert shown is not None
    assert not {"secretNote", "pin", "hiddenAuthor"} & shown.keys()
    named = await books.find_one(shown.id, fields=["id"], populate="hiddenAuthor")
    assert named is not None
    assert named["hiddenAuthor"]["id"] > 0
    for asked in ({"fields": ["pin"]}, {"filters": {"pin": "x"}}, {"sort": "pin"}):
        with pytest.raises(ValidationError, match="pin"):
            await books.find_many(**asked)
