"""Hooks of reads over HTTP, on each database: how they filter and change results, in which APIs, and their cost for
other types.
"""

from typing import Any

import pytest

from octavo.content.controllers.hooked_reads import flat, nested
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site
from tests.project.hooked_site import app_of, query, send

pytestmark = pytest.mark.anyio


async def test_results_are_filtered_over_rest_and_graphql(hooked_site: Site) -> None:
    site = hooked_site
    everything = (await send(site, "GET", "/api/genres?publicationState=preview")).json
    anonymous = (await send(site, "GET", "/api/genres?publicationState=preview", token=None)).json
    ranks = [entry["attributes"]["rank"] for entry in anonymous["data"]]
    assert ranks
    assert max(ranks) < 50
    assert anonymous["meta"]["pagination"]["total"] == len(ranks) < everything["meta"]["pagination"]["total"]
    found = await query(site, "{ genres(publicationState: PREVIEW) { data { id } } }", token=None)
    assert len(found["data"]["genres"]["data"]) == len(ranks)
    hidden = next(entry["id"] for entry in everything["data"] if (entry["attributes"]["rank"] or 0) >= 50)
    assert (await send(site, "GET", f"/api/genres/{hidden}", token=None)).status == 404
    assert (await send(site, "GET", f"/api/genres/{hidden}")).status == 200
    one = await query(site, f"{{ genre(id: {hidden}) {{ data {{ id }} }} }}", token=None)
    assert one["data"]["genre"] == {"data": None}


async def test_added_values_are_sanitized_for_the_caller(hooked_site: Site) -> None:
    [entry, *_] = (await send(hooked_site, "GET", "/api/genres?fields=name")).json["data"]
    assert entry["attributes"].keys() == {"name", "parent"}
    assert "parent" in (await app_of(hooked_site).entries(GENRE).find_many(limit=1))[0]


async def test_results_are_changed_over_rest_and_for_code(hooked_site: Site) -> None:
    found = (await send(hooked_site, "GET", "/api/authors?populate=books")).json
    assert {entry["attributes"]["name"] for entry in found["data"]} == {"***"}
    assert 2 not in [entry["id"] for entry in found["data"]]
    titles = [book["attributes"]["title"] for entry in found["data"] for book in entry["attributes"]["books"]["data"]]
    assert titles
    assert all(title.endswith(" by ***") for title in titles)
    assert (await send(hooked_site, "GET", "/api/authors/2")).status == 404
    one = (await send(hooked_site, "GET", "/api/authors/1")).json["data"]
    assert (one["id"], one["attributes"]["name"]) == (1, "***")
    authors = app_of(hooked_site).entries(AUTHOR)
    assert {entry["name"] for entry in await authors.find_many()} == {"***"}
    assert await authors.find_one(2) is None


async def test_the_response_to_a_write_equals_that_to_a_read(hooked_site: Site) -> None:
    body = {"data": {"name": "Ines"}}
    answer = (await send(hooked_site, "POST", "/api/authors", body)).json
    assert answer["data"]["attributes"]["name"] == "***"


async def test_graphql_is_closed_if_a_hook_cannot_change_its_results(hooked_site: Site) -> None:
    for text in ("{ authors { data { id } } }", "{ author(id: 1) { data { id } } }"):
        [error] = (await query(hooked_site, text))["errors"]
        assert error["extensions"]["code"] == "FORBIDDEN"


async def test_a_variable_selects_the_pages_of_types_with_and_without_hooks(hooked_site: Site) -> None:
    text = (
        "query ($s: Int) { books(pagination: {start: $s, limit: 2}) { data { id } } "
        "genres(pagination: {start: $s, limit: 2}) { data { id } } }"
    )
    for start in (2, 3, 4, 5):
        both = (await query(hooked_site, text, s=start))["data"]
        for name, found in both.items():
            alone = f"{{ {name}(pagination: {{start: {start}, limit: 2}}) {{ data {{ id }} }} }}"
            assert (await query(hooked_site, alone))["data"][name] == found, (name, start)
            assert found["data"]


async def test_other_types_are_read_with_the_same_statement(hooked_site: Site) -> None:
    counts = []
    for _ in range(2):
        before = hooked_site.database.statements
        await send(hooked_site, "GET", "/api/books?populate=author,genres")
        counts.append(hooked_site.database.statements - before)
    assert counts[-1] == 1


def test_entries_become_flat_and_nested_again(hooked_site: Site) -> None:
    registry = hooked_site.octavo.site.registry
    author: Any = {"id": 3, "attributes": {"name": "A"}}
    book = {
        "id": 1,
        "attributes": {
            "title": "T",
            "author": {"data": author},
            "genres": {"data": []},
            "cover": {"data": None},
            "vaults": {"data": {"attributes": {"count": 2}}},
            "chapters": [{"id": 1, "footnote": {"id": 2, "text": "x"}}],
            "extras": [{"id": 3, "__component": "shop.quote", "source": {"data": author}}],
        },
        "meta": {"availableLocales": []},
    }
    found = flat(book, registry.content_types[BOOK], registry)
    assert found["author"] == {"id": 3, "name": "A"}
    assert (found["genres"], found["cover"]) == ([], None)
    assert found["extras"][0]["source"] == {"id": 3, "name": "A"}
    assert nested(found, registry.content_types[BOOK], registry) == book
