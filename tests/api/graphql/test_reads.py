"""Reads over GraphQL: responses have the shape of the selection set, for every kind of attribute.

The data is compared with REST, which the recordings and the tests of `rest/` verify, or with the content of
`models/bookshop.py`.
"""

import json
from typing import Any

import pytest

from tests.api.graphql.asking import ask, messages, send
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def data(site: Site, text: str, token: str | None = None, **variables: Any) -> Any:
    """Return the data of a response without errors."""
    answer = await ask(site, text, token, **variables)
    assert "errors" not in answer, answer
    return answer["data"]


async def rest(site: Site, target: str, token: str | None = None) -> Any:
    answer = await site.get(target, token)
    assert answer.status == 200, answer.body
    return answer.json["data"]


def ids(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["id"] for entry in entries]


# Aliases and fragments


async def test_aliases_are_the_names_in_the_response(bookshop: Site) -> None:
    text = """{
      one: book(id: 1) { it: data { key: id has: attributes { name: title slug } } }
      two: book(id: 2) { data { id attributes { title also: title } } }
    }"""
    found = await data(bookshop, text)
    first, second = [(await rest(bookshop, f"/api/books/{number}"))["attributes"] for number in (1, 2)]
    assert found == {
        "one": {"it": {"key": "1", "has": {"name": first["title"], "slug": "book-01"}}},
        "two": {"data": {"id": "2", "attributes": {"title": second["title"], "also": second["title"]}}},
    }


async def test_a_relation_can_be_selected_twice_with_different_arguments(bookshop: Site) -> None:
    text = """{ author(id: 2) { data { attributes {
      first: books(sort: "id", pagination: { limit: 1 }) { data { id } }
      last: books(sort: "id:desc", pagination: { limit: 1 }) { data { id } }
      all: books(sort: "id", pagination: { limit: 100 }) { data { id } }
    } } } }"""
    found = (await data(bookshop, text))["author"]["data"]["attributes"]
    everything = ids(found["all"]["data"])
    assert len(everything) > 1
    assert (ids(found["first"]["data"]), ids(found["last"]["data"])) == (everything[:1], everything[-1:])


async def test_an_entry_and_a_list_can_be_selected_twice(bookshop: Site) -> None:
    text = """{
      books(sort: "id", pagination: { limit: 2 }) {
        a: data { id }
        meta { pagination { total } }
        b: data { attributes { slug } }
      }
      book(id: 3) { a: data { id } __typename b: data { attributes { slug } } }
      imprint { a: data { id } b: data { attributes { lines } } }
    }"""
    found = await data(bookshop, text)
    assert list(found["books"]) == ["a", "meta", "b"]
    assert found["books"]["a"] == [{"id": "1"}, {"id": "2"}]
    assert found["books"]["b"] == [{"attributes": {"slug": "book-01"}}, {"attributes": {"slug": "book-02"}}]
    assert found["book"] == {
        "a": {"id": "3"},
        "__typename": "BookEntityResponse",
        "b": {"attributes": {"slug": "book-03"}},
    }
    assert found["imprint"] == {"a": {"id": "1"}, "b": {"attributes": {"lines": ["one", "two"]}}}


async def test_a_null_can_be_selected_twice(bookshop: Site) -> None:
    text = """{
      book(id: 999) { a: data { id } b: data { attributes { slug } } }
      books(filters: { id: { eq: 999 } }) { a: data { id } b: data { id attributes { slug } } }
    }"""
    assert await data(bookshop, text) == {"book": {"a": None, "b": None}, "books": {"a": [], "b": []}}


async def test_fragments_are_filled_in(bookshop: Site) -> None:
    text = """
      query { books(sort: "id", pagination: { limit: 2 }) { ...Page data { ... on BookEntity { ...Short } } } }
      fragment Page on BookEntityResponseCollection { meta { pagination { pageSize } } data { id } }
      fragment Short on BookEntity { attributes { slug author { ...Name } } }
      fragment Name on AuthorEntityResponse { data { attributes { name } ... { __typename } } }
    """
    found = (await data(bookshop, text))["books"]
    assert found["meta"] == {"pagination": {"pageSize": 2}}
    written = await rest(bookshop, "/api/books?sort=id&populate=author&pagination[limit]=2")
    for entry, other in zip(found["data"], written, strict=True):
        author = other["attributes"]["author"]["data"]
        assert entry == {
            "id": str(other["id"]),
            "attributes": {
                "slug": other["attributes"]["slug"],
                "author": {
                    "data": author
                    and {"attributes": {"name": author["attributes"]["name"]}, "__typename": "AuthorEntity"}
                },
            },
        }


async def test_repeated_fields_are_merged(bookshop: Site) -> None:
    text = """{
      book(id: 1) { data { attributes { details { binding } } } }
      ...More
      book(id: 1) { data { id attributes { details { weight } } } }
    }
    fragment More on Query { book(id: 1) { data { attributes { slug details { binding id } } } } }"""
    found = await data(bookshop, text)
    details = found["book"]["data"]["attributes"].pop("details")
    assert list(details) == ["binding", "id", "weight"]
    assert (details["binding"], details["weight"]) == ("hard", 0.25)
    assert found == {"book": {"data": {"attributes": {"slug": "book-01"}, "id": "1"}}}


async def test_type_names_keep_their_position(bookshop: Site) -> None:
    text = """{ __typename books(pagination: { limit: 1 }) { __typename
      data { __typename id attributes { __typename details { __typename } author { __typename }
        genres { __typename } } }
      meta { __typename pagination { __typename page } } } }"""
    found = await data(bookshop, text)
    assert found == {
        "__typename": "Query",
        "books": {
            "__typename": "BookEntityResponseCollection",
            "data": [
                {
                    "__typename": "BookEntity",
                    "id": "1",
                    "attributes": {
                        "__typename": "Book",
                        "details": {"__typename": "ComponentShopDetails"},
                        "author": {"__typename": "AuthorEntityResponse"},
                        "genres": {"__typename": "GenreRelationResponseCollection"},
                    },
                }
            ],
            "meta": {
                "__typename": "ResponseCollectionMeta",
                "pagination": {"__typename": "Pagination", "page": 1},
            },
        },
    }


# Directives

CHOSEN = """query ($yes: Boolean!, $no: Boolean = false) {
  book(id: 1) @include(if: $yes) {
    data {
      id @skip(if: $yes)
      attributes { slug @include(if: $no) ...Kept @skip(if: $no) ... on Book @include(if: $yes) { pages } }
    }
  }
  author(id: 1) @skip(if: $yes) { data { id } }
}
fragment Kept on Book { language }"""


@pytest.mark.parametrize(
    "variables, found",
    [
        ({"yes": True}, {"book": {"data": {"attributes": {"language", "pages"}}}}),
        ({"yes": True, "no": True}, {"book": {"data": {"attributes": {"slug", "pages"}}}}),
        ({"yes": False}, {"author": {"data": {"id"}}}),
    ],
)
async def test_directives_choose_by_variables(bookshop: Site, variables: Any, found: Any) -> None:
    def keys(value: Any) -> Any:
        inner = {key: keys(child) for key, child in value.items() if isinstance(child, dict)}
        return inner or set(value)

    for _ in range(2):  # the document is cached the second time; the choice must not be
        assert keys(await data(bookshop, CHOSEN, **variables)) == found


async def test_both_directives_must_agree(bookshop: Site) -> None:
    text = "{ book(id: 1) { data { id @include(if: true) @skip(if: true) attributes { slug @skip(if: false) } } } }"
    assert await data(bookshop, text) == {"book": {"data": {"attributes": {"slug": "book-01"}}}}


async def test_operations_without_selected_fields(bookshop: Site) -> None:
    assert await data(bookshop, "{ book(id: 1) @skip(if: true) { data { id } } }") == {}


# Components, dynamic zones, media, polymorphic relations

ZONE = """query ($id: ID) { book(id: $id) { data { attributes { extras {
  __typename
  ... on ComponentShopQuote { text source { data { id } } }
  ... on ComponentShopChapter { title pages footnote { text } genres(sort: "id") { data { id } } }
  ... on ComponentShopOddBanner2 { label pictures: picture(sort: "id") { data { id } } details { binding } }
  ... on Error { code message }
} } } } }"""


@pytest.mark.parametrize("number", [1, 2, 4, 7, 9, 14, 19])
async def test_dynamic_zones_show_each_kind_in_its_order(bookshop: Site, number: int) -> None:
    written = [
        {
            "__typename": "ComponentShopQuote",
            "text": f"quote {number}",
            "source": {"data": {"id": str(1 + number % 7)}},
        },
        {
            "__typename": "ComponentShopChapter",
            "title": f"chapter {number}.1",
            "pages": number + 1,
            "footnote": {"text": f"footnote {number}"},
            "genres": {"data": [{"id": "2"}, {"id": "3"}]},
        },
        {
            "__typename": "ComponentShopOddBanner2",
            "label": f"banner {number}",
            "pictures": {"data": [{"id": "1"}, {"id": "2"}]},
            "details": {"binding": "hard" if number % 2 else "soft"},
        },
    ]
    found = await data(bookshop, ZONE, id=number)
    extras = found["book"]["data"]["attributes"]["extras"]
    assert extras == [written[(number + position) % 3] for position in range(number % 5)]


async def test_union_members_without_selection_are_empty(bookshop: Site) -> None:
    text = "{ book(id: 9) { data { attributes { extras { ... on ComponentShopQuote { text } } } } } }"
    found = (await data(bookshop, text))["book"]["data"]["attributes"]["extras"]
    assert found == [{"text": "quote 9"}, {}, {}, {"text": "quote 9"}]


async def test_repeated_components_take_arguments(bookshop: Site) -> None:
    text = """{ book(id: 3) { data { attributes {
      chapters { title }
      longest: chapters(sort: "pages:desc", pagination: { limit: 1 }) { title }
      some: chapters(filters: { pages: { gt: 3 } }) { pages footnote { text } picture { data { id } } }
    } } } }"""
    found = (await data(bookshop, text))["book"]["data"]["attributes"]
    assert found["chapters"] == [{"title": f"chapter 3.{order}"} for order in range(3)]
    assert found["longest"] == [{"title": "chapter 3.2"}]
    assert found["some"] == [
        {"pages": 3 + order, "footnote": {"text": "footnote 3"}, "picture": {"data": {"id": str(order + 1)}}}
        for order in (1, 2)
    ]


async def test_media_are_files(bookshop: Site) -> None:
    text = """{ books(sort: "id", pagination: { limit: 8 }) { data { attributes {
      cover { data { id attributes { name url mime size width formats previewUrl } } }
      gallery(sort: "id") { data { id } }
    } } } }"""
    found = [entry["attributes"] for entry in (await data(bookshop, text))["books"]["data"]]
    written = await rest(
        bookshop, "/api/books?sort=id&pagination[limit]=8&populate[cover]=*&populate[gallery][sort]=id"
    )
    names = ("name", "url", "mime", "size", "width", "formats", "previewUrl")
    for shown, entry in zip(found, written, strict=True):
        cover = entry["attributes"]["cover"]["data"]
        assert shown["cover"]["data"] == (
            cover and {"id": str(cover["id"]), "attributes": {name: cover["attributes"][name] for name in names}}
        )
        assert ids(shown["gallery"]["data"]) == [
            str(file["id"]) for file in entry["attributes"]["gallery"]["data"] or []
        ]
    assert {bool(shown["cover"]["data"]) for shown in found} == {True, False}


async def test_files_list_their_related_entries(bookshop: Site) -> None:
    text = """{ uploadFiles(sort: "id") { data { id attributes { related {
      __typename ... on Author { name } ... on Book { slug } } } } } }"""
    found = (await data(bookshop, text))["uploadFiles"]["data"]
    shown = {(entry["id"], one["slug"]) for entry in found for one in entry["attributes"]["related"] if "slug" in one}
    books = await rest(bookshop, "/api/books?pagination[limit]=100&publicationState=preview&locale=all&populate=*")
    covers = {
        (str(file["id"]), book["attributes"]["slug"])
        for book in books
        for file in [book["attributes"]["cover"]["data"], *(book["attributes"]["gallery"]["data"] or [])]
        if file
    }
    assert shown <= covers
    assert shown
    authors = [one for entry in found for one in entry["attributes"]["related"] if one["__typename"] == "Author"]
    assert len(authors) == 4, "authors with odd numbers have an avatar"


SUBJECTS = """{ notes(sort: "id", pagination: { limit: 100 }) { data { attributes {
  subject { __typename ... on Book { slug } ... on Author { name books(pagination: { limit: 1 }) { data { id } } } }
  subjects { __typename ... on Book { slug } ... on Genre { rank } ... on Vault { code } }
} } } }"""


@pytest.mark.parametrize("token", [None, FULL_TOKEN])
async def test_polymorphic_relations_show_readable_types(bookshop: Site, token: str | None) -> None:
    found = [entry["attributes"] for entry in (await data(bookshop, SUBJECTS, token))["notes"]["data"]]
    kinds = [one["subject"] and one["subject"]["__typename"] for one in found]
    assert kinds == ["Author" if number % 3 == 0 else "Book" for number in range(1, 12)] + [None]
    assert found[0]["subject"] == {"__typename": "Book", "slug": "book-01"}
    shown = [
        {"__typename": "Book", "slug": "book-04"},
        {"__typename": "Genre", "rank": 10},
        {"__typename": "Book", "slug": "book-01"},
        *([{"__typename": "Vault", "code": "vault 1"}] if token else []),
    ]
    assert found[3]["subjects"] == shown


# Lists within lists


async def test_arguments_of_nested_lists(bookshop: Site) -> None:
    text = """query ($size: Int, $min: Int, $sort: [String]) {
      authors(sort: "id") { data { id attributes {
        books(filters: { pages: { gte: $min } }, sort: $sort, pagination: { limit: $size }) {
          data { id attributes { pages } } } } } } }"""
    found = (await data(bookshop, text, size=2, min=100, sort=["pages:desc"]))["authors"]["data"]
    assert [author["id"] for author in found] == [str(number) for number in range(1, 8)]
    target = "/api/authors?sort=id&populate[books][filters][pages][$gte]=100&populate[books][sort]=pages:desc"
    written = await rest(bookshop, f"{target}&populate[books][pagination][limit]=2")
    for author, other in zip(found, written, strict=True):
        books = [
            {"id": str(book["id"]), "attributes": {"pages": book["attributes"]["pages"]}}
            for book in other["attributes"]["books"]["data"]
        ]
        assert author["attributes"]["books"]["data"] == books
    assert max(len(author["attributes"]["books"]["data"]) for author in found) == 2


async def test_nested_lists_have_the_length_of_a_list(bookshop: Site) -> None:
    text = "query ($n: Int) { genres { data { attributes { books(pagination: { limit: $n }) { data { id } } } } } }"
    for limit, most in ((-1, 100), (1000, 100), (3, 3)):
        found = (await data(bookshop, text, n=limit))["genres"]["data"]
        assert 0 < max(len(entry["attributes"]["books"]["data"]) for entry in found) <= most


@pytest.mark.parametrize("state, drafts", [("LIVE", False), ("PREVIEW", True), (None, True)])
async def test_publication_state_reaches_to_one_relations(bookshop: Site, state: str | None, drafts: bool) -> None:
    text = """query ($s: PublicationState) { books(publicationState: $s, pagination: { limit: 100 }) {
      data { attributes { publishedAt shelf { data { attributes { publishedAt } } } } } } }"""
    found = [entry["attributes"] for entry in (await data(bookshop, text, s=state))["books"]["data"]]
    shelves = [book["shelf"]["data"]["attributes"] for book in found if book["shelf"]["data"]]
    assert any(book["publishedAt"] is None for book in found) is drafts
    assert any(shelf["publishedAt"] is None for shelf in shelves) is drafts


# Nulls


@pytest.mark.parametrize(
    "arguments",
    ["filters: null", "sort: null", "pagination: null", "sort: [null]", "filters: { and: null }", "filters: {}"],
)
async def test_null_arguments_are_ignored(bookshop: Site, arguments: str) -> None:
    plain = await data(bookshop, "{ books { data { id } } }")
    assert await data(bookshop, f"{{ books({arguments}) {{ data {{ id }} }} }}") == plain


async def test_missing_variables_use_defaults(bookshop: Site) -> None:
    text = """query ($f: BookFiltersInput, $p: PaginationArg, $s: [String], $st: PublicationState, $n: Int = 2) {
      a: books(filters: $f, pagination: $p, sort: $s, publicationState: $st) { data { id } }
      b: books(pagination: { limit: $n }) { data { id } }
    }"""
    found = await data(bookshop, text)
    assert found["a"] == (await data(bookshop, "{ books { data { id } } }"))["books"]
    assert len(found["b"]["data"]) == 2


async def test_null_is_a_value_to_look_for(bookshop: Site) -> None:
    text = 'query ($f: AuthorFiltersInput) { authors(filters: $f, sort: "id") { data { id attributes { born } } } }'
    three = {"authors": {"data": [{"id": "3", "attributes": {"born": None}}]}}
    for given in ({"born": {"eq": None}}, {"born": {"null": True}}, {"born": None}):
        assert await data(bookshop, text, f=given) == three
    others = (await data(bookshop, text, f={"born": {"notNull": True}}))["authors"]["data"]
    assert ids(others) == ["1", "2", "4", "5", "6", "7"]


async def test_missing_entries_are_null(bookshop: Site) -> None:
    text = """{ book(id: 999) { data { id } } none: book { data { id } }
      author(id: 1) { data { attributes { rival { data { id } } } } } }"""
    found = await data(bookshop, text)
    assert found == {
        "book": {"data": None},
        "none": {"data": None},
        "author": {"data": {"attributes": {"rival": {"data": None}}}},
    }


async def test_values_keep_their_types(bookshop: Site) -> None:
    text = """{ book(id: 4) { data { attributes { blurb language pages isbn weight price inStock releaseDate opensAt
      reviewedAt importedAt extra content keywords ISBN13Code order select pin details { id } } } } }"""
    shown = (await data(bookshop, text))["book"]["data"]["attributes"]
    entry = (await rest(bookshop, "/api/books/4?populate=details"))["attributes"]
    renamed = {"de-AT": "de_AT", "Ελληνικά": "Ellinika"}
    assert shown.pop("language") == (renamed.get(entry["language"], entry["language"]))
    assert (shown.pop("pin"), shown.pop("details")) == (None, None)
    assert shown["isbn"] == "9780000000000004"
    for name, other in (("importedAt", shown.pop("importedAt")), ("opensAt", shown.pop("opensAt"))):
        assert (other is None) == (entry[name] is None)
    assert shown == {name: entry[name] for name in shown}


async def test_root_fields_are_answered_in_their_order_whatever_fails(bookshop: Site) -> None:
    text = """{ last: authors(sort: "id", pagination: { limit: 1 }) { data { id } }
      bad: books(sort: "nope") { data { id } } __typename
      secret: vaults { data { id } } first: genre(id: 1) { data { id } } }"""
    answer = await ask(bookshop, text)
    assert list(answer["data"]) == ["last", "bad", "__typename", "secret", "first"]
    assert (answer["data"]["bad"], answer["data"]["secret"]) == (None, None)
    assert (answer["data"]["last"], answer["data"]["first"]) == ({"data": [{"id": "1"}]}, {"data": {"id": "1"}})
    assert len(messages(answer)) == 2


async def test_the_answer_is_the_same_text_each_time(bookshop: Site) -> None:
    body = {"query": SUBJECTS}
    answers = {(await send(bookshop, body)).body for _ in range(3)}
    assert len(answers) == 1
    assert json.loads(answers.pop())["data"]["notes"]["data"]
