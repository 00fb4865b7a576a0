"""Lists prepared for one set of filter values answer every other one as if they were prepared for it."""

import itertools
from random import Random
from typing import Any, Final
from urllib.parse import quote

import pytest

from octavo.api.http.query_string import parse_query_string
from octavo.api.rest.list_shapes import ListShape, shape_of
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
    """Query strings with values of each kind, all single ones and some of the others."""
    random, found = Random(5), list[str]()
    for text, kinds in QUERIES:
        chosen = list(itertools.product(*kinds))
        random.shuffle(chosen)
        found += [text.format(*[quote(value) for value in values]) for values in chosen[:count]]
    return found


def test_a_shape_is_parsed_to_what_its_text_is_parsed_to() -> None:
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


def test_values_are_not_a_part_of_the_shape() -> None:
    shape = shape_of("filters[id][$gt]=5&sort=id&filters%5Btitle%5D=a+b%5D")
    assert shape == ListShape(("filters[id][$gt]=", "&sort=id&filters[title]=", ""), ("5", "a b]"))
    assert shape_of("sort=filters[a]=1") is None
    assert shape_of("&".join(f"filters[$or][{number}][id]=1" for number in range(40))) is None


async def test_every_value_is_answered_as_without_the_shape(warm: Site) -> None:
    async def answer(text: str) -> tuple[int, Any]:
        found = await warm.get(f"/api/books?{text}", FULL_TOKEN)
        return found.status, found.json

    for text in cases():
        assert await answer(text) == await answer(f"{text}&other={next(_NUMBERS)}"), text


async def test_new_values_are_not_planned_again(warm: Site) -> None:
    target = "/api/books?filters[title][$contains]={0}&filters[pages][$gt]={0}&populate=author&sort=title"
    assert (await warm.get(target.format("1"))).status == 200
    with counted_calls(own=True) as calls:
        for number in range(2, 30):
            assert (await warm.get(target.format(number))).status == 200
    assert calls["plan_read"] == calls["parse_query_string"] == 0
