"""Oversized requests are refused with little work, measured in calls and bytes instead of time."""

import json
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from graphql import execute_sync, get_introspection_query

from octavo.api.graphql.document.documents import RefusedDocument
from octavo.api.graphql.execution import executor
from octavo.api.graphql.options import Limits
from tests.api.graphql.asking import documents_of, send, served
from tests.api.graphql.document.test_documents import HOSTILE
from tests.api.graphql.recordings import schema_of
from tests.models.site import Site

MOST_CALLS = 1_000_000
"""Reading the largest allowed document needs about as many. A call takes 0.2 µs."""
MOST_BYTES = 16 * 1024**2

WORDS = " ".join(f"x{number}" for number in range(4_900))
NEAR = {
    "a wide document": "{plains{data{" + WORDS + "}}}",
    "unknown arguments": "{plains(" + WORDS.replace(" ", ":1 ") + ":1){data{id}}}",
    "variables": "query(" + " ".join(f"$v{number}:Int" for number in range(3_700)) + "){plains{data{id}}}",
    "directives": "{plains{data{id " + "@skip(if:false) " * 2_000 + "}}}",
    "spreads": "{plains{data{" + "...F " * 4_900 + "}}} fragment F on PlainEntity{id}",
    "long texts": '{plains(sort:"' + "a " * 200_000 + '"){nope}}',
    "long comments": "#" + "a " * 200_000 + "\n{nope}",
    "a megabyte of words": "{" + "a " * 500_000 + "}",
    "a megabyte of brackets": "{a" * 500_000,
    "a megabyte of quotes": '"' * 1_000_000,
    "a megabyte of fragments": "".join(f"fragment F{number} on X{{a}}" for number in range(50_000)),
}
"""Documents at the limits, or far above them."""


def calls_of(work: Callable[[], object]) -> int:
    """Return the number of calls of Python functions that the work needs."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def peak_of(work: Callable[[], object]) -> int:
    """Return the peak memory of the work, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refusing(text: str) -> Callable[[], object]:
    documents = documents_of(schema_of("kinds"), Limits())

    def work() -> None:
        with pytest.raises(RefusedDocument) as caught:
            documents.read(text)
        assert len(caught.value.errors) <= 51

    return work


DOCUMENTS = {**{name: text for name, (text, _, _) in HOSTILE.items()}, **NEAR}
LONG_LIST = "{plains(sort:[" + '"a" ' * 14_000 + "]){data{id}}}"


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_are_refused_with_little_work(text: str) -> None:
    assert calls_of(refusing(text)) < MOST_CALLS


@pytest.mark.parametrize("name", ["a wide document", "a megabyte of words", "a megabyte of fragments"])
def test_documents_are_refused_in_little_space(name: str) -> None:
    assert peak_of(refusing(NEAR[name])) < MOST_BYTES


def test_the_longest_list_is_read_with_little_work() -> None:
    documents = documents_of(schema_of("kinds"), Limits())
    assert calls_of(lambda: documents.read(LONG_LIST)) < MOST_CALLS


def test_work_grows_with_the_limits_and_not_with_the_document() -> None:
    """Once a request is too large, two or four times its size costs no more."""
    for piece in ("plains{data{id}} ", "a:id ", "...F "):
        counts = [calls_of(refusing("{" + piece * (20_000 * times) + "}")) for times in (1, 2, 4)]
        assert counts[2] <= counts[0] * 1.1, piece


def test_refused_documents_are_not_cached() -> None:
    documents = documents_of(schema_of("kinds"), Limits())
    for text in (NEAR["a megabyte of words"], "{nope}"):
        with pytest.raises(RefusedDocument):
            documents.read(text)
        assert documents._known.get(text) is None


LIST = "query ($v: [String]) { books(filters: { title: { in: $v } }) { data { id } } }"
NESTED = "query ($v: BookFiltersInput) { books(filters: $v) { data { id } } }"
SORT = "query ($v: [String]) { books(sort: $v) { data { id } } }"
JSON = "query ($v: JSON) { books(filters: { extra: { eq: $v } }) { data { id } } }"


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"not": value}
    return value


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body",
    [
        {"query": LIST, "variables": {"v": [f"{number}" for number in range(100_000)]}},
        {"query": NESTED, "variables": {"v": nested(60)}},
        {"query": NESTED, "variables": {"v": {"or": [{"id": {"eq": 1}}] * 10_000}}},
        {"query": SORT, "variables": {"v": ["id"] * 50_000}},
        {"query": JSON, "variables": {"v": {f"k{number}": number for number in range(50_000)}}},
        {"query": "{ __typename }", "variables": {f"k{number}": number for number in range(50_000)}},
        [{"query": "{" + WORDS[:1_000] + "}"}] * 10,
        [{"query": "{ __typename }"}] * 5_000,
    ],
    ids=["a list", "nesting", "alternatives", "sorting", "JSON", "unknown", "a batch", "a long batch"],
)
async def test_large_requests_cause_no_server_error(bookshop: Site, body: Any) -> None:
    answer = await send(bookshop, body)
    assert answer.status in (200, 400, 413), answer.body
    assert b"INTERNAL_SERVER_ERROR" not in answer.body


TITLES = "books(filters: { title: { in: $v } }, pagination: { limit: 1 }) { data { id } }"
REFUSED = {
    "conditions": (
        NESTED,
        {"or": [{"id": {"eq": 1}}] * 401},
        "books.filters has more than 800 attributes and conditions",
    ),
    "operands": (
        LIST,
        ["x"] * 10_001,
        "The filters compare with more than 10000 values, in books.filters",
    ),
    "operands of fields together": (
        f"query ($v: [String]) {{ authors {{ data {{ attributes {{ a: {TITLES} b: {TITLES} c: {TITLES} }} }} }} }}",
        ["x"] * 4_000,
        "The filters compare with more than 10000 values, in c.filters",
    ),
    "sorting": (SORT, [f"x{number}" for number in range(51)], "books.sort has more than 50 entries"),
}


@pytest.mark.anyio
@pytest.mark.parametrize("text, value, message", REFUSED.values(), ids=REFUSED)
async def test_arguments_that_a_database_cannot_take_are_refused(
    bookshop: Site, text: str, value: Any, message: str
) -> None:
    answer = (await send(bookshop, {"query": text, "variables": {"v": value}})).json
    assert [error["message"] for error in answer["errors"]] == [message]
    assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text, value",
    [
        (LIST, ["x"] * 10_000),
        (NESTED, {"or": [{"id": {"eq": 1}}] * 400}),
        (NESTED, {"title": {"or": ["x"] * 799}}),
        (NESTED, {"title": {"and": ["x"] * 799}}),
        (NESTED, nested(49)),
    ],
)
async def test_requests_just_below_the_limits_are_answered(bookshop: Site, text: str, value: Any) -> None:
    answer = await send(bookshop, {"query": text, "variables": {"v": value}})
    assert (answer.status, list(answer.json)) == (200, ["data"])


@pytest.mark.anyio
async def test_a_long_batch_is_not_read(bookshop: Site) -> None:
    answer = await send(bookshop, [{"query": NEAR["a wide document"]}] * 11)
    assert (answer.status, answer.body) == (400, b"A batch can have at most 10 operations.")


@pytest.mark.anyio
async def test_introspection_runs_once_for_each_document(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    reported = []

    def counted(*given: Any, **more: Any) -> Any:
        reported.append(given)
        return execute_sync(*given, **more)

    monkeypatch.setattr(executor, "execute_sync", counted)
    async with served(bookshop, introspection=True) as site:
        text = get_introspection_query()
        answers = [(await send(site, {"query": text})).body for _ in range(3)]
        assert len(set(answers)) == len(reported) == 1
        assert json.loads(answers[0])["data"]["__schema"]["queryType"]["name"] == "Query"
        two = 'query A { __type(name: "Book") { name } } query B { __type(name: "Genre") { name } }'
        for name, kind in (("A", "Book"), ("B", "Genre"), ("A", "Book")):
            answer = await send(site, {"query": two, "operationName": name})
            assert answer.json == {"data": {"__type": {"name": kind}}}
        varying = "query ($n: String!) { __type(name: $n) { name } }"
        for kind in ("Book", "Genre"):
            answer = await send(site, {"query": varying, "variables": {"n": kind}})
            assert answer.json == {"data": {"__type": {"name": kind}}}
        choosing = 'query ($b: Boolean = false) { __type(name: "Book") { name kind @include(if: $b) } }'
        for given, found in ((None, {"name": "Book"}), (True, {"name": "Book", "kind": "OBJECT"})):
            variables = {} if given is None else {"b": given}
            answer = await send(site, {"query": choosing, "variables": variables})
            assert answer.json == {"data": {"__type": found}}
