"""Prepared mutations respond to every body as if they were prepared for it."""

import itertools
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from tests.api.graphql.asking import ask, messages, send
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.site import Site
from tests.test_benchmarks import counted_calls

pytestmark = pytest.mark.anyio

_NUMBERS: Final = itertools.count()
_LAST: Final = 48
"""The largest id of the bookshop's own books."""
_OWN: Final = """data { id __typename attributes { title slug blurb body language contact pages isbn weight price
  inStock releaseDate opensAt reviewedAt importedAt extra content keywords order select publishedAt locale } }"""
_DEEP: Final = """data { id attributes { title author { data { id attributes { name } } } translators { data { id } }
  genres { data { id attributes { name } } } prequel { data { id } } cover { data { id } }
  gallery { data { id } } details { binding weight } chapters { title pages footnote { text } }
  extras { __typename ... on ComponentShopQuote { text } } localizations { data { id } } } }"""
_CREATE: Final = "mutation ($d: BookInput!, $l: I18NLocaleCode) { it: createBook(data: $d, locale: $l) { %s } }"
_UPDATE: Final = "mutation ($i: ID!, $d: BookInput!) { updateBook(id: $i, data: $d) { %s } }"
_CHAPTERS: Final = [{"title": "one", "pages": 1}, {"title": "two", "footnote": {"text": "note"}}]
_MOMENT: Final = "2024-01-02T03:04:05.000Z"

BODIES: Final[tuple[dict[str, Any], ...]] = (
    {"title": "Sea", "pages": 12},
    {"title": "Moon", "pages": 13},
    {"title": "Sea"},
    {},
    {"title": None},
    {"pages": 5},
    {"title": ""},
    {"title": 5},
    {"title": "x" * 300},
    {"title": "Sea", "nothing": 1},
    {"title": "Sea", "pages": "12"},
    {"title": "Sea", "pages": 1.5},
    {"title": "Sea", "pages": 2**40},
    {"title": "Sea", "slug": "sea-1"},
    {"title": "Sea", "slug": "not a slug!"},
    {"title": "Sea", "language": "en"},
    {"title": "Sea", "language": "fr"},
    {"title": "Sea", "contact": "a@example.com"},
    {"title": "Sea", "contact": "nobody"},
    {"title": "Sea", "isbn": "9007199254740993"},
    {"title": "Sea", "releaseDate": "2024-02-30"},
    {"title": "Sea", "releaseDate": "2024-02-29", "opensAt": "10:00:00.000", "reviewedAt": _MOMENT},
    {"title": "Sea", "extra": {"a": [1, None]}, "keywords": ["a"]},
    {"title": "Sea", "publishedAt": _MOMENT},
    {"title": "Sea", "publishedAt": None},
    {"publishedAt": _MOMENT},
    {"title": "Sea", "inStock": False, "weight": 1, "price": 2.5},
    {"title": "Sea", "author": "1"},
    {"title": "Sea", "author": 2},
    {"title": "Sea", "author": "999"},
    {"title": "Sea", "author": "x"},
    {"title": "Sea", "author": None, "genres": []},
    {"title": "Sea", "author": "1", "genres": ["1", "2"], "translators": ["2"]},
    {"title": "Sea", "author": "1", "genres": ["2", "1"], "translators": ["3"]},
    {"title": "Sea", "author": "1", "translators": ["1"]},
    {"title": "Sea", "genres": ["1", "1"]},
    {"title": "Sea", "genres": ["1", "999"]},
    {"title": "Sea", "genres": "1"},
    {"title": "Sea", "cover": "1", "gallery": ["1"]},
    {"title": "Sea", "prequel": "3"},
    {"title": "Sea", "details": {"binding": "hard", "weight": 1.5}, "chapters": _CHAPTERS},
    {"title": "Sea", "details": {"binding": "nothing"}},
    {"title": "Sea", "chapters": [{"pages": 1}]},
    {"title": "Sea", "chapters": [{"title": "x", "id": "999"}]},
    {"title": "Sea", "extras": [{"__typename": "ComponentShopQuote", "text": "quote"}]},
    {"title": "Sea", "extras": [{"__typename": "Nothing"}]},
    {"title": "Sea", "localizations": ["1"]},
)


def alike(answer: Any) -> str:
    """Return a response without values that differ each time: ids of new entries, and times."""
    text = re.sub(r'"202[5-9]-[^"]*Z"', '"NOW"', json.dumps(answer))
    return re.sub(r'"id": "\d{2,}"', '"id": "NEW"', text)


async def both(site: Site, text: str, variables: Any, undo: Callable[[], Awaitable[None]]) -> None:
    """Compare the response to a prepared document with the one to an equal new document."""
    answers = []
    for document in (f"{text} #{next(_NUMBERS)}", text):
        answers.append(alike((await send(site, {"query": document, "variables": variables}, FULL_TOKEN)).json))
        await undo()
    assert answers[0] == answers[1], variables


async def remove_new(site: Site) -> None:
    """Delete the books of the test."""
    text = """{ books(locale: "all", publicationState: PREVIEW, pagination: { limit: 100 },
      filters: { title: { in: ["Sea", "Moon", "Old", "%s"] } }) { data { id } } }"""
    found = await ask(site, text % ("x" * 300), FULL_TOKEN)
    for entry in found["data"]["books"]["data"]:
        if int(entry["id"]) > _LAST:
            headers = [("Authorization", f"Bearer {FULL_TOKEN}")]
            assert (await call(site.octavo.asgi, "DELETE", f"/api/books/{entry['id']}", headers)).status == 200


@pytest.mark.parametrize(
    "shown", [_OWN, _DEEP, "data { id }", "__typename", "data { id } data { attributes { title } }"]
)
async def test_creates_answer_the_same_prepared_or_not(scratch: Site, shown: str) -> None:
    for locale in (None, "fr", "nowhere"):
        for body in BODIES if locale is None or shown == _OWN else BODIES[:3]:
            variables = {"d": body} if locale is None else {"d": body, "l": locale}
            await both(scratch, _CREATE % shown, variables, lambda: remove_new(scratch))


@pytest.mark.parametrize("shown", [_OWN, _DEEP])
async def test_so_do_updates(scratch: Site, shown: str) -> None:
    made = await ask(scratch, _CREATE % "data { id }", FULL_TOKEN, d={"title": "Old", "pages": 1})
    entry = made["data"]["it"]["data"]["id"]

    async def undo() -> None:
        old = {"title": "Old", "pages": 1, "author": None, "genres": [], "chapters": [], "publishedAt": None}
        await ask(scratch, _UPDATE % "data { id }", FULL_TOKEN, i=entry, d=old)

    for body in BODIES:
        if "localizations" not in body:
            await both(scratch, _UPDATE % shown, {"i": entry, "d": body}, undo)
    for other in ("999999", "x", "1e0", "", None):
        await both(scratch, _UPDATE % shown, {"i": other, "d": {"title": "New"}}, undo)


async def test_so_do_deletions(scratch: Site) -> None:
    text = f"mutation ($i: ID!) {{ it: deleteBook(id: $i) {{ {_DEEP} }} }}"
    answers = []
    for number in range(6):
        body = {"title": "Gone", "author": "1", "chapters": _CHAPTERS}
        made = await ask(scratch, _CREATE % "data { id }", FULL_TOKEN, d=body)
        entry = made["data"]["it"]["data"]["id"]
        document = text if number % 2 else f"{text} #{next(_NUMBERS)}"
        answers.append(alike(await ask(scratch, document, FULL_TOKEN, i=entry)))
        answers.append(alike(await ask(scratch, document, FULL_TOKEN, i=entry)))
    assert len(set(answers)) == 2


@pytest.mark.parametrize("token", [None, SOME_TOKEN])
async def test_callers_without_permission_are_refused_each_time(scratch: Site, token: str | None) -> None:
    for _ in range(3):
        await ask(scratch, _UPDATE % "data { id }", FULL_TOKEN, i="1", d={"pages": 1})
        answer = await ask(scratch, _UPDATE % "data { id }", token, i="1", d={"pages": 2})
        assert (messages(answer), answer["data"]) == (["Forbidden access"], {"updateBook": None})


async def test_variables_outside_of_arguments_are_part_of_the_prepared_shape(scratch: Site) -> None:
    text = """mutation ($d: GenreInput!, $s: Boolean!, $n: Int) { it: createGenre(data: $d) { data { attributes {
      name @include(if: $s) children(pagination: { limit: $n }) { data { id } } } } } }"""
    for shows, limit in ((True, 1), (False, 1), (True, None), (True, 1), (False, -5)):
        answers = [
            await ask(scratch, document, FULL_TOKEN, d={"name": "Row", "children": ["1", "2"]}, s=shows, n=limit)
            for document in (text, f"{text} #{next(_NUMBERS)}", text)
        ]
        assert len({json.dumps(answer) for answer in answers}) == 1
        assert ("name" in answers[0]["data"]["it"]["data"]["attributes"]) is shows


async def test_root_fields_fail_and_succeed_independently(scratch: Site) -> None:
    text = """mutation ($a: String, $b: [ID]) { __typename one: createGenre(data: { name: $a }) { data { id } }
      two: createGenre(data: { name: $a, books: $b }) { data { id attributes { name } } } }"""
    for books in (["1"], ["99999"], ["1"], ["99999"]):
        answer = await ask(scratch, text, FULL_TOKEN, a="Row", b=books)
        assert answer["data"]["__typename"] == "Mutation"
        assert answer["data"]["one"]["data"]["id"]
        assert (answer["data"]["two"] is None) == (books == ["99999"])
        assert len(messages(answer)) == (books == ["99999"])


async def test_errors_below_a_single_type_stay_with_their_request(scratch: Site) -> None:
    text = "mutation ($p: ID) { it: updateImprint(data: { details: { printedBy: $p } }) { data { id } } }"
    for author in ("999", "1", "998", "1"):
        answer = await ask(scratch, text, FULL_TOKEN, p=author)
        assert len(messages(answer)) == (author != "1")
        assert (answer["data"]["it"]["data"] is None) == (author != "1")


_PLAIN: Final = "data { id attributes { title pages } }"
_RELATED: Final = {"author": "1", "genres": ["1", "2"]}


async def statements(site: Site, body: dict[str, Any], **variables: Any) -> int:
    before = site.database.statements
    assert "errors" not in await ask(site, body["query"], FULL_TOKEN, **variables)
    return site.database.statements - before


async def test_on_postgresql_a_write_is_one_statement_as_over_rest(scratch: Site) -> None:
    is_joined = scratch.database.dialect.name == "postgresql"
    names = (f"Row {number}" for number in itertools.count())
    found = []
    writes: list[tuple[str, dict[str, Any]]] = [
        (_CREATE % _PLAIN, {"d": {"pages": 1}}),
        (_CREATE % _PLAIN, {"d": {"pages": 1, **_RELATED}}),
        (_CREATE % _PLAIN, {"d": {"pages": 1, "chapters": [{"title": "one", "pages": 1}]}}),
        (_UPDATE % _PLAIN, {"i": "1", "d": {"pages": 1}}),
    ]
    for text, variables in writes:
        counts = []
        for _ in range(6):
            given = {**variables, "d": {**variables["d"], "title": next(names)}}
            counts.append(await statements(scratch, {"query": text}, **given))
        found.append(min(counts[-3:]))  # caches with a time to live can be due for a refresh meanwhile
    assert found == ([1, 1, 1, 1] if is_joined else [2, 5, 4, 2])


async def test_a_deletion_sends_the_same_statements_as_over_rest(scratch: Site) -> None:
    delete = "mutation ($i: ID!) { deleteGenre(id: $i) { data { id attributes { name rank } } } }"
    headers = [("Authorization", f"Bearer {FULL_TOKEN}")]
    counts: list[list[int]] = [[], []]
    for number in range(12):
        made = await ask(scratch, 'mutation { createGenre(data: { name: "Gone" }) { data { id } } }', FULL_TOKEN)
        entry = made["data"]["createGenre"]["data"]["id"]
        before = scratch.database.statements
        if number % 2:
            assert "errors" not in await ask(scratch, delete, FULL_TOKEN, i=entry)
        else:
            assert (await call(scratch.octavo.asgi, "DELETE", f"/api/genres/{entry}", headers)).status == 200
        counts[number % 2].append(scratch.database.statements - before)
    assert {min(counts[0][-3:]), min(counts[1][-3:])} == {1 if scratch.database.dialect.name == "postgresql" else 5}


async def test_no_selection_is_compiled_again(scratch: Site) -> None:
    text = _CREATE % "data { attributes { title pages } }"
    for number in range(6):
        await ask(scratch, text, FULL_TOKEN, d={"title": "Row", "pages": number})

    with counted_calls() as calls:
        await ask(scratch, text, FULL_TOKEN, d={"title": "Row", "pages": 99})
    assert calls["plan_read"] == calls["Selections.of"] == calls["BodyCheck.__init__"] == 0
    assert calls["Selections.arguments"] == 0
    on_postgresql = scratch.database.dialect.name == "postgresql"
    assert calls["_AsyncGeneratorContextManager.__aenter__"] == (0 if on_postgresql else 2)


async def test_code_around_root_fields_and_below_them_runs_each_time(coded: Site) -> None:
    create = "mutation ($t: String) { createBook(data: { title: $t }) { data { attributes { title } } } }"
    genre = "mutation ($t: String) { createGenre(data: { name: $t }) { data { attributes { name } } } }"
    for title in ("Sea", "Moon", "Lake", "Pond", "Well"):
        answer = await ask(coded, create, FULL_TOKEN, t=title)
        assert answer["data"]["createBook"]["data"]["attributes"] == {"title": f"{title} (new)"}
        answer = await ask(coded, genre, FULL_TOKEN, t=title)
        assert answer["data"]["createGenre"]["data"]["attributes"] == {"name": title.upper()}
