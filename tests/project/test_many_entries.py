"""Bulk writes: the result equals that of single writes, with few statements."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.sdk.app import App
from tests.models.bookshop import AUTHOR, BOOK, GENRE, USER, VAULT
from tests.models.site import Site

pytestmark = pytest.mark.anyio
DEEP = ["author", "genres", "vaults", "cover", "gallery", "details", "chapters.genres", "extras", "translators"]
LEFT_OUT = {"id", "createdAt", "updatedAt"}


def book(number: int) -> dict[str, Any]:
    return {
        "title": f"many {number}",
        "slug": f"many-{number}",
        "pages": number,
        "author": 1 + number % 2,
        "genres": [1, 2 + number % 3],
        "vaults": {"connect": [1, 2]},
        "translators": [3 + number % 4],
        "cover": 1 + number % 3,
        "gallery": [1, 2],
        "chapters": [{"title": f"chapter {order}"} for order in range(number % 3)],
        "extras": [{"__component": "shop.quote", "text": f"quote {number}"}],
    }


class Undo(Exception):
    """Rolls back a block."""


@asynccontextmanager
async def undone(app: App) -> AsyncIterator[None]:
    try:
        async with app.transaction(seconds=600):
            yield
            raise Undo
    except Undo:
        pass


def plain(value: Any) -> Any:
    """Return a response without values that differ for each write."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if name not in LEFT_OUT}
    return [plain(item) for item in value] if isinstance(value, list) else value


async def state(app: App) -> Any:
    """Return the created books and the links to them."""
    made = {"title": {"$startsWith": "many"}}
    books = await app.entries(BOOK).find_many(filters=made, sort="title", populate=DEEP)
    others = [
        await app.entries(uid).find_many(sort="id", populate={"books": {"filters": made, "fields": ["title"]}})
        for uid in (AUTHOR, GENRE, VAULT)
    ]
    return plain([books, others])


async def after(app: App, work: Callable[[], Awaitable[object]]) -> Any:
    async with undone(app):
        await work()
        return await state(app)


async def test_bulk_writes_equal_single_writes(app: App) -> None:
    items = [book(number) for number in range(12)]

    async def in_turn() -> None:
        for item in items:
            await app.entries(BOOK).create(item)

    expected = await after(app, in_turn)
    assert len(expected[0]) == len(items)
    assert await after(app, lambda: app.entries(BOOK).create_many(items)) == expected


async def test_bulk_updates_equal_single_updates(app: App) -> None:
    change = {
        "pages": 5,
        "author": 4,
        "genres": {"connect": [5], "disconnect": [1]},
        "translators": [1],
        "gallery": [3],
        "chapters": [{"title": "only"}],
        "extras": [],
    }

    async def make() -> list[int]:
        return await app.entries(BOOK).create_many([book(number) for number in range(7)])

    async def in_turn() -> None:
        for one in await make():
            await app.entries(BOOK).update(one, change)

    async def together() -> None:
        await make()
        assert await app.entries(BOOK).update_many(change, filters={"title": {"$startsWith": "many"}}) == 7

    assert await after(app, together) == await after(app, in_turn)


async def test_bulk_deletions_include_owned_rows(app: App, code_site: Site) -> None:
    async def rows() -> list[int]:
        tables = ("books", "components_shop_chapters", "books_components", "files_related_morphs")
        return [await code_site.database.fetch_value(f"SELECT count(*) FROM {table}") for table in tables]

    async with undone(app):
        before = await rows()
        await app.entries(BOOK).create_many([book(number) for number in range(7)])
        assert await app.entries(BOOK).delete_many(filters={"title": {"$startsWith": "many"}}) == 7
        assert await rows() == before


async def test_few_statements(app: App, code_site: Site) -> None:
    vaults, books = app.entries(VAULT), app.entries(BOOK)
    few, many = {"code": {"$startsWith": "few"}}, {"title": {"$startsWith": "many"}}

    async def counts(number: int) -> list[int]:
        found = []
        for work in (
            lambda: vaults.create_many([{"code": f"few {one}"} for one in range(number)]),
            lambda: vaults.update_many({"code": "few more"}, filters=few),
            lambda: vaults.delete_many(filters=few),
            lambda: books.create_many([book(one) for one in range(number)]),
            lambda: books.delete_many(filters=many, locale="all"),
        ):
            before = code_site.database.statements
            await work()
            found.append(code_site.database.statements - before)
        return found

    async with undone(app):
        two, sixty = await counts(2), await counts(60)
    assert two[:3] == sixty[:3] == [1, 3, 4], "a deletion takes one for the morphToMany relation of the shop"
    assert (sixty[3] - two[3], sixty[4] - two[4]) <= (6, 2)


async def test_all_problems_are_reported_with_their_path(app: App) -> None:
    books = app.entries(BOOK)
    items: list[dict[str, Any]] = [
        {"title": "fine", "slug": "one-slug"},
        {"title": "taken", "slug": "book-01"},
        {"slug": "one-slug"},
        {"title": "nowhere", "author": 99_999},
        {"title": "no such locale", "locale": "xx"},
        {"title": 5, "pages": "many"},
    ]
    with pytest.raises(ValidationError) as caught:
        await books.create_many(items)
    problems = caught.value.details["errors"] if caught.value.details else []
    assert sorted({tuple(problem["path"]) for problem in problems}) == [
        ("1", "slug"),
        ("2", "slug"),
        ("2", "title"),
        ("3",),
        ("4",),
        ("5", "pages"),
        ("5", "title"),
    ]
    with pytest.raises(ValidationError, match="has no writable attribute 'titel'; did you mean 'title'") as caught:
        await books.create_many([{"title": "fine"}, {"titel": "typing"}])
    assert caught.value.details is not None
    assert caught.value.details["errors"][0]["path"] == ["1", "titel"]
    assert await books.count(filters={"title": "fine"}, locale="all") == 0


async def test_entries_related_to_their_own_type_are_written_in_turn(app: App) -> None:
    genres = app.entries(GENRE)
    async with undone(app):
        ids = await genres.create_many([{"name": "many a", "children": [1]}, {"name": "many b", "children": [1, 2]}])
        made = await genres.find_many(filters={"id": ids}, sort="id", populate="children")
        assert [[child["id"] for child in genre["children"]] for genre in made] == [[], [1, 2]]
        with pytest.raises(ValidationError) as caught:
            await genres.create_many([{"name": "fine", "children": []}, {"name": 1, "children": [99_999]}])
        assert caught.value.details is not None
        assert all(problem["path"][0] == "1" for problem in caught.value.details["errors"])


async def test_items_that_are_not_objects_are_refused_in_single_writes(app: App) -> None:
    genre, writer = app.registry.content_types[GENRE], app.controller.writer
    items = [{"name": "fine", "children": []}, None]
    with pytest.raises(ValidationError) as caught:
        await writer.create_many(genre, items, draft_default=True, strict=True)
    assert caught.value.details is not None
    assert [problem["path"] for problem in caught.value.details["errors"]] == [["1"]]


async def test_entries_are_chosen_on_purpose(app: App) -> None:
    with pytest.raises(ValidationError, match="filters="):
        await app.entries(VAULT).delete_many()
    assert await app.entries(VAULT).update_many({"code": "x"}, filters={"id": 99_999}) == 0
    with pytest.raises(ValidationError, match="At most 5000"):
        await app.entries(VAULT).create_many([{"code": "x"}] * 5_001)


async def test_passwords_of_many_users_are_hashed(app: App, code_site: Site) -> None:
    people = [{"username": name, "email": f"{name}@example.org", "password": "secret-1"} for name in ("una", "ulf")]
    async with undone(app):
        ids = await app.entries(USER).create_many(people)
        stored = await code_site.database.fetch_all("SELECT password FROM up_users WHERE username IN ('una', 'ulf')")
        assert len(ids) == len(stored) == 2
        assert all(row[0].startswith("$2") for row in stored)
