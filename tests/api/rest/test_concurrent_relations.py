"""Simultaneous writes of relations, repeated: the result is as if they came one after the other, on each database."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from octavo.content.write_locks import MOST_LOCKED
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio

TIMES = 20
NOTE = "api::note.note"


async def ask(site: Site, method: str, target: str, data: Any = None) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    body = [] if data is None else [json.dumps({"data": data}).encode()]
    return await call(site.octavo.asgi, method, f"/api/{target}", headers, body)


async def make(site: Site, kind: str, **data: Any) -> int:
    answer = await ask(site, "POST", kind, data)
    assert answer.status == 200, answer.body
    return int(answer.json["data"]["id"])


async def books(site: Site, count: int) -> list[int]:
    return [await make(site, "books", title=f"Book {number}") for number in range(count)]


async def at_once(site: Site, *writes: tuple[str, str, Any]) -> None:
    answers = await asyncio.gather(*(ask(site, *write) for write in writes))
    assert [answer.status for answer in answers] == [200] * len(writes), [answer.body for answer in answers]


async def holders(site: Site, kind: str, ids: Sequence[int], name: str, target: int) -> list[int]:
    """Return the entries that point to a target."""
    found = []
    for one in ids:
        shown = (await ask(site, "GET", f"{kind}/{one}?populate={name}&publicationState=preview")).json["data"]
        held = shown["attributes"][name]["data"]
        targets = held if isinstance(held, list) else [held] if held else []
        found += [one for each in targets if each["id"] == target]
    return found


@pytest.mark.parametrize("form", [lambda x: x, lambda x: {"connect": [x]}, lambda x: {"set": [x]}])
@pytest.mark.parametrize("name", ["prequel", "sequel"])
async def test_a_one_to_one_target_has_one_source(own_bookshop: Site, name: str, form: Any) -> None:
    first, second, target = await books(own_bookshop, 3)
    for _ in range(TIMES):
        await at_once(own_bookshop, *(("PUT", f"books/{one}", {name: form(target)}) for one in (first, second)))
        assert len(await holders(own_bookshop, "books", (first, second), name, target)) == 1


async def test_new_entries_that_want_one_target(own_bookshop: Site) -> None:
    (target,) = await books(own_bookshop, 1)
    made: list[int] = []
    for _ in range(TIMES):
        new = await asyncio.gather(*(make(own_bookshop, "books", title="New", prequel=target) for _ in range(2)))
        made += new
        assert len(await holders(own_bookshop, "books", made, "prequel", target)) == 1


async def test_both_sides_of_a_one_to_one(own_bookshop: Site) -> None:
    first, second, target = await books(own_bookshop, 3)
    for _ in range(TIMES):
        await at_once(
            own_bookshop,
            ("PUT", f"books/{first}", {"prequel": target}),
            ("PUT", f"books/{target}", {"sequel": second}),
        )
        assert len(await holders(own_bookshop, "books", (first, second), "prequel", target)) == 1


async def test_entries_that_link_each_other(own_bookshop: Site) -> None:
    first, second = await books(own_bookshop, 2)
    for _ in range(TIMES):
        await at_once(
            own_bookshop, ("PUT", f"books/{first}", {"prequel": second}), ("PUT", f"books/{second}", {"prequel": first})
        )


@pytest.mark.parametrize("form", [lambda ids: ids, lambda ids: {"connect": ids}, lambda ids: {"set": ids}])
async def test_children_of_a_one_to_many_have_one_parent(own_bookshop: Site, form: Any) -> None:
    children = await books(own_bookshop, 3)
    parents = [await make(own_bookshop, "authors", name=f"Author {number}") for number in range(2)]
    orders = (children, children[::-1])
    for _ in range(TIMES):
        pairs = zip(parents, orders, strict=True)
        await at_once(own_bookshop, *(("PUT", f"authors/{one}", {"books": form(ids)}) for one, ids in pairs))
        for child in children:
            assert len(await holders(own_bookshop, "authors", parents, "books", child)) == 1


async def test_more_children_than_are_locked_one_by_one(own_bookshop: Site) -> None:
    count = MOST_LOCKED + 1
    many = ", ".join(f"({number + 100_001}, 'Many')" for number in range(count))
    await own_bookshop.database.execute(f"INSERT INTO books (id, title) VALUES {many}")
    rows = await own_bookshop.database.fetch_all("SELECT id FROM books WHERE title = 'Many' ORDER BY id")
    children = [int(row[0]) for row in rows]
    parents = [await make(own_bookshop, "authors", name=f"Author {number}") for number in range(3)]
    links = await own_bookshop.database.fetch_value("SELECT count(*) FROM books_author_links")
    few = children[:5]
    for _ in range(3):
        await at_once(
            own_bookshop,
            ("PUT", f"authors/{parents[0]}", {"books": children}),
            ("PUT", f"authors/{parents[1]}", {"books": {"connect": children[::-1]}}),
            *(("PUT", f"authors/{parents[2]}", {"books": {"connect": [one]}}) for one in few),
            *(("PUT", f"books/{one}", {"author": parents[2]}) for one in few),
        )
        assert await own_bookshop.database.fetch_value("SELECT count(*) FROM books_author_links") == links + count
        for child in few:
            assert len(await holders(own_bookshop, "authors", parents, "books", child)) == 1


async def test_the_many_side_and_the_one_side(own_bookshop: Site) -> None:
    (child,) = await books(own_bookshop, 1)
    parents = [await make(own_bookshop, "authors", name=f"Author {number}") for number in range(2)]
    for _ in range(TIMES):
        await at_once(
            own_bookshop,
            ("PUT", f"authors/{parents[0]}", {"books": [child]}),
            ("PUT", f"books/{child}", {"author": parents[1]}),
        )
        assert len(await holders(own_bookshop, "authors", parents, "books", child)) == 1


async def test_both_sides_of_a_many_to_many_make_one_link(own_bookshop: Site) -> None:
    (book,) = await books(own_bookshop, 1)
    genre = await make(own_bookshop, "genres", name="Genre")
    for _ in range(TIMES):
        await at_once(
            own_bookshop,
            ("PUT", f"books/{book}", {"genres": {"connect": [genre]}}),
            ("PUT", f"genres/{genre}", {"books": {"connect": [book]}}),
        )
        assert await holders(own_bookshop, "books", [book], "genres", genre) == [book]
        await at_once(own_bookshop, ("PUT", f"books/{book}", {"genres": []}))


@pytest.mark.parametrize("name", ["notesAbout", "firstNote", "mentions"])
async def test_morph_relations_have_the_values_of_one_write(own_bookshop: Site, name: str) -> None:
    (book,) = await books(own_bookshop, 1)
    notes = [await make(own_bookshop, "notes", text=f"Note {number}") for number in range(2)]
    many = name != "firstNote"
    for _ in range(TIMES):
        writes = [("PUT", f"books/{book}", {name: [note] if many else note}) for note in notes]
        await at_once(own_bookshop, *writes)
        held = [len(await holders(own_bookshop, "books", [book], name, note)) for note in notes]
        assert sorted(held) == [0, 1]


async def test_polymorphic_targets_have_the_values_of_one_write(own_bookshop: Site) -> None:
    note = await make(own_bookshop, "notes", text="Note")
    targets = await books(own_bookshop, 2)
    for _ in range(TIMES):
        await at_once(
            own_bookshop,
            *(("PUT", f"notes/{note}", {"subjects": [{"id": one, "__type": "api::book.book"}]}) for one in targets),
        )
        shown = (await ask(own_bookshop, "GET", f"notes/{note}?populate=subjects")).json["data"]["attributes"]
        assert len(shown["subjects"]["data"] if isinstance(shown["subjects"], dict) else shown["subjects"]) == 1


async def test_two_locales_of_one_entry_are_saved_without_a_deadlock(own_bookshop: Site) -> None:
    async with under_safe(own_bookshop) as safe:
        (english,) = await books(safe, 1)
        (other,) = await books(safe, 1)
        answer = await ask_flat(safe, f"books/{english}/localizations", {"locale": "fr", "title": "Livre"})
        french = answer.json["id"]
        await at_once(safe, ("PUT", f"books/{french}", {"pages": 1}))
        before = await deadlocks(safe)
        for number in range(TIMES):
            await at_once(
                safe,
                ("PUT", f"books/{english}", {"pages": number, "prequel": other}),
                ("PUT", f"books/{french}", {"pages": number + 100, "prequel": other}),
            )
            shown = [
                (await ask(safe, "GET", f"books/{one}?publicationState=preview")).json for one in (english, french)
            ]
            pages = {one["data"]["attributes"]["pages"] for one in shown}
            assert len(pages) == 1
        assert await deadlocks(safe) == before


async def ask_flat(site: Site, target: str, data: Any) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    answer = await call(site.octavo.asgi, "POST", f"/api/{target}", headers, [json.dumps(data).encode()])
    assert answer.status == 200, answer.body
    return answer


async def deadlocks(site: Site) -> int:
    """Return the number of deadlocks in this database; 0 on databases with one writer."""
    if site.database.dialect.name != "postgresql":
        return 0
    await asyncio.sleep(1.1)  # the server updates its counts once a second
    text = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    return int(await site.database.fetch_value(text))
