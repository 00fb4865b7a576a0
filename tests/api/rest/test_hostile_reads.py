"""Hostile reads get a response or a client error, never a server error."""

from collections.abc import Iterable

import pytest

from tests.models.site import Site

pytestmark = pytest.mark.anyio


def dotted(*names: str, times: int, end: Iterable[str] = ()) -> str:
    return ".".join([*(names * times), *end])


def bracketed(key: str, values: Iterable[object]) -> str:
    return "&".join(f"{key}={value}" for value in values)


ANSWERED = {
    "deep populate": f"populate={dotted('similar', times=5)}",
    "deep brackets": "populate" + "[similar][populate]" * 4 + "=*",
    "wide populate": bracketed(
        "populate", (f"{a}.{b}.*" for a in ("similar", "sequel") for b in ("similar", "prequel"))
    ),
    "zones in zones": "populate=extras.details.printedBy.books.extras.details.printedBy.books.extras",
    "morphs in morphs": "populate=cover.related.cover.related.cover.related",
    "deep sort": f"sort={dotted('author', 'books', times=2, end=['title'])}",
    "sort by creators of others": "sort=author.createdBy.username,prequel.author.updatedBy.id:desc",
    "sort by morphs of others": "sort=sequel.firstNote.id,prequel.notesAbout.id",
    "many sorts": "sort=" + ",".join(["author.name", "genres.name", "chapters.title", "cover.name"] * 50),
    "many values": bracketed("filters[id][$in]", range(100)),
    "many alternatives": "&".join(f"filters[$or][{number}][title]={number}" for number in range(100)),
    "many conditions": "&".join(f"filters[$and][{number}][author][name][$contains]=a" for number in range(30)),
    "deep conditions": "filters" + "[$and][0]" * 9 + "[id]=1",
    "deep negations": "filters" + "[$not]" * 17 + "[id]=1",
    "a far page": "pagination[page]=9007199254740991&pagination[pageSize]=100",
    "a far start": "pagination[start]=1e300",
    "a far part": "populate[genres][limit]=1e300&populate[genres][start]=1e300",
    "a part of one": "populate[cover][limit]=1&populate[author][start]=1&populate[details][limit]=2",
    "a part of a count": "populate[genres][count]=1&populate[genres][limit]=1&populate[chapters][count]=1",
    "morphs without columns": "populate[notesAbout][fields][0]=id&populate[notesAbout][filters][id]=1",
    "numbers out of range": "filters[isbn][$gt]=1e300&filters[pages][$lt]=-99999999999999999999",
    "a price out of range": "filters[price][$lt]=1e300",
    "numbers at the edge": "filters[pages]=9223372036854775807&filters[id][$gt]=-9223372036854775808",
    "numbers of two kinds": "filters[pages][$in][0]=1&filters[pages][$in][1]=1.5&filters[price][$notIn][0]=1.25",
    "a small number": "filters[weight][$gt]=5e-324",
    "half an id": "filters[id][$eq]=1.5",
    "NUL": "filters[title][$contains]=a%00b",
    "NUL searched for": "_q=%00",
    "NUL as a locale": "locale=%00",
    "NUL among locales": "locale[0]=%00&locale[1]=en",
    "half a pair": "filters[title]=%ED%A0%80&_q=%ED%A0%80",
    "signs": "_q=%25_%27%22%5C",
    "JSON compared": "filters[extra][$eq]=x&filters[content][$contains]=Text&filters[keywords][$lt]=x",
    "flags compared": "filters[inStock][$gt]=true&filters[inStock][$contains]=t&filters[inStock][$nei]=T",
    "times as text": "filters[releaseDate][$contains]=2&filters[reviewedAt][$contains]=2&filters[opensAt][$endsWith]=5",
    "numbers as text": "filters[pages][$eqi]=10&filters[price][$startsWith]=1",
    "times at the edge": "filters[reviewedAt][$gt]=253402300799999&filters[importedAt][$lt]=-62135596800000",
    "every locale and one": "locale[0]=all&locale[1]=fr",
}


@pytest.mark.parametrize("query", ANSWERED.values(), ids=list(ANSWERED))
async def test_answered(bookshop: Site, query: str) -> None:
    answer = await bookshop.get(f"/api/books?{query}")
    assert answer.status == 200, answer.body
    assert isinstance(answer.json["data"], list)


REFUSED = {
    "populate without end": f"populate={dotted('similar', times=1500)}",
    "populate without end, in brackets": f"populate[similar][populate]={dotted('similar', times=20)}",
    "sort without end": f"sort={dotted('author', 'books', times=500, end=['title'])}",
    "populate that costs too much": f"populate={dotted('similar', times=20)}",
    "brackets that cost too much": "populate" + "[similar][populate]" * 9 + "=*",
    "times out of range": "filters[reviewedAt][$gt]=-9999999999999999",
    "dates out of range": "filters[releaseDate][$gt]=99999999999999999",
}


@pytest.mark.parametrize("query", REFUSED.values(), ids=list(REFUSED))
async def test_refused(bookshop: Site, query: str) -> None:
    answer = await bookshop.get(f"/api/books?{query}")
    assert (answer.status, answer.json["error"]["name"]) == (400, "ValidationError")


async def test_operands_that_are_not_texts_match_nothing(bookshop: Site) -> None:
    for query in ("_q=%00&locale=all", "locale=%00", "filters[title]=%00"):
        assert (await bookshop.get(f"/api/books?{query}")).json["meta"]["pagination"]["total"] == 0
