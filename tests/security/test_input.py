"""Input, promises 16 to 21: no server error, exact paths, limits, linear time, no patterns, no SQL."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.security.conftest import Blog, Reply

TYPE = {"Content-Type": "application/json"}


def refusal_of(reply: Reply) -> tuple[int, str]:
    assert reply.json.keys() == {"data", "error"}
    return reply.refusal


@pytest.mark.parametrize(
    "query, place",
    [
        ("sort=title:up", "'up' at sort"),
        ("sort[0]=id&sort[1]=title:up", "sort.1"),
        ("publicationState=x", "publicationState"),
        ("populate[author][publicationState]=x", "populate.author.publicationState"),
        ("pagination[page]=x", "pagination.page"),
        ("filters[views][$gt]=x", "filters.views.$gt"),
        ("filters[$and][1][views]=x&filters[$and][0][id]=1", "filters.$and.1.views"),
        ("filters[views][$between]=1", "filters.views.$between"),
        ("filters=x", "filters"),
        ("fields[a]=title", "fields"),
        ("populate[author][populate][articles][sort][1]=id:up", "populate.author.populate.articles.sort"),
        ("_q[a]=x", "_q"),
    ],
)
def test_point_16_errors_contain_the_path(blog: Blog, query: str, place: str) -> None:
    status, message = refusal_of(blog.get(f"/api/articles?{query}"))
    assert (status, place in message) == (400, True), message


def test_point_16_ids_that_are_none_are_not_found(blog: Blog) -> None:
    for entry_id in (
        "0",
        "-1",
        "abc",
        "1.5",
        "1e400",
        "99999999999999999999",
        "NaN",
        "null",
        "1;",
        "%00",
        "1%20OR%201",
    ):
        for method in ("GET", "PUT", "DELETE"):
            body = b'{"data":{}}' if method == "PUT" else b""
            reply = blog.send(method, f"/api/articles/{entry_id}", "full", body, TYPE)
            assert reply.status in (400, 404), entry_id
            assert reply.json["data"] is None


def bodies_with(text: bytes) -> list[bytes]:
    """Yield bodies with a text as a value and as a key, at the top, in a component, in a list and in JSON."""
    return [
        b'{"data":{"title":"%b"}}' % text,
        b'{"data":{"title":"x","editPassword":"%b"}}' % text,
        b'{"data":{"title":"x","seo":{"metaTitle":"%b"}}}' % text,
        b'{"data":{"title":"x","blocks":[{"__component":"%b"}]}}' % text,
        b'{"data":{"title":"x","extra":{"a":["%b"]}}}' % text,
        b'{"data":{"title":"x","%b":1}}' % text,
    ]


@pytest.mark.parametrize(
    "text", [b"\\ud800", b"a\\udc00b", b"\\ud800\\ud800", b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xf0\x9f"]
)
def test_point_17_text_that_is_no_unicode_is_refused(blog: Blog, text: bytes) -> None:
    for body in bodies_with(text):
        assert refusal_of(blog.post("/api/articles", body))[0] == 400


def test_point_17_nul_never_reaches_the_database(blog: Blog) -> None:
    for body in bodies_with(b"a\\u0000b")[:4]:
        assert blog.post("/api/articles", body).status in (200, 400)
    for query in ("filters[name]=a%00b", "_q=%00", "locale=%00", "filters[name][$contains]=%00"):
        assert blog.get(f"/api/categories?{query}").data == []
    assert blog.get("/api/articles/%00").status == 400


NUMBERS = (b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"9" * 400)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", [b"views", b"bigViews", b"rating", b"price"])
def test_point_17_numbers_out_of_range_are_refused(blog: Blog, name: bytes, number: bytes) -> None:
    assert refusal_of(blog.post("/api/articles", b'{"data":{"title":"x","%b":%b}}' % (name, number)))[0] == 400


@pytest.mark.parametrize("opened, closed", [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("depth", [150, 1000, 100_000])
def test_point_17_deep_bodies_are_refused(blog: Blog, opened: bytes, closed: bytes, depth: int) -> None:
    body = b'{"data":{"title":"x","extra":' + opened * depth + b"1" + closed * depth + b"}}"
    assert refusal_of(blog.post("/api/articles", body))[0] == 400


EVENT: dict[str, Any] = {"name": "Long", "venue": {"city": "x"}, "open": True}
EXPLOSIVE = {
    "an e-mail": {"organizerEmail": "a" * 100_000 + "@" + "a." * 50_000 + "!"},
    "an e-mail of 2 kB": {"organizerEmail": "a@" + "a" * 2000},
    "an e-mail of dots": {"organizerEmail": "." * 2000 + "@" + "-." * 1000},
    "a uid": {"code": "a-" * 100_000 + "!"},
    "a pattern": {"pin": "AB-" + "1" * 300_000},
    "a link": {"pin": "A" * 300_000},
}


@pytest.mark.parametrize("data", EXPLOSIVE.values(), ids=list(EXPLOSIVE))
def test_point_18_long_texts_are_judged_at_once(blog: Blog, data: dict[str, Any]) -> None:
    began = blog.processor_seconds()
    assert refusal_of(blog.post("/api/events", EVENT | data))[0] == 400
    assert blog.processor_seconds() - began < 0.5


def test_point_19_limits_apply(blog: Blog) -> None:
    big = json.dumps({"data": {"title": "x", "body": "y" * (1 << 20)}}).encode()
    assert refusal_of(blog.post("/api/articles", big))[0] == 413
    assert refusal_of(blog.get("/api/articles?_q=" + "x" * 17_000))[0] == 414
    assert blog.get("/api/articles", **{f"X-{number}": "v" for number in range(120)}).status == 431
    filters = "filters" + "[$not]" * 25 + "[id]=1"
    assert blog.get(f"/api/articles?{filters}").status == 400
    many = "&".join(f"filters[id][$in][{number}]=1" for number in range(120))
    assert blog.get(f"/api/articles?{many}").status == 400
    ignored = "a=1&" * 1000 + "filters[id]=999999"
    assert blog.get(f"/api/articles?{ignored}").body == blog.get("/api/articles").body
    assert blog.get("/api/articles?populate=" + ".".join(["related"] * 25)).status == 400


@pytest.mark.parametrize(
    "paging",
    [
        "pagination[limit]=-1",
        "pagination[limit]=1000000",
        "pagination[pageSize]=1000000",
        "pagination[pageSize]=1e300",
        "pagination[pageSize]=Infinity",
        "pagination[limit]=-1&pagination[start]=0",
        "pagination[limit]=0x7fffffff",
    ],
)
def test_point_20_the_longest_page_is_the_longest(blog: Blog, paging: str) -> None:
    if int(blog.site.run_sql("SELECT count(*) FROM tags")[0]) < 150:
        rows = ", ".join("('filler')" for _ in range(150))
        blog.site.run_sql(f"INSERT INTO tags (label) VALUES {rows}")
    assert len(blog.get(f"/api/tags?{paging}", "full").data) == 100


@pytest.mark.parametrize(
    "operator", ["$contains", "$containsi", "$startsWith", "$endsWith", "$startsWithi", "$endsWithi"]
)
def test_point_21_patterns_are_plain_text(blog: Blog, operator: str) -> None:
    for text in ("%25", "_", "%25%25", "%5C", "__", "%5B%25%5D"):
        assert blog.get(f"/api/authors?filters[name][{operator}]={text}").data == []
    for text in ("%25", "__", "a%25r"):
        assert blog.get(f"/api/authors?_q={text}").data == []


INJECTIONS = (
    "' OR '1'='1",
    "') OR 1=1 --",
    "'; DROP TABLE articles; --",
    '" OR ""="',
    "\\' OR 1=1 --",
    "1) UNION SELECT password FROM up_users --",
    "$1",
    "?1",
    "${7*7}",
    "{{7*7}}",
)


@pytest.mark.parametrize("text", INJECTIONS)
def test_point_21_values_are_bound_and_names_come_from_the_schema(blog: Blog, text: str) -> None:
    value = quote(text)
    for place in ("filters[{0}]={1}", "filters[{0}][$in][0]={1}", "_q={1}", "filters[{0}][$endsWithi]={1}"):
        assert blog.get(f"/api/articles?{place.format('title', value)}").data == []
    assert blog.get(f"/api/categories?locale={value}").data == []
    for place in ("filters[{}]=1", "sort={}:asc", "fields={}", "sort[{}]=asc", "populate[author][sort]={}"):
        assert blog.get(f"/api/articles?{place.format(value)}").status == 400
    for place in ("populate={}", "populate[{}]=true", "populate[blocks][on][{}]=true"):
        assert blog.get(f"/api/articles?{place.format(value)}").status == 200
    made = blog.post("/api/articles", {"title": text, "slug": None})
    assert blog.get(f"/api/articles?filters[title]={value}").data[-1]["attributes"]["title"] == text
    assert blog.send("DELETE", f"/api/articles/{made.data['id']}", "full", b"", {}).status == 200
