"""Mutations: drafts, order, and independent results."""

import pytest

from tests.api.graphql.asking import ask, messages
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

GENRES = """query($s: PublicationState) {
  genres(filters: { name: { startsWith: "Row " } }, sort: "id", publicationState: $s) { data { attributes { name } } }
}"""


async def names(site: Site, state: str) -> list[str]:
    answer = await ask(site, GENRES, FULL_TOKEN, s=state)
    return [entry["attributes"]["name"] for entry in answer["data"]["genres"]["data"]]


async def test_mutations_run_in_order_and_independently(scratch: Site) -> None:
    text = """mutation {
      one: createGenre(data: { name: "Row 1" }) { data { id } }
      bad: createGenre(data: { name: "Row 2", books: [99999] }) { data { id } }
      two: createGenre(data: { name: "Row 3" }) { data { id } }
    }"""
    answer = await ask(scratch, text, FULL_TOKEN)
    assert list(answer["data"]) == ["one", "bad", "two"]
    assert answer["data"]["bad"] is None
    assert int(answer["data"]["one"]["data"]["id"]) < int(answer["data"]["two"]["data"]["id"])
    assert len(messages(answer)) == 1
    assert await names(scratch, "PREVIEW") == ["Row 1", "Row 3"]
    assert await names(scratch, "LIVE") == [], "what GraphQL creates is a draft"


async def test_updates_and_deletions_return_the_entry(scratch: Site) -> None:
    made = await ask(scratch, 'mutation { it: createGenre(data: { name: "Old" }) { data { id } } }', FULL_TOKEN)
    entry = made["data"]["it"]["data"]["id"]
    update = 'mutation($i: ID!) { it: updateGenre(id: $i, data: { name: "New" }) { data { id attributes { name } } } }'
    changed = await ask(scratch, update, FULL_TOKEN, i=entry)
    assert changed == {"data": {"it": {"data": {"id": entry, "attributes": {"name": "New"}}}}}
    delete = "mutation($i: ID!) { it: deleteGenre(id: $i) { data { id attributes { name } } } }"
    assert await ask(scratch, delete, FULL_TOKEN, i=entry) == changed
    assert await ask(scratch, delete, FULL_TOKEN, i=entry) == {"data": {"it": {"data": None}}}
    assert await ask(scratch, update, FULL_TOKEN, i=entry) == {"data": {"it": {"data": None}}}


async def test_deleted_entries_have_no_relations(scratch: Site) -> None:
    inner = """data { id attributes {
      title author { __typename data { id } } genres { data { id } } cover { data { id } } gallery { data { id } }
      details { binding } chapters { title } extras { __typename } localizations { data { id } }
    } }"""
    before = (await ask(scratch, f"{{ book(id: 2) {{ {inner} }} }}", FULL_TOKEN))["data"]["book"]["data"]["attributes"]
    assert before["genres"]["data"] != []
    assert before["chapters"] != []
    deleted = await ask(scratch, f"mutation {{ it: deleteBook(id: 2) {{ {inner} }} }}", FULL_TOKEN)
    assert deleted["data"]["it"]["data"] == {
        "id": "2",
        "attributes": {
            "title": before["title"],
            "author": {"__typename": "AuthorEntityResponse", "data": None},
            "genres": {"data": []},
            "cover": {"data": None},
            "gallery": {"data": []},
            "details": None,
            "chapters": None,
            "extras": None,
            "localizations": {"data": []},
        },
    }


async def test_errors_of_updating_a_single_type_have_the_path_of_its_field(scratch: Site) -> None:
    text = "mutation { it: updateImprint(data: { details: { printedBy: 999 } }) { __typename data { id } } }"
    answer = await ask(scratch, text, FULL_TOKEN)
    assert answer["data"] == {"it": {"__typename": "ImprintEntityResponse", "data": None}}
    assert messages(answer) == ["1 relation(s) of type api::author.author associated with this entity do not exist"]


async def test_a_single_type_is_localized_whatever_the_id(scratch: Site) -> None:
    shown = "data { id attributes { locale localizations { data { attributes { locale } } } } }"
    before = (await ask(scratch, f"{{ frontPage {{ {shown} }} }}", FULL_TOKEN))["data"]["frontPage"]["data"]
    taken = {before["attributes"]["locale"]}
    taken |= {item["attributes"]["locale"] for item in before["attributes"]["localizations"]["data"]}
    free = next(code for code in ("en", "de-AT", "fr") if code not in taken)
    text = f'mutation {{ it: createFrontPageLocalization(id: 999, locale: "{free}", data: {{}}) {{ {shown} }} }}'
    made = (await ask(scratch, text, FULL_TOKEN))["data"]["it"]["data"]["attributes"]
    assert made["locale"] == free
    assert {item["attributes"]["locale"] for item in made["localizations"]["data"]} == taken


async def test_new_localizations_copy_shared_values(scratch: Site) -> None:
    localize = """mutation($i: ID!, $l: I18NLocaleCode!) {
      it: createBookLocalization(id: $i, locale: $l, data: { title: "t" }) { data { id attributes { body } } } }"""
    make = 'mutation { it: createBook(data: { title: "t", body: "b" }) { data { id } } }'
    made = (await ask(scratch, make, FULL_TOKEN))["data"]["it"]["data"]["id"]
    added = (await ask(scratch, localize, FULL_TOKEN, i=made, l="fr"))["data"]["it"]["data"]["id"]
    change = 'mutation($i: ID!) { updateBook(id: $i, data: { body: "changed" }) { data { id } } }'
    await ask(scratch, change, FULL_TOKEN, i=added)
    third = (await ask(scratch, localize, FULL_TOKEN, i=added, l="de-AT"))["data"]["it"]["data"]
    assert third["attributes"] == {"body": "changed"}
    first = await ask(scratch, "query($i: ID!) { book(id: $i) { data { attributes { body } } } }", FULL_TOKEN, i=made)
    assert first["data"]["book"]["data"]["attributes"] == {"body": "changed"}


async def test_selections_of_deleted_entries_are_validated(scratch: Site) -> None:
    made = await ask(scratch, 'mutation { it: createBook(data: { title: "Gone" }) { data { id } } }', FULL_TOKEN)
    text = """mutation($i: ID!) { deleteBook(id: $i) { data { attributes {
      chapters(sort: "nothing") { title } others: chapters(sort: "title") { title }
    } } } }"""
    answer = await ask(scratch, text, FULL_TOKEN, i=made["data"]["it"]["data"]["id"])
    assert messages(answer) == ["Invalid parameter nothing"]
    assert answer["data"]["deleteBook"]["data"]["attributes"] == {"chapters": None, "others": None}


async def test_file_rows_require_a_folder_path(scratch: Site) -> None:
    text = """mutation($p: String) { createUploadFile(data: {
      name: "a.txt", hash: "a", mime: "text/plain", size: 1, url: "/a.txt", provider: "local", folderPath: $p
    }) { data { attributes { name } } } }"""
    assert messages(await ask(scratch, text, FULL_TOKEN)) == ["folderPath must be defined."]
    made = await ask(scratch, text, FULL_TOKEN, p="/")
    assert made["data"]["createUploadFile"]["data"]["attributes"] == {"name": "a.txt"}
