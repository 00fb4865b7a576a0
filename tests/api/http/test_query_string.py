"""Nested brackets in query strings, compared with results of JavaScript's `qs` (6.15)."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.api.http.query_string import parse_form, parse_query_string

RECORDED: list[tuple[str, dict[str, Any]]] = [
    ("a=1", {"a": "1"}),
    ("a", {"a": None}),
    ("a=", {"a": ""}),
    ("=1", {}),
    ("&&a=1&&b=2&", {"a": "1", "b": "2"}),
    ("a=1&a=2", {"a": ["1", "2"]}),
    ("a&a=&a=1", {"a": [None, "", "1"]}),
    ("a[]=1", {"a": ["1"]}),
    ("a[]", {"a": [None]}),
    ("a[]=&a[]=", {"a": ["", ""]}),
    ("a[]=1&a[]=2", {"a": ["1", "2"]}),
    ("a[0]=x&a[1]=y", {"a": ["x", "y"]}),
    ("a[1]=y&a[0]=x", {"a": ["x", "y"]}),
    ("a[2]=x&a[7]=y", {"a": ["x", "y"]}),
    ("a[99]=x", {"a": ["x"]}),
    ("a[100]=x", {"a": {"100": "x"}}),
    ("a[100]=x&a[150]=y&a=z", {"a": {"100": "x", "150": "y", "151": "z"}}),
    ("a[01]=x", {"a": {"01": "x"}}),
    ("a[-1]=x", {"a": {"-1": "x"}}),
    ("a[ 0 ]=x", {"a": {" 0 ": "x"}}),
    ("a[1e1]=x", {"a": {"1e1": "x"}}),
    ("a[b]=1", {"a": {"b": "1"}}),
    ("a[b][c]=1&a[b][d]=2", {"a": {"b": {"c": "1", "d": "2"}}}),
    ("a[b]=1&a[b]=2", {"a": {"b": ["1", "2"]}}),
    ("a[b]=1&a=2", {"a": [{"b": "1"}, "2"]}),
    ("a=2&a[b]=1", {"a": ["2", {"b": "1"}]}),
    ("a[b]=1&a=", {"a": {"b": "1"}}),
    ("a[b]=1&a", {"a": {"b": "1"}}),
    ("a&a[b]=1", {"a": [None, {"b": "1"}]}),
    ("a[]=1&a[b]=2", {"a": {"0": "1", "b": "2"}}),
    ("a[b]=2&a[]=1", {"a": {"0": "1", "b": "2"}}),
    ("a[0]=1&a[b]=2&a[c]=3", {"a": {"0": "1", "b": "2", "c": "3"}}),
    ("a[b]=1&a[0]=2", {"a": {"0": "2", "b": "1"}}),
    ("a=1&a[0]=2&a[]=3", {"a": ["1", "2", "3"]}),
    ("a[0]=1&a[0]=2", {"a": [["1", "2"]]}),
    ("a[0]=1&a[0][b]=2", {"a": ["1", {"b": "2"}]}),
    ("a[0][b]=2&a[0]=1", {"a": [{"b": "2"}, "1"]}),
    ("a[0][b]=1&a[0][c]=2&a[1][b]=3", {"a": [{"b": "1", "c": "2"}, {"b": "3"}]}),
    ("a[][b]=1&a[][c]=2", {"a": [{"b": "1", "c": "2"}]}),
    ("a[][]=1", {"a": ["1"]}),
    ("a[][0]=1&a[][0]=2", {"a": [["1", "2"]]}),
    ("a[0][0]=1&a[0][1]=2&a[1][0]=3", {"a": [["1", "2"], ["3"]]}),
    ("a[2][b]=1&a[5][c]=2", {"a": [{"b": "1"}, {"c": "2"}]}),
    ("[a]=1", {"a": "1"}),
    ("[a][b]=1", {"a": {"b": "1"}}),
    ("[]=1", {"0": "1"}),
    ("[0]=1&[1]=2", {"0": "1", "1": "2"}),
    ("a[b", {"a[b": None}),
    ("a]b=1", {"a]b": "1"}),
    ("a[b]c=1", {"a": {"b": "1"}}),
    ("a[b]c[d]e=1", {"a": {"b": {"d": "1"}}}),
    ("a[b[c]]=1", {"a[b": {"c": "1"}}),
    ("a[[b]]=1", {"a[": {"b": "1"}}),
    ("a[b]]=1", {"a": {"b": "1"}}),
    ("a=b]=c", {"a=b]": "c"}),
    ("a[b=c]=d", {"a": {"b=c": "d"}}),
    ("a==b", {"a": "=b"}),
    ("a.b=1", {"a.b": "1"}),
    ("a.b[c.d]=1", {"a.b": {"c.d": "1"}}),
    ("?a=1", {"?a": "1"}),
    ("a;b=1;c=2", {"a;b": "1;c=2"}),
    ("a=1,2", {"a": "1,2"}),
    ("a+b=c+d", {"a b": "c d"}),
    ("a%2Bb=c%2Bd", {"a+b": "c+d"}),
    ("a%20b=c%20d", {"a b": "c d"}),
    ("a%5Bb%5D=1", {"a": {"b": "1"}}),
    ("a%5bb%5d%5B%5D=1&a%5bb%5d%5B%5D=2", {"a": {"b": ["1", "2"]}}),
    ("a%255Bb%255D=1", {"a%5Bb%5D": "1"}),
    ("a=%E9", {"a": "%E9"}),
    ("a=%C3%A9&%C3%A9=b", {"a": "é", "é": "b"}),
    ("a=%ED%A0%80", {"a": "%ED%A0%80"}),
    ("a=%", {"a": "%"}),
    ("a=%zz+%41", {"a": "%zz %41"}),
    ("a=%u00e9", {"a": "%u00e9"}),
    ("a=%00", {"a": "\x00"}),
    ("a=100%25", {"a": "100%"}),
    ("é=ü", {"é": "ü"}),
    ("__proto__[a]=1", {}),
    ("a[__proto__]=1&b=2", {"b": "2"}),
    ("a[constructor][prototype]=1", {}),
    ("a[hasOwnProperty]=1&toString=2&c[valueOf]", {}),
    ("prototype=1&__PROTO__=2", {"prototype": "1", "__PROTO__": "2"}),
    ("filters[id][$in]=1&filters[id][$in]=2", {"filters": {"id": {"$in": ["1", "2"]}}}),
    (
        "filters[$or][0][a][$eq]=1&filters[$or][1][b][$eq]=2",
        {"filters": {"$or": [{"a": {"$eq": "1"}}, {"b": {"$eq": "2"}}]}},
    ),
    (
        "populate[blocks][on][shared.rich-text][fields]=body",
        {"populate": {"blocks": {"on": {"shared.rich-text": {"fields": "body"}}}}},
    ),
    ("populate[a]=true&populate=b", {"populate": [{"a": "true"}, "b"]}),
    ("sort[]=a:asc&sort[]=b", {"sort": ["a:asc", "b"]}),
]


@pytest.mark.parametrize("text, expected", RECORDED, ids=[text for text, _ in RECORDED])
def test_text_becomes_nested_values(text: str, expected: dict[str, Any]) -> None:
    assert parse_query_string(text) == expected
    if "." not in text:
        assert parse_form(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("data.name=x&data[note]=y", {"data": {"name": "x", "note": "y"}}),
        ("data.seo.title=1", {"data": {"seo": {"title": "1"}}}),
        ("data[seo].title=2", {"data": {"seo": {"title": "2"}}}),
        ("data.seo[title]=3", {"data": {"seo": {"title": "3"}}}),
        ("data%2Ename=4", {"data": {"name": "4"}}),
        (".data.name=6", {"data": {"name": "6"}}),
        ("data.name.=7", {"data": {"name": "7"}}),
        ("data[name]=a.b", {"data": {"name": "a.b"}}),
        ("data..name=5", {"data.": {"name": "5"}}),
    ],
)
def test_keys_of_forms_can_have_dots(text: str, expected: dict[str, Any]) -> None:
    assert parse_form(text) == expected


def test_empty_text_has_no_parameters() -> None:
    assert parse_query_string("") == {}


def _repeat(count: int, template: str) -> str:
    return "&".join(template.format(i) for i in range(count))


def _numbered(count: int) -> dict[str, str]:
    return {str(i): str(i) for i in range(count)}


LIMITS: list[tuple[str, Any]] = [
    (_repeat(100, "a={}"), [str(i) for i in range(100)]),
    (_repeat(101, "a={}"), _numbered(101)),
    (_repeat(100, "a[]={}"), [str(i) for i in range(100)]),
    (_repeat(120, "a[]={}"), _numbered(120)),
    (_repeat(100, "a[{0}]={0}"), [str(i) for i in range(100)]),
    (_repeat(101, "a[{0}]={0}"), _numbered(101)),
    (_repeat(100, "a[]={}") + "&a=100", [str(i) for i in range(101)]),
    (_repeat(101, "a={}") + "&a[]=101", {**_numbered(101), "0": ["0", "101"]}),
    ("a=0&a[99]=1", {"0": "0", "100": "1"}),
    ("a=0&a[150]=1&a[x]=2", {"0": "0", "151": "1", "x": "2"}),
    ("a[1]=0&a[150]=1&a[]=2", {"0": "2", "1": "0", "150": "1"}),
]


@pytest.mark.parametrize("text, expected", LIMITS, ids=[text[-20:] for text, _ in LIMITS])
def test_a_list_past_its_limit_becomes_a_dictionary(text: str, expected: Any) -> None:
    assert parse_query_string(text) == {"a": expected}


MERGED: list[tuple[str, Any]] = [
    ("a[b]=1&a=c", {"b": "1", "c": True}),
    ("a[b][c]=*&a=d&a[e]=1&a=f", {"0": "d", "1": "f", "b": {"c": "*"}, "e": "1"}),
    ("a=c&a[b]=1", ["c", {"b": "1"}]),
    ("a[b]=1&a=", {"b": "1"}),
    ("a[b]=1&a=toString", {"b": "1"}),
    ("a[b][c]=1&a[b]=d", {"b": {"c": "1", "d": True}}),
    ("a[100]=x", ["x"]),
    ("a[101]=x", {"101": "x"}),
    ("a[0]=x&a[101]=y", {"0": "x", "101": "y"}),
    (_repeat(150, "a={}"), [str(i) for i in range(150)]),
    (_repeat(150, "a[]={}"), [str(i) for i in range(150)]),
    (_repeat(101, "a[{0}]={0}"), [str(i) for i in range(101)]),
    (_repeat(102, "a[{0}]={0}"), _numbered(102)),
]


@pytest.mark.parametrize("text, expected", MERGED, ids=[text[-20:] for text, _ in MERGED])
def test_the_former_rules_merge_and_know_longer_lists(text: str, expected: Any) -> None:
    assert parse_query_string(text, merged=True) == {"a": expected}


def test_parameters_after_the_thousandth_are_ignored() -> None:
    assert list(parse_query_string(_repeat(1005, "a{}=1"))) == [f"a{i}" for i in range(1000)]


def test_nesting_past_the_limit_is_part_of_the_name() -> None:
    inner: Any = {"[l][m]": "1"}
    for name in reversed([f"k{i}" for i in range(20)]):
        inner = {name: inner}
    text = "a" + "".join(f"[k{i}]" for i in range(20)) + "[l][m]=1"
    assert parse_query_string(text) == {"a": inner}


HOSTILE = {
    "open brackets": "[" * 200_000,
    "brackets never closed": "a[b" * 60_000 + "=1",
    "closed brackets": "a" + "[b]" * 60_000,
    "parameters": _repeat(100_000, "a{}=1"),
    "items": _repeat(100_000, "a[]=1"),
    "far positions": _repeat(1000, "a[9{}]=1") + "&a=1",
    "sparse lists": _repeat(1000, "a" + "[99]" * 20 + "[{}]=1"),
    "lists in dictionaries in lists": "&".join(f"[a]{i}=1&a[b{i}]=1" for i in range(500)),
    "separators": "&" * 200_000,
    "escapes": "a=" + "%41" * 100_000,
    "huge positions": "a[" + "9" * 100_000 + "]=1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_parsed_in_linear_time(text: str) -> None:
    start = time.process_time()
    parse_query_string(text)
    parse_query_string(text, merged=True)
    assert time.process_time() - start < 2


_KEYS = st.text(st.sampled_from("abcxyz$_.é =&%"), min_size=1, max_size=5).filter(lambda key: key != "")
_VALUES = st.recursive(
    st.text(max_size=8).filter(lambda text: text.isprintable()),
    lambda inner: st.lists(inner, min_size=1, max_size=4) | st.dictionaries(_KEYS, inner, min_size=1, max_size=4),
    max_leaves=12,
)


def _serialize(prefix: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield f"{prefix}={quote(value, safe='')}"
        return
    for name, child in enumerate(value) if isinstance(value, list) else value.items():
        yield from _serialize(f"{prefix}[{quote(str(name), safe='')}]", child)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_ordinary_values_survive_the_round_trip(values: dict[str, Any]) -> None:
    parts = [part for key, value in values.items() for part in _serialize(quote(key, safe=""), value)]
    assert parse_query_string("&".join(parts)) == values


_PIECES = [
    "[",
    "]",
    "[]",
    "[0]",
    "[a]",
    "[99]",
    "[100]",
    "=",
    "&",
    "%",
    "%5B",
    "%5D",
    "%ff",
    "+",
    "a",
    "b",
    "0",
    "\ud800",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join) | st.text())
def test_no_text_is_refused(text: str) -> None:
    assert isinstance(parse_query_string(text), dict)
