"""Masks, differences by JSON path, documented reasons, and what reports never contain."""

from typing import Any

import orjson
import pytest

from octavo.operations.comparison.differences import Difference, compare
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.outcomes import cause_of
from octavo.operations.comparison.reasons import reason_for
from octavo.operations.comparison.redaction import Redaction
from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.sending import Answer

HOSTS = ("localhost:1337", "localhost:1338")


def answer(value: Any, status: int = 200) -> Answer:
    return Answer(status, "application/json", "", orjson.dumps(value))


def found(old: Any, new: Any, masks: Masks | None = None) -> list[tuple[str, str]]:
    return [(one.kind, one.place) for one in compare(answer(old), answer(new), masks or Masks(HOSTS))]


@pytest.mark.parametrize(
    "old, new, differences",
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": 2}, [("value", "$.a")]),
        ({"a": 1}, {"a": "1"}, [("type", "$.a")]),
        ({"a": 1}, {"a": True}, [("type", "$.a")]),
        ({"a": 1}, {"a": None}, [("type", "$.a")]),
        ({"a": {}}, {"a": []}, [("type", "$.a")]),
        ({"a": 1, "b": 2}, {"b": 2, "c": None}, [("missing", "$.a"), ("added", "$.c")]),
        ([1, 2, 3], [3, 1, 2], [("order", "$")]),
        ([{"a": 1}, {"a": 2}], [{"a": 1}], [("length", "$")]),
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], [("value", "$[1].a")]),
        ({"id": 1}, {"id": 7}, []),
        ({"id": "1"}, {"id": "7"}, []),
        ({"id": 1}, {"id": "1"}, [("value", "$.id")]),
        ({"id": 1}, {"id": None}, [("type", "$.id")]),
        ({"createdAt": "2026-01-02T03:04:05.678Z"}, {"createdAt": "2025-12-02T03:04:05.000Z"}, []),
        ({"createdAt": "2026-01-02T03:04:05.678Z"}, {"createdAt": "2025-12-02T03:04:05Z"}, [("value", "$.createdAt")]),
        ({"start": "2026-01-02T03:04:05.678Z"}, {"start": "2025-12-02T03:04:05.000Z"}, [("value", "$.start")]),
        ({"u": "http://localhost:1337/a"}, {"u": "https://localhost:1338/a"}, []),
        ({"u": "http://localhost:13377/a"}, {"u": "http://localhost:1338/a"}, [("value", "$.u")]),
    ],
)
def test_differences(old: Any, new: Any, differences: list[tuple[str, str]]) -> None:
    assert found(old, new) == differences


def test_masks_can_be_added_and_disabled() -> None:
    old, new = {"data": [{"id": 1, "views": 5, "likes": 1}]}, {"data": [{"id": 2, "views": 6, "likes": 2}]}
    places = [("value", "$.data[0].id"), ("value", "$.data[0].views"), ("value", "$.data[0].likes")]
    assert found(old, new, Masks(exact=("ids", "times"))) == places
    assert found(old, new, Masks(names=("views", "$.data[*].likes"))) == []
    assert found(old, new, Masks(names=("$.data.likes",))) == places[1:]


def test_responses_that_are_not_json() -> None:
    def kinds(old: Answer, new: Answer) -> list[str]:
        return [one.kind for one in compare(old, new, Masks(HOSTS))]

    text, other = (Answer(200, "text/html", "", f"<a href='http://{host}/'>".encode()) for host in HOSTS)
    image, another = Answer(200, "image/png", "", b"\x89\xff1"), Answer(200, "image/png", "", b"\x89\xff2")
    assert kinds(text, other) == []
    assert kinds(image, image) == []
    assert kinds(image, another) == ["body"]
    assert kinds(text, image) == ["content type"]
    assert kinds(answer({}), answer({}, 404)) == ["status"]
    moved = [Answer(302, location=f"http://{host}/next") for host in HOSTS]
    assert kinds(*moved) == []
    assert kinds(moved[0], Answer(302, location="/next")) == ["location"]
    assert kinds(Answer(failure="slow"), answer({})) == ["failure"]
    assert kinds(Answer(failure="slow"), Answer(failure="slow")) == []
    broken = Answer(200, "application/json", "", b'{"a":')
    assert kinds(broken, answer({"a": 1})) == ["body"]
    deep = [Answer(200, "application/json", "", b"[" * 900 + number + b"]" * 900) for number in (b"1", b"2")]
    assert kinds(*deep) == ["body"]
    many = compare(answer([*range(10_000)]), answer([*range(1, 10_001)]), Masks())
    assert len(many) == 50


REASONS: list[tuple[str, Difference, Answer, str | None]] = [
    ("/api/sale", Difference("status", (), 200, 501), answer({}, 501), "not ported"),
    ("/api/a", Difference("status", (), 200, 403), answer({"error": {"message": "Forbidden"}}, 403), None),
    (
        "/api/a",
        Difference("status", (), 200, 403),
        answer({"error": {"message": "Closed: the code that guards this route is not running"}}, 403),
        "closed",
    ),
    ("/api/a?sort=x", Difference("status", (), 500, 400), answer({}, 400), "internal error"),
    ("/api/a?filters[t][$contains]=50%25", Difference("length", ("data",), 3, 1), answer({}), "wildcards"),
    ("/api/a?filters[t][$contains]=50", Difference("length", ("data",), 3, 1), answer({}), None),
    (
        "/api/a?populate[b][limit]=2",
        Difference("length", ("data", 0, "attributes", "b", "data"), 0, 2),
        answer({}),
        "limit in populate",
    ),
    ("/api/a?populate[b][limit]=2", Difference("length", ("data",), 0, 2), answer({}), None),
    (
        "/api/a/1",
        Difference("added", ("data", "meta"), None, {"availableLocales": []}),
        answer({}),
        "available locales",
    ),
    (
        "/api/a?filters[t][$contains]=50%25",
        Difference("added", ("data", 0, "meta"), None, {}),
        answer({}),
        "available locales",
    ),
    ("/api/a/1", Difference("added", ("data", "meta"), None, {"x": 1}), answer({}), None),
    ("/graphql", Difference("missing", ("errors", 0, "extensions", "exception"), {}, None), answer({}), "stack traces"),
    ("/api/a", Difference("value", ("data", "n"), 9007199254740992, 9007199254740993), answer({}), "big integers"),
    ("/api/a", Difference("value", ("data", "n"), 9007199254740992, 9007199254741993), answer({}), None),
    ("/api/a", Difference("value", ("at",), "10:30:00.120", "10:30:00.12"), answer({}), "trailing zeros of times"),
    ("/api/a", Difference("value", ("at",), "10:30:00.000", "10:30:00"), answer({}), "trailing zeros of times"),
    ("/api/a", Difference("value", ("at",), "10:30:10", "10:30:1"), answer({}), None),
    ("/api/a", Difference("value", ("at",), "10:30:00.000", "10:30:00.01"), answer({}), None),
    ("/api/upload/files?populate=*", Difference("order", (), [1, 2], [2, 1]), answer([]), "order of files"),
    ("/api/upload/files?sort[0]=id", Difference("order", (), [1, 2], [2, 1]), answer([]), None),
    ("/api/upload/files", Difference("length", (), 2, 1), answer([]), None),
    (
        "/api/a?populate[subject][populate][0]=author",
        Difference("added", ("data", 0, "attributes", "subject", "author"), None, {}),
        answer({}),
        None,
    ),
]


@pytest.mark.parametrize("target, difference, new, name", REASONS)
def test_documented_reasons(target: str, difference: Difference, new: Answer, name: str | None) -> None:
    old = answer({}, difference.old if difference.kind == "status" else 200)
    reason = reason_for(ComparedRequest("GET", target), difference, old, new)
    assert (reason.name if reason else None) == name


def test_documented_reasons_of_graphql() -> None:
    failed = answer({"errors": [{"extensions": {"code": "INTERNAL_SERVER_ERROR"}}], "data": {"a": None}})
    query = '{"query": "{ a(filters: { title: { contains: \\"50%\\" } }) { data { id } } }"}'

    def reason(difference: Difference, old: Answer, body: str = "") -> str | None:
        found = reason_for(ComparedRequest("POST", "/graphql", body), difference, old, answer({"data": {}}))
        return found.name if found else None

    appeared = Difference("type", ("data", "a"), None, {})
    assert reason(appeared, failed) == "internal error"
    assert reason(Difference("missing", ("errors",), [], None), failed) == "internal error"
    assert reason(Difference("type", ("data", "a"), {}, None), failed) is None
    assert reason(appeared, answer({"data": {"a": None}})) is None
    assert reason(Difference("value", ("data", "total"), 3, 1), answer({}), query) == "wildcards"
    assert reason(Difference("value", ("data", "total"), 3, 1), answer({}), query.replace("%", "")) is None


def test_private_attributes_are_a_reason() -> None:
    request, response = ComparedRequest("GET", "/api/a"), answer({})
    for kind, old in (("missing", "x"), ("type", "x")):
        difference = Difference(kind, ("data", "subject", "note"), old, None)
        assert reason_for(request, difference, response, response) is None
        reason = reason_for(request, difference, response, response, frozenset({"note"}))
        assert reason is not None
        assert reason.name == "private attributes"
    shown = Difference("added", ("data", "subject", "note"), None, "x")
    assert reason_for(request, shown, response, response, frozenset({"note"})) is None


POPULATED = "/api/a?populate[subject][populate][author]=*"
AUTHOR = Difference("added", ("data", 0, "attributes", "subject", "author"), None, {})


@pytest.mark.parametrize(
    "subject, name",
    [
        ({"id": 1, "title": "x", "createdAt": "2026-01-02T03:04:05.678Z"}, "nested populate"),
        ({"id": 1, "title": "x", "__type": "api::a.a"}, "nested populate"),
        ({"id": 1, "title": "x"}, None),
        ({"id": 1, "__component": "shared.seo", "createdAt": "x"}, None),
        (None, None),
        ([], None),
    ],
)
def test_nested_populate_explains_only_polymorphic_relations(subject: Any, name: str | None) -> None:
    old = answer({"data": [{"id": 1, "attributes": {"subject": subject}}]})
    reason = reason_for(ComparedRequest("GET", POPULATED), AUTHOR, old, answer({}))
    assert (reason.name if reason else None) == name


def test_bodies_of_requests_contain_no_secrets() -> None:
    def body(query: str, variables: object = None) -> Any:
        return orjson.loads(Redaction().body(orjson.dumps({"query": query, "variables": variables}).decode()))

    assert body('{ a(password: "abc", x: { apiKey: ["d"], n: 1 }) { b(name: "Emma") } }')["query"] == (
        '{ a(password: "<hidden>", x: { apiKey: "<hidden>", n: 1 }) { b(name: "Emma") } }'
    )
    assert body("query A($p: X, $n: Int) { a(password: $p) }", {"p": "abc", "n": {"token": "d", "e": 1}}) == {
        "query": 'query A($p: X, $n: Int) { a(password: "<hidden>") }',
        "variables": {"p": "<hidden>", "n": {"token": "<hidden>", "e": 1}},
    }
    assert body('query($p: X = {token: "a"}, $token: Y = "b") { a(secret: $p) }')["query"] == (
        'query($p: X = "<hidden>", $token: Y = "<hidden>") { a(secret: "<hidden>") }'
    )
    assert Redaction().body('[{"query": "{ a(token: 1) }"}]') == '[{"query":"{ a(token: \\"<hidden>\\") }"}]'
    deep = [f'{{"query": "{{a}}", "variables": {"[" * size}{"]" * size}}}' for size in (300, 1_000)]
    assert [Redaction().body(text) for text in ("", "password=abc", *deep)] == ["", *["<hidden>"] * 3]
    target = '/graphql?query=query($p:X)+{+a(password:$p,token:"abc")+}&variables={"p":"d","n":1}'
    assert Redaction().target(target) == (
        '/graphql?query=query($p:X) { a(password:"<hidden>",token:"<hidden>") }&variables={"p":"<hidden>","n":1}'
    )
    assert (
        Redaction().target('/graphql?query={a(token:"abc"&variables={') == "/graphql?query=<hidden>&variables=<hidden>"
    )
    assert Redaction().target("/api/search?query=red%20shoes") == "/api/search?query=red shoes"


def test_reports_contain_no_secrets() -> None:
    redaction = Redaction(["own-token-of-a-role"])
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.abc_def-123"
    assert redaction.text(f"by ann@example.org, {jwt}, own-token-of-a-role") == "by <e-mail>, <token>, <token>"
    assert redaction.text("Bearer abc") == "Bearer <token>"
    assert redaction.text("a" * 64) == "<token>"
    assert redaction.text("a\x1b[31mb\n") == "a [31mb "
    target = "/api/users?filters[email][$eq]=ann%40example.org&access_token=x%26y&resetCode=5&a=1"
    assert redaction.target(target) == (
        "/api/users?filters[email][$eq]=<e-mail>&access_token=<hidden>&resetCode=<hidden>&a=1"
    )
    assert redaction.value("resetPasswordToken", "abc") == "<hidden>"
    assert redaction.value("code", "BAD_USER_INPUT") == '"BAD_USER_INPUT"'
    assert redaction.value("user", {"password": "a", "list": [{"jwt": "b"}]}) == (
        '{"password":"<hidden>","list":[{"jwt":"<hidden>"}]}'
    )
    long = redaction.value("text", f"{'x' * 19_990}ann@example.org")
    assert "@" not in long
    assert len(long) <= 203
    assert cause_of(Difference("failure", (), "ann@example.org", "status 200"), redaction) == (
        "failure <e-mail> -> status 200"
    )
