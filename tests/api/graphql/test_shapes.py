"""Operations prepared for one set of values respond to every other one as if they were prepared for it."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

import pytest

from tests.api.graphql.asking import ask, send
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site
from tests.test_benchmarks import counted_calls

pytestmark = pytest.mark.anyio

SHOWN: Final = "data { id attributes { title pages weight } } meta { pagination { total pageSize page } }"
TEXTS: Final = (
    "sea",
    "SEA",
    "",
    "%",
    "_",
    "a_b",
    "100%",
    "über",
    "İ",
    "i",
    "x\0y",
    "null",
    "1",
    " 2 ",
    "1e0",
    "🎈",
    "'",
)
NUMBERS: Final = (0, 1, 3, -1, 200, 2**31 - 1, 2**31, 2**63, 1.5, -0.0, 1e300, True, None, "5", "x")
DATES: Final = ("2020-01-01", "2021-06-30", "1999-02-30", "x", "", "9999-12-31", "0000-01-01")
MOMENTS: Final = (
    "2020-09-13T12:26:40.000Z",
    "2020-09-13",
    "2020-09-13T12:26:40+02:00",
    "x",
    "9999-12-31T23:59:59.999Z",
)
LISTS: Final[tuple[Any, ...]] = ([], [1], [1, 2], ["1", 2], [None], [1, None], ["x", 3], 4, "2,3")
PAGES: Final = (0, 1, 2, 3, 7, 30, 47, 60, 95, 96, 97, 500, 998, 9_999, 2**31 - 1, -1, None, 1.0, "5")
FILTERS: Final[tuple[Any, ...]] = (
    {},
    {"title": {"contains": "sea"}},
    {"title": {"contains": "moon"}},
    {"title": {"containsi": "SEA"}},
    {"title": {"containsi": "İ"}},
    {"title": {"notContainsi": "a"}},
    {"title": {"notContainsi": "İ"}},
    {"title": {"eq": None}},
    {"title": {"null": True}},
    {"title": {"null": False}},
    {"title": {"in": ["sea", "moon"]}},
    {"title": {"in": ["river", None]}},
    {"pages": {"between": [10, 100]}},
    {"pages": {"between": [100, 400]}},
    {"pages": {"between": [1]}},
    {"id": {"lt": "9"}},
    {"id": {"lt": "x"}},
    {"id": {"gt": 30}},
    {"id": {"between": ["3", "x"]}},
    {"id": {"between": ["3", "5"]}},
    {"isbn": {"gte": "9007199254740993"}},
    {"inStock": {"eq": True}},
    {"inStock": {"eq": False}},
    {"author": {"name": {"containsi": "r"}}},
    {"author": {"name": {"startsWith": "A"}}},
    {"author": {"id": {"eq": "2"}}},
    {"author": {"books": {"pages": {"gt": 50}}}},
    {"genres": {"name": {"ne": "x"}}},
    {"or": [{"pages": {"gt": 10}}, {"title": {"eq": "sea"}}]},
    {"or": [{"pages": {"gt": 300}}, {"title": {"eq": "moon"}}]},
    {"not": {"title": {"contains": "a"}}},
    {"and": [{"not": {"weight": {"lt": 1.5}}}, {"price": {"gte": 2}}]},
    {"extra": {"contains": "a"}},
    {"extra": {"eq": {"a": 1}}},
    {"language": {"eq": "en"}},
    {"releaseDate": {"gt": "2020-01-01"}},
    {"releaseDate": {"gt": "x"}},
    {"chapters": {"heading": {"contains": "a"}}},
    {"secretNote": {"eq": "a"}},
)

OPERATIONS: Final[tuple[tuple[str, Mapping[str, tuple[Any, ...]]], ...]] = (
    (
        "query ($id: ID) { book(id: $id) { data { id attributes { title } } } }",
        {"id": ("1", "2", 3, "03", "1e0", " 4 ", "x", "", None, 2**31, "9" * 40, "-1", "999")},
    ),
    ("query ($q: String) { books(filters: {title: {contains: $q}}) { SHOWN } }", {"q": TEXTS}),
    ("query ($q: String) { books(filters: {title: {containsi: $q}}) { SHOWN } }", {"q": TEXTS}),
    (
        "query ($q: String, $n: Int) { books(filters: {title: {startsWith: $q}, pages: {gt: $n}}) { SHOWN } }",
        {"q": TEXTS, "n": NUMBERS},
    ),
    (
        "query ($w: Float) { books(filters: {or: [{weight: {gte: $w}}, {price: {lt: $w}}]}) { SHOWN } }",
        {"w": NUMBERS},
    ),
    ("query ($b: Boolean) { books(filters: {inStock: {eq: $b}}) { SHOWN } }", {"b": (True, False, None)}),
    (
        "query ($d: Date, $m: DateTime) { books(filters: {releaseDate: {gt: $d}, reviewedAt: {lt: $m}}) { SHOWN } }",
        {"d": DATES, "m": MOMENTS},
    ),
    ("query ($ids: [ID]) { books(filters: {id: {in: $ids}}) { SHOWN } }", {"ids": LISTS}),
    (
        "query ($a: ID, $b: ID) { books(filters: {id: {in: [$a, $b, 3]}}) { SHOWN } }",
        {"a": ("1", 2, "x", None), "b": ("4", "5", "x")},
    ),
    ("query ($f: BookFiltersInput) { books(filters: $f) { SHOWN } }", {"f": FILTERS}),
    ("query ($f: BookFiltersInput) { books(filters: {or: [$f, {pages: {lt: 20}}]}) { SHOWN } }", {"f": FILTERS}),
    # a variable that is also used outside of filters is part of the prepared shape
    (
        "query ($n: Int) { books(filters: {pages: {gt: $n}}, pagination: {pageSize: $n}) { SHOWN } }",
        {"n": (1, 2, 3, 50, 0)},
    ),
    (
        "query ($q: String, $b: Boolean!) { books(filters: {title: {contains: $q}, inStock: {eq: $b}}) "
        "{ data { id attributes { title @include(if: $b) } } } }",
        {"q": ("sea", "moon"), "b": (True, False)},
    ),
    (
        "query ($q: String, $s: [String], $l: I18NLocaleCode) "
        "{ books(filters: {title: {contains: $q}}, sort: $s, locale: $l) { SHOWN } }",
        {
            "q": ("sea", "moon", "a"),
            "s": ("title", ["pages:desc", "id"], [], None),
            "l": ("en", "fr", "de-AT", "all", None),
        },
    ),
    ('query ($q: String = "sea") { books(filters: {title: {contains: $q}}) { SHOWN } }', {"q": TEXTS}),
    (
        'query ($q: String, $n: Int) { authors(sort: "id") { data { id attributes { name '
        "books(filters: {title: {contains: $q}}, pagination: {limit: $n}) { data { id } } } } } }",
        {"q": ("a", "sea", "x"), "n": (1, 2, 100)},
    ),
    (
        "query ($id: ID, $q: String) { book(id: $id) { data { id attributes "
        "{ genres(filters: {name: {contains: $q}}) { data { id } } "
        "chapters(filters: {heading: {contains: $q}}) { id } extras { __typename } } } } }",
        {"id": ("1", "2", "3", "999"), "q": ("a", "e", "x")},
    ),
    (
        "query ($q: String) { one: books(filters: {title: {contains: $q}}) { SHOWN } "
        "two: books(filters: {blurb: {contains: $q}}) { SHOWN } "
        "three: authors(filters: {name: {contains: $q}}) { data { id } } }",
        {"q": TEXTS},
    ),
    (
        'query ($s: Int, $l: Int) { books(pagination: {start: $s, limit: $l}, sort: "id") { SHOWN } }',
        {"s": PAGES, "l": (5, 3, 100, 0, -1, None, 1000)},
    ),
    (
        'query ($p: Int, $l: Int) { books(pagination: {page: $p, pageSize: $l}, sort: "id") { SHOWN } }',
        {"p": PAGES, "l": (5, 3, 100, 0, -1, None, 1000)},
    ),
    (
        "query ($p: PaginationArg, $q: [String]) { books(pagination: $p, sort: $q) { SHOWN } }",
        {
            "p": (
                *({"start": start, "limit": 5} for start in PAGES),
                *({"page": page, "pageSize": 5} for page in PAGES),
                *({"page": page} for page in PAGES),
                {"start": 3},
                {"start": 5, "page": 2},
                {"limit": 3},
                {},
                None,
            ),
            "q": ("title", ["pages:desc", "id"], None, "id"),
        },
    ),
    (  # the cursor of the first page is another statement
        "query ($s: Int) { books(pagination: {start: $s, limit: 4}) { data { id } meta { pagination { after } } } }",
        {"s": PAGES},
    ),
    (
        "query ($s: Int, $q: String) { one: books(pagination: {start: $s, limit: 4}, filters: {title: {contains: $q}}) "
        "{ SHOWN } two: authors(pagination: {page: $s, pageSize: 2}) { data { id } } }",
        {"s": PAGES, "q": ("a", "e", "x")},
    ),
    (  # pagination of a relation is part of the prepared shape
        "query ($s: Int) { authors(pagination: {start: $s, limit: 4}) { data { id attributes { "
        "books(pagination: {start: $s, limit: 2}) { data { id } } } } } }",
        {"s": PAGES},
    ),
    (
        "query ($s: Int, $b: Boolean!) { books(pagination: {start: $s, limit: $s}) { data { id } } "
        "... on Query @include(if: $b) { more: books(pagination: {start: $s, limit: 2}) { data { id } } } }",
        {"s": PAGES, "b": (True, False)},
    ),
    ("query ($s: Int = 7) { books(pagination: {start: $s, limit: 5}) { SHOWN } }", {"s": PAGES}),
    (
        "query ($q: String) { ...Books } "
        "fragment Books on Query { books(filters: {title: {contains: $q}}) { data { id } } }",
        {"q": TEXTS},
    ),
)
DOCUMENTS: Final = {document.replace("SHOWN", SHOWN): values for document, values in OPERATIONS}


def cases(document: str, random: Random, number: int) -> Iterator[dict[str, Any]]:
    """Yield sets of variables, some of which are missing."""
    choices = DOCUMENTS[document]
    for place in range(number):
        variables = {name: random.choice(values) for name, values in choices.items()}
        if place % 7 == 6:
            variables.pop(random.choice(sorted(variables)))
        yield variables


@pytest.mark.parametrize("document", DOCUMENTS, ids=map(str, range(len(DOCUMENTS))))
@pytest.mark.parametrize("token", [None, FULL_TOKEN], ids=["public", "token"])
async def test_later_values_have_the_same_response_as_first_ones(warm: Site, document: str, token: str | None) -> None:
    random, caches = Random(document), warm.octavo.infrastructure.caches
    asked = list(cases(document, random, 25))
    alone = []
    for variables in asked:
        caches.clear()
        alone.append(await _answer(warm, document, variables, token))
    for place in random.sample(range(len(asked)), len(asked)) * 2:
        assert await _answer(warm, document, asked[place], token) == alone[place], asked[place]


@pytest.mark.parametrize(
    "document, first, others",
    [
        (
            "query ($id: ID!) { book(id: $id) { data { id } } }",
            {"id": "1"},
            [{"id": "2"}, {"id": "x"}, {"id": "1e0"}],
        ),
        (
            "query ($f: BookFiltersInput, $size: Int) { books(filters: $f, pagination: {pageSize: $size}) "
            "{ data { id } meta { pagination { total } } } }",
            {"f": {"title": {"containsi": "a"}, "pages": {"in": [1, 2]}}, "size": 3},
            [{"f": {"title": {"containsi": "b"}, "pages": {"in": [3, 40]}}, "size": 3}],
        ),
        (
            "query ($q: String) { authors { data { attributes { books(filters: {title: {startsWith: $q}}) "
            "{ data { id } } } } } }",
            {"q": "a"},
            [{"q": "b"}, {"q": ""}],
        ),
        (
            "query ($s: Int, $l: Int) { books(pagination: {start: $s, limit: $l}) { data { id } } }",
            {"s": 4, "l": 3},
            [{"s": 7, "l": 3}, {"s": 1, "l": 3}, {"s": 90, "l": 3}],
        ),
        (
            "query ($p: PaginationArg, $o: [String]) { books(pagination: $p, sort: $o) { data { id } meta { pagination "
            "{ total page } } } }",
            {"p": {"page": 2, "pageSize": 3}, "o": ["title"]},
            [{"p": {"page": 3, "pageSize": 3}, "o": ["title"]}, {"p": {"page": 30, "pageSize": 3}, "o": ["title"]}],
        ),
    ],
    ids=["id", "filters", "nested", "start", "page"],
)
async def test_filter_values_do_not_need_a_new_plan(
    warm: Site, document: str, first: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    await _answer(warm, document, first, FULL_TOKEN)
    with counted_calls(own=True) as calls:
        for variables in others:
            assert (await _answer(warm, document, variables, FULL_TOKEN))[0] == 200
    assert calls["plan_read"] == calls["Selections.of"] == 0


async def test_first_early_and_late_pages_are_planned_once_each(warm: Site) -> None:
    """So are lists with other orders and sizes, requested in turn."""
    text = (
        "query ($s: Int, $l: Int, $o: [String]) { books(pagination: {start: $s, limit: $l}, sort: $o) { data { id } } }"
    )
    asked: list[dict[str, Any]] = [
        {"s": start, "l": limit, "o": order}
        for start in (0, 5, 300)
        for limit in (5, 6)
        for order in (["title"], ["pages:desc", "id"])
    ]
    for variables in asked:
        await _answer(warm, text, variables, FULL_TOKEN)
    with counted_calls(own=True) as calls:
        for step in (0, 1, 2, 3):
            for variables in asked:
                start = variables["s"] + step if variables["s"] else -step
                assert (await _answer(warm, text, {**variables, "s": start}, FULL_TOKEN))[0] == 200
    assert calls["plan_read"] == calls["Selections.of"] == 0


@pytest.mark.parametrize(
    "values, expected",
    [(["a", "b"], 0), (["a", None], 1), (["a", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"], 1)],
    ids=["text", "null", "dotted i"],
)
async def test_values_of_another_shape_need_a_new_plan(warm: Site, values: list[Any], expected: int) -> None:
    document = "query ($q: String) { books(filters: {title: {containsi: $q}}) { data { id } } }"
    await _answer(warm, document, {"q": values[0]}, FULL_TOKEN)
    with counted_calls(own=True) as calls:
        await _answer(warm, document, {"q": values[1]}, FULL_TOKEN)
    assert calls["plan_read"] == expected


ENTRY: Final = "query ($v: ID!) { book(id: $v) { data { id attributes { title } } } }"
FILTER: Final = "query ($v: String) { books(filters: {title: {eq: $v}}) { data { id } meta { pagination { total } } } }"


@pytest.mark.usefixtures("measured_quick")
@pytest.mark.parametrize("text, target, most", [(ENTRY, "/api/books/{}", 15), (FILTER, "/api/books?{}", 4)])
async def test_new_values_of_a_variable_cost_few_more_calls_than_over_rest(
    bookshop: Site, text: str, target: str, most: int
) -> None:
    """Most of the difference is the body: receiving, counting and parsing it."""

    async def rest(value: str) -> int:
        path = target.format(value if text is ENTRY else f"filters[title][$eq]={value}&fields[0]=id")
        with counted_calls(own=True) as calls:
            assert (await bookshop.get(path, FULL_TOKEN)).status == 200
        return calls.total()

    async def graphql(value: str) -> int:
        with counted_calls(own=True) as calls:
            assert (await _answer(bookshop, text, {"v": value}, FULL_TOKEN))[0] == 200
        return calls.total()

    for value in ("2", "3", "4"):
        await rest(value), await graphql(value)
    least = min([await rest(value) for value in "567891"])
    assert min([await graphql(value) for value in "567891"]) - least <= most


async def _answer(site: Site, document: str, variables: Any, token: str | None) -> tuple[int, bytes]:
    answer = await send(site, {"query": document, "variables": variables}, token)
    return answer.status, answer.body


async def test_repeated_values_are_cached(warm: Site) -> None:
    """Values that come once would displace those that come often."""
    text = "query ($id: ID) { book(id: $id) { data { id attributes { pages price } } } }"

    def entries() -> dict[str, int]:
        reports = warm.octavo.infrastructure.caches.reports()
        return {one.name: one.entries for one in reports if one.name in ("GraphQL bodies", "GraphQL operations")}

    await ask(warm, text, FULL_TOKEN, id="1")
    before = entries()
    for number in range(2, 40):
        await ask(warm, text, FULL_TOKEN, id=str(number))
    assert entries() == before
    for number in range(2, 5):
        await ask(warm, text, FULL_TOKEN, id=str(number))
    assert entries() == {name: count + 3 for name, count in before.items()}


@pytest.mark.parametrize(
    "other", ["filters: {id: {gt: $n}}", 'filters: {title: {eq: "%s"}}'], ids=["variable", "literal"]
)
async def test_a_missing_id_variable_is_null_for_later_values(warm: Site, other: str) -> None:
    declared = "($a: ID, $n: ID)" if "$n" in other else "($a: ID)"
    text = f"query {declared} {{ one: book(id: $a) {{ data {{ id }} }} many: books({other}) {{ data {{ id }} }} }}"
    for number in range(1, 8):
        document = text.replace("%s", f"Sea {number}")
        answer = await ask(warm, document, FULL_TOKEN, **({"n": number} if "$n" in text else {}))
        assert answer["data"]["one"] == {"data": None}, number
