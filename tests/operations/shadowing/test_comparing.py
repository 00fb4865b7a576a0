"""Comparisons of recorded requests: only reads are repeated, differences are confirmed, and errors pause the
comparison."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.results import Outcome, Results
from octavo.operations.comparison.sending import Answer, Service
from octavo.operations.shadowing.comparing import Comparer, Pauses
from octavo.operations.shadowing.exchanges import Exchange, message_frame, read_frame, to_frames
from tests.cli.processes import free_port
from tests.http_services import Answer as Sent
from tests.http_services import Asked, serving

pytestmark = pytest.mark.anyio
JSON = ("Content-Type", "application/json")
TOKEN = "short-token-1"


def recorded(target: str, answer: object, method: str = "GET", body: str = "", **more: Any) -> Exchange:
    headers = [("Host", "a"), JSON, ("Authorization", f"Bearer {TOKEN}"), ("Cookie", "session=cookie-1")]
    given = {"method": method, "target": target, "headers": headers, "status": 200, "response_headers": [JSON]}
    content = orjson.dumps(answer)
    return Exchange(**{**given, "seconds": 0.01, "body": body.encode(), "response_body": content, **more})


async def compared(exchanges: list[Exchange], old_url: str, new_url: str) -> tuple[Results, list[Outcome]]:
    old, new = Service(old_url, rate=1_000), Service(new_url, rate=1_000)
    results, outcomes = Results(old_url, new_url), list[Outcome]()
    comparer = Comparer(
        old, new, Masks(), results, paths=("/api", "/graphql"), memory=10_000_000, report=outcomes.append
    )
    task = asyncio.create_task(comparer.run())
    for exchange in exchanges:
        comparer.add(exchange)
    await comparer.finish(30)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return results, outcomes


def reply(value: object) -> Sent:
    return Sent(200, json.dumps(value).encode(), {"content-type": "application/json"})


def graphql(document: str) -> str:
    return json.dumps({"query": document})


async def test_only_reads_are_repeated() -> None:
    asked: list[tuple[str, str, Mapping[str, str]]] = []

    def answer(request: Asked) -> Sent:
        asked.append((request.method, request.path, request.headers))
        return reply({"data": 1})

    value = {"data": 1}
    with serving(answer) as url:
        results, outcomes = await compared(
            [
                recorded("/api/tags", value),
                recorded("/api/tags", value, "POST", "{}"),
                recorded("/graphql", value, "POST", graphql("{ tags { data { id } } }")),
                recorded("/api/contacts", value, "POST", graphql("{ a }")),
                recorded("/graphql", value, "POST", graphql("mutation { a }")),
                recorded("/graphql", value, "POST", graphql("query A { a } mutation B { b }")),
                recorded("/graphql", value, "POST", graphql("subscription { a }")),
                recorded("/graphql?query=mutation{a}", value, "POST", graphql("{ a }")),
                recorded("/graphql?query=mutation%7Ba%7D", value),
                recorded("/graphql?qu%65ry=query%20A%7Ba%7D%20mutation%20B%7Bb%7D", value),
                recorded("/graphql?query=%7Ba%7D", value),
                recorded("/api/auth/local", value),
                recorded("/api//Auth/email-confirmation?confirmation=1", value),
                recorded("/api/%63onnect/github/callback", value),
                recorded("/admin/users", value),
            ],
            url,
            url,
        )
    assert [one[:2] for one in asked] == [
        ("GET", "/api/tags"),
        ("POST", "/graphql"),
        ("GET", "/graphql"),
    ]
    assert asked[0][2]["authorization"] == f"Bearer {TOKEN}"
    assert asked[0][2]["cookie"] == "session=cookie-1"
    assert [one.state for one in outcomes] == ["equal"] * 3
    assert results.skipped == {"writes": 8, "sign-in and account endpoints": 3, "other paths": 1}


async def test_differences_are_confirmed_and_hold_no_secrets() -> None:
    def old(request: Asked) -> Sent:
        return reply({"data": {"title": "new title" if request.path == "/api/changed" else f"{TOKEN} ann@example.org"}})

    def new(request: Asked) -> Sent:
        return reply({"data": {"title": "new title" if request.path == "/api/changed" else "cookie-1"}})

    with serving(old) as old_url, serving(new) as new_url:
        results, outcomes = await compared(
            [
                recorded("/api/changed", {"data": {"title": "old title"}}),
                recorded(f"/api/tags?email=ann@example.org&x={TOKEN}", {"data": {"title": f"{TOKEN} ann@example.org"}}),
            ],
            old_url,
            new_url,
        )
    assert [one.state for one in outcomes] == ["unstable", "different"]
    assert outcomes[1].target == "/api/tags?email=<e-mail>&x=<token>"
    (found,) = outcomes[1].differences
    assert (found.place, found.old, found.new) == ("$.data.title", '"<token> <e-mail>"', '"<token>"')
    report = json.dumps(results.as_json())
    assert not [secret for secret in (TOKEN, "cookie-1", "ann@example.org") if secret in report]


async def test_explained_differences_are_not_requested_again() -> None:
    asked: list[str] = []

    def old(request: Asked) -> Sent:
        asked.append(request.path)
        return reply({})

    with serving(old) as old_url, serving(lambda request: reply({"data": {"id": 1, "meta": {}}})) as new_url:
        results, outcomes = await compared([recorded("/api/tags/1", {"data": {"id": 1}})] * 2, old_url, new_url)
    assert [(one.state, one.differences[0].reason) for one in outcomes] == [("different", "available locales")] * 2
    assert [(group.reason, group.requests) for group in results.explained] == [("available locales", 2)]
    assert not results.unexplained
    assert asked == []


async def test_unknown_encodings_are_requested_again() -> None:
    with serving(lambda request: reply({"data": 1})) as url:
        brotli = [JSON, ("Content-Encoding", "br")]
        _, outcomes = await compared([recorded("/api/tags", 0, response_headers=brotli)], url, url)
    assert [one.state for one in outcomes] == ["equal"]


async def test_a_new_service_that_is_down() -> None:
    with serving(lambda request: reply({"data": 1})) as url:
        exchanges = [recorded(f"/api/{number}", {"data": 1}) for number in range(8)]
        results, _ = await compared(exchanges, url, f"http://127.0.0.1:{free_port()}")
    assert results.failures == {"cannot be reached": 5}
    assert results.skipped == {"pauses because Octavo did not respond": 3}
    assert not results.unexplained


def test_pauses_grow_until_the_service_responds() -> None:
    now = 0.0
    pauses = Pauses(lambda: now)
    failed, fine = Answer(failure="cannot be reached"), Answer(status=200)
    for _ in range(4):
        pauses.note(failed)
    assert not pauses.is_paused
    pauses.note(Answer(status=503))
    assert pauses.is_paused
    found = []
    for _ in range(8):
        start = now
        while pauses.is_paused:
            now += 1
        found.append(now - start)
        pauses.note(failed)
    assert found == [15, 30, 60, 120, 240, 480, 600, 600]
    now += 600
    pauses.note(fine)
    for _ in range(4):
        pauses.note(failed)
    assert not pauses.is_paused


async def test_frames_are_read_as_they_were_written() -> None:
    reader = asyncio.StreamReader()
    exchange = recorded("/api/tags", {"data": "ü"}, body="x")
    for frame in (*to_frames(exchange), message_frame({"report": True})):
        reader.feed_data(frame)
    reader.feed_eof()
    found = await read_frame(reader)
    assert isinstance(found, Exchange)
    assert (found.target, found.body, found.response_body) == ("/api/tags", b"x", exchange.response_body)
    assert [tuple(one) for one in found.headers] == exchange.headers
    assert await read_frame(reader) == {"report": True}
    with pytest.raises(asyncio.IncompleteReadError):
        await read_frame(reader)
