"""Rows, counts and sums for a project's code, on each database: equal to counting single entries."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.sdk import Average, Count, Greatest, Least, RowQuery, Sum
from octavo.sdk.app import App
from tests.models.bookshop import BOOK, NOTE, USER
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def all_books(app: App) -> list[Any]:
    return await app.entries(BOOK).find_many(sort="id", locale="all", populate=["author", "genres", "details"])


async def test_rows_show_values_as_entries_do(app: App) -> None:
    names = ["id", "title", "pages", "isbn", "price", "weight", "inStock", "releaseDate", "opensAt", "reviewedAt"]
    names += ["importedAt", "extra", "publishedAt", "locale"]
    books = await all_books(app)
    rows = await app.query(BOOK).select(*names).order_by("id").rows()
    assert rows == [{name: book[name] for name in names} for book in books]
    assert await app.query(BOOK).where({"pages": {"$notNull": True}}).select("title").order_by("pages:desc").offset(
        1
    ).limit(2).rows() == [
        {"title": book["title"]} for book in sorted(books, key=lambda book: -(book["pages"] or 0))[1:3]
    ]


async def test_values_at_the_end_of_relations_and_components(app: App) -> None:
    books = await all_books(app)
    rows = await app.query(BOOK).select("id", "author.name").order_by("id").rows()
    assert rows == [{"id": book.id, "author.name": (book["author"] or {}).get("name")} for book in books]
    pairs = await app.query(BOOK).select("id", "genres.id").order_by("id", "genres.id").rows()
    expected = [(book.id, genre["id"]) for book in books for genre in sorted(book["genres"], key=lambda one: one["id"])]
    assert [(row["id"], row["genres.id"]) for row in pairs if row["genres.id"]] == expected


async def test_groups_are_counted_and_added_up(app: App, code_site: Site) -> None:
    books = await all_books(app)
    query = app.query(BOOK).group_by("author.name").select(books=Count(), pages=Sum("pages"), most=Greatest("pages"))
    before = code_site.database.statements
    rows = await query.rows()
    assert code_site.database.statements - before == 1
    names = Counter((book["author"] or {}).get("name") for book in books)
    pages: Counter[str | None] = Counter()
    for book in books:
        pages[(book["author"] or {}).get("name")] += book["pages"] or 0
    assert {row["author.name"]: (row["books"], row["pages"]) for row in rows} == {
        name: (names[name], pages[name]) for name in names
    }
    most = await query.where({"pages": {"$notNull": True}}).order_by("most:desc").first()
    assert most is not None
    assert most["most"] == max(book["pages"] or 0 for book in books)
    assert list(most) == ["author.name", "books", "pages", "most"]


async def test_aggregates_of_filtered_entries(app: App) -> None:
    books = [book for book in await all_books(app) if book["publishedAt"] and (book["pages"] or 0) > 100]
    query = app.query(BOOK).where({"publishedAt": {"$notNull": True}}).where({"pages": {"$gt": 100}})
    assert await query.count() == len(books)
    assert await query.select(n=Average("pages")).value() == sum(book["pages"] for book in books) / len(books)
    assert await query.select(n=Sum("isbn")).value() == sum(int(book["isbn"] or 0) for book in books)
    assert await query.select(n=Least("title")).value() in [book["title"] for book in books]
    authors = {book["author"]["id"] for book in books if book["author"]}
    assert await query.select(n=Count("author.id", distinct=True)).value() == len(authors)
    nothing = app.query(BOOK).where({"title": "no such book"})
    assert (await nothing.count(), await nothing.select("id").value()) == (0, None)
    assert await nothing.select(n=Sum("pages"), m=Count()).rows() == [{"n": None, "m": 0}]
    assert await app.query(BOOK).where({"author": {"id": {"$in": [1, 2]}}}).where({}).count() > 0


async def test_distinct_rows(app: App) -> None:
    books = await all_books(app)
    rows = await app.query(BOOK).select("locale", "inStock").distinct().order_by("locale:desc").rows()
    assert len(rows) == len({(book["locale"], book["inStock"]) for book in books})
    assert [row["locale"] for row in rows] == sorted((row["locale"] for row in rows), reverse=True)


async def test_rows_of_a_transaction(app: App) -> None:
    with pytest.raises(ZeroDivisionError):
        await in_transaction(app)
    assert await app.query(BOOK).where({"title": "row"}).count() == 0


async def in_transaction(app: App) -> None:
    async with app.transaction():
        await app.entries(BOOK).create({"title": "row"})
        assert await app.query(BOOK).where({"title": "row"}).count() == 1
        raise ZeroDivisionError


MISTAKES: dict[str, tuple[Callable[[RowQuery], RowQuery], str]] = {
    "no column": (lambda query: query, "no columns are selected"),
    "an unknown attribute": (lambda query: query.select("titel"), "no attribute 'titel'; did you mean 'title'"),
    "an unknown attribute on the way": (lambda query: query.select("autor.name"), "did you mean 'author'"),
    "a value on the way": (lambda query: query.select("title.name"), "references several types"),
    "a relation at the end": (lambda query: query.select("author"), "no value that can be returned"),
    "a zone": (lambda query: query.select("extras.text"), "references several types"),
    "a password": (lambda query: query.select("pin"), "no value that can be returned"),
    "a password compared": (lambda query: query.select("id").where({"pin": "x"}), "cannot be compared"),
    "an unknown name in a filter": (lambda query: query.select("id").where({"autor": {"name": "x"}}), "'autor'"),
    "an unknown operator": (lambda query: query.select("id").where({"title": {"$nope": 1}}), "unknown operator"),
    "texts added up": (lambda query: query.select(n=Sum("title")), "is not a number"),
    "the least of a flag": (lambda query: query.select(n=Least("inStock")), "cannot be ordered"),
    "neither measured nor grouped": (lambda query: query.select("title", n=Count()), "title is neither"),
    "an order of another column": (lambda query: query.select(n=Count()).order_by("title"), "their own columns"),
    "twice": (lambda query: query.select("title").select("title"), "selected twice"),
    "fewer rows than none": (lambda query: query.select("title").limit(-1), "not a valid number of rows"),
}


@pytest.mark.parametrize("build, message", MISTAKES.values(), ids=list(MISTAKES))
async def test_errors_are_reported(app: App, build: Callable[[RowQuery], RowQuery], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        await build(app.query(BOOK)).rows()


async def test_names_are_no_sql(app: App) -> None:
    name = "a\"b'; DROP TABLE books; --"
    rows = await app.query(BOOK).select(**{name: Count()}).rows()
    assert list(rows[0]) == [name]
    with pytest.raises(ValidationError):
        await app.query(BOOK).select('title"; DROP TABLE books; --').rows()
    with pytest.raises(ValidationError):
        await app.query(USER).select("password").rows()
    with pytest.raises(ValidationError, match="references several types"):
        await app.query(NOTE).select("subject.id").rows()
