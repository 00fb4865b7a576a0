"""Lists prepared for one set of filter values respond to every other one as if they were prepared for it."""

import itertools
from random import Random
from typing import Any, Final
from urllib.parse import quote

import pytest

from octavo.api.http.query_string import parse_query_string
from octavo.api.rest.list_shapes import ListShape, Position, shape_of
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site
from tests.test_benchmarks import counted_calls

pytestmark = pytest.mark.anyio

_NUMBERS: Final = itertools.count()
TEXTS: Final = (
    "sea",
    "SEA",
    "",
    "%",
    "_",
    "a_b",
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
    "]=[",
)
NUMBERS: Final = (
    "0",
    "1",
    "3",
    "-1",
    "200",
    "2147483647",
    "2147483648",
    "9" * 30,
    "1.5",
    "-0.0",
    "1e300",
    "true",
    "x",
    "",
)
DATES: Final = ("2020-01-01", "2021-06-30T00:00:00.000Z", "1999-02-30", "x", "", "1577836800000")
FLAGS: Final = ("true", "false", "1", "0", "", "f", "x")
QUERIES: Final[tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]] = (
    ("filters[title]={}", (TEXTS,)),
    ("filters[title][$contains]={}&sort=title:desc", (TEXTS,)),
    ("filters[title][$containsi]={}&fields[0]=title", (TEXTS,)),
    ("filters[title][$notContainsi]={}", (TEXTS,)),
    ("filters[title][$eqi]={}&filters[pages][$gt]={}", (TEXTS, NUMBERS)),
    ("filters[pages][$between][0]={}&filters[pages][$between][1]={}", (NUMBERS, NUMBERS)),
    ("filters[pages][$between]={}&filters[pages][$between]={}", (NUMBERS, NUMBERS)),
    ("filters[id][$in][0]={}&filters[id][$in][1]={}&pagination[pageSize]=2", (NUMBERS, NUMBERS)),
    ("filters[id][$in][]={}&filters[id][$in][]={}", (NUMBERS, NUMBERS)),
    ("filters[id][$gt]={}&pagination[start]=0&pagination[limit]=3", (NUMBERS,)),
    ("filters[weight][$lte]={}&filters[price][$ne]={}", (NUMBERS, NUMBERS)),
    ("filters[isbn][$gte]={}", (NUMBERS,)),
    ("filters[inStock]={}", (FLAGS,)),
    ("filters[title][$null]={}&filters[pages][$lt]={}", (FLAGS, NUMBERS)),
    ("filters[releaseDate][$gte]={}", (DATES,)),
    ("filters[reviewedAt][$lt]={}&filters[createdAt][$gt]={}", (DATES, DATES)),
    ("filters[author][name][$startsWith]={}&populate=author", (TEXTS,)),
    ("filters[author][id]={}&filters[genres][name][$ne]={}", (NUMBERS, TEXTS)),
    ("filters[author]={}", (NUMBERS,)),
    ("filters[$or][0][title]={}&filters[$or][1][pages][$gt]={}", (TEXTS, NUMBERS)),
    ("filters[$not][$and][0][title][$endsWith]={}", (TEXTS,)),
    ("filters[nothing]={}", (TEXTS,)),
    ("filters[pin]={}", (TEXTS,)),
    ("filters={}&filters[title]={}", (TEXTS, TEXTS)),
    ("filters[title][$eq][constructor]={}&filters[pages]={}", (TEXTS, NUMBERS)),
    ("filters[extra][$contains]={}", (TEXTS,)),
    ("filters[chapters][title][$contains]={}&_q={}", (TEXTS, TEXTS)),
)


def cases(count: int = 24) -> list[str]:
    """Return query strings with values of each kind: all single ones and some combinations."""
    random, found = Random(5), list[str]()
    for text, kinds in QUERIES:
        chosen = list(itertools.product(*kinds))
        random.shuffle(chosen)
        found += [text.format(*[quote(value) for value in values]) for values in chosen[:count]]
    return found


def test_shapes_and_texts_are_parsed_to_the_same() -> None:
    texts = [
        *cases(),
        "filters%5Btitle%5D=a%5B+b",
        "filters[a&filters[b]=1&&filters[]=2",
        "%66ilters[a]=1&filters[b]=2",
    ]
    shapes = [(text, shape) for text in texts if (shape := shape_of(text)) is not None]
    assert len(shapes) > 400
    for text, shape in shapes:
        given = shape.given()
        assert given in (None, parse_query_string(text))
        assert given is not None or "constructor" in text, text


def test_values_are_not_part_of_the_shape() -> None:
    shape = shape_of("filters[id][$gt]=5&sort=id&filters%5Btitle%5D=a+b%5D")
    assert shape == ListShape(("filters[id][$gt]=", "&sort=id&filters[title]=", ""), ("5", "a b]"))
    assert shape_of("sort=filters[a]=1") is None
    paged = "filters[id][$gt]=5&pagination%5Bpage%5D=12&pagination[pageSize]=2"
    assert shape_of(paged) == ListShape(
        ("filters[id][$gt]=", "&pagination[page]=\0&pagination[pageSize]=2"), ("5",), Position(12, by_page=True)
    )
    assert shape_of("pagination[start]=7") == ListShape(("pagination[start]=\0",), (), Position(7, by_page=False))
    assert shape_of("pagination[page]=x") is shape_of("pagination[page]=01") is shape_of("fields[0]=id\0") is None
    assert shape_of("&".join(f"filters[$or][{number}][id]=1" for number in range(40))) is None


async def test_every_value_is_answered_as_without_the_shape(warm: Site) -> None:
    async def answer(text: str) -> tuple[int, Any]:
        found = await warm.get(f"/api/books?{text}", FULL_TOKEN)
        return found.status, found.json

    for text in cases():
        assert await answer(text) == await answer(f"{text}&other={next(_NUMBERS)}"), text


async def test_new_values_do_not_need_a_new_plan(warm: Site) -> None:
    target = "/api/books?filters[title][$contains]={0}&filters[pages][$gt]={0}&populate=author&sort=title"
    assert (await warm.get(target.format("1"))).status == 200
    with counted_calls(own=True) as calls:
        for number in range(2, 30):
            assert (await warm.get(target.format(number))).status == 200
    assert calls["plan_read"] == calls["parse_query_string"] == 0


PAGES: Final = (
    "pagination[page]={}",
    "sort=title:desc&pagination%5Bpage%5D={}&pagination[pageSize]=2",
    "pagination[page]={}&pagination[pageSize]=1&pagination[withCount]=false",
    "filters[title][$contains]=a&pagination[start]={}&pagination[limit]=3&populate=author",
    "pagination[start]={}&pagination[limit]=1&pagination[maxCount]=2",
    "filters[pages][$gt]={}&pagination[page]={}&pagination[pageSize]=2&sort=id",
    "pagination[page]={}&pagination[page]={}",
    "pagination[page]={}&pagination[page][]={}",
    "pagination[page]={}&pagination[start]=3",
    "pagination[page]={}&pagination[pageSize]=-1",
    "pagination[start]={}&pagination[limit]=-1",
    "pagination[page]={}&pagination=x",
    "pagination[page]={}&populate=*",
    "xpagination[page]={}&pagination[pageSize]=2",
)
NUMBERS_OF_PAGES: Final = ("2", "1", "3", "0", "5", "11", "51", "500", "501", "2", "999999999", "9999999999", "-1", "x")


@pytest.mark.parametrize("text", PAGES)
async def test_every_page_is_answered_as_without_the_shape(warm: Site, text: str) -> None:
    async def answer(query: str) -> tuple[int, Any]:
        found = await warm.get(f"/api/books?{query}", FULL_TOKEN)
        return found.status, found.json

    for number in NUMBERS_OF_PAGES:
        query = text.format(number, number)
        assert await answer(query) == await answer(f"{query}&other={next(_NUMBERS)}"), query


async def test_later_pages_do_not_need_a_new_plan(warm: Site) -> None:
    target = "/api/books?filters[title][$contains]={0}&sort=title&pagination[page]={0}&pagination[pageSize]=2"
    assert (await warm.get(target.format("2"))).status == 200
    with counted_calls(own=True) as calls:
        for number in range(3, 30):
            assert (await warm.get(target.format(number))).status == 200
    assert calls["plan_read"] == calls["parse_query_string"] == 0


async def test_new_values_on_the_first_page_do_not_need_a_new_plan(warm: Site) -> None:
    target = "/api/books?filters[title][$contains]={}&sort=title&pagination[page]=1&pagination[pageSize]=2"
    assert (await warm.get(target.format("2"))).status == 200
    with counted_calls(own=True) as calls:
        for number in range(3, 30):
            assert (await warm.get(target.format(number))).status == 200
    assert calls["plan_read"] == calls["parse_query_string"] == 0
