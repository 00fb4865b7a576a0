"""Requests that can read from replicas, by header and caller, and the position that a write returns."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import EVERYTHING, READS, permission_set
from octavo.access.authorization.preview_ability import PreviewAbility
from octavo.api.http.dispatcher import Dispatcher
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.rest.operations import RestOperation
from octavo.core.errors import BadRequestError
from octavo.database.read_positions import READER, UNKNOWN, Reader, read_newest
from octavo.operations.runtime.read_your_writes import ReadYourWrites, Written

pytestmark = pytest.mark.anyio

FIND = RestOperation(
    "GET", "/articles", "find", "", action="api::article.article.find", tag="", uid="api::article.article"
)
CREATE = RestOperation(
    "POST", "/articles", "create", "", action="api::article.article.create", tag="", uid="api::article.article"
)
USERS = RestOperation(
    "GET",
    "/users",
    "find",
    "",
    action="plugin::users-permissions.user.find",
    tag="",
    uid="plugin::users-permissions.user",
)
OWN = RestOperation("GET", "/articles/x", "", "", action="api::article.article.x", tag="", uid="api::article.article")
TOKEN = "Bearer abc"
WRITER = permission_set({"api::article.article.find", "api::article.article.create"})
VISITOR = permission_set({"api::article.article.find", "plugin::users-permissions.auth.changePassword"})


def requested(method: str, path: str, headers: list[tuple[bytes, bytes]]) -> Request:
    """Return a request without a body."""
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    return Request({**scope, "query_string": b"", "headers": headers}, receive, HttpOptions())


async def asked(
    own: ReadYourWrites,
    look: Callable[[Reader], object],
    row: RestOperation | None = FIND,
    ability: Ability | None = None,
    route: str = "",
    expected: type[BaseException] | None = None,
    **headers: str,
) -> dict[bytes, bytes]:
    """Send a request whose handler calls `look`, and return the response headers."""
    given = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    method = "GET" if row is None else row.method

    async def handler(request: Request) -> Response:
        request.operation, request.route = row, route
        request.actor = None if ability is None else Actor("user", ability)
        reader = READER.get()
        assert reader is not None
        look(reader)
        return Response(200)

    request = requested(method, "/", given)
    with nullcontext() if expected is None else pytest.raises(expected):
        await own(handler, request)
    assert READER.get() is None
    return dict(request.answered_with)


async def position() -> int:
    return 0x30


def own_writes(remembers: bool = False) -> ReadYourWrites:
    return ReadYourWrites(None, "/graphql", position, remembers=remembers)


async def test_only_public_reads_of_content_may_lag() -> None:
    seen: list[bool] = []
    for row in (FIND, CREATE, USERS, OWN, None):
        await asked(own_writes(), lambda reader: seen.append(reader.may_lag()), row)
    await asked(own_writes(), lambda reader: seen.append(reader.may_lag()), None, route="/graphql")
    assert seen == [True, False, False, False, False, True]


async def test_writers_send_their_position_or_read_the_primary() -> None:
    seen: list[tuple[bool, int]] = []

    def look(reader: Reader) -> None:
        seen.append((reader.may_lag(), reader.needed))

    own = own_writes()
    for ability in (WRITER, EVERYTHING, None, VISITOR, READS):
        await asked(own, look, ability=ability, authorization=TOKEN)
    await asked(own, look, ability=WRITER, authorization=TOKEN, octavo_position="0/10")
    await asked(own, look, ability=WRITER, authorization=TOKEN, cookie="a=b; octavo-position=0/20")
    await asked(own, look, octavo_position="0/10", cookie="octavo-position=0/20")
    await asked(own, look, ability=WRITER, authorization=TOKEN, octavo_position="nonsense")
    reported = [(True, 0x10), (True, 0x20), (True, 0x20)]
    assert seen == [(False, 0), (False, 0), (False, 0), (True, 0), (True, 0), *reported, (False, 0)]


async def test_previews_read_the_primary() -> None:
    """The front end cannot know the administrator's position, even if it sends its own."""
    seen: list[bool] = []
    preview = PreviewAbility(READS, "api::article.article")

    def look(reader: Reader) -> None:
        seen.append(reader.may_lag())

    for own in (own_writes(), own_writes(remembers=True)):
        await asked(own, look, ability=preview, authorization=TOKEN)
        await asked(own, look, ability=preview, authorization=TOKEN, octavo_position="0/10")
    assert seen == [False] * 4


async def test_a_forged_position_only_requires_newer_data() -> None:
    seen: list[int] = []
    await asked(
        own_writes(), lambda reader: seen.append(reader.may_lag() * reader.needed), octavo_position="FFFFFFFF/FFFFFFFF"
    )
    assert seen == [UNKNOWN]


async def test_a_write_returns_its_position_and_reads_the_primary_until_then() -> None:
    def write(reader: Reader) -> None:
        assert reader.may_lag()
        reader.wrote()
        assert not reader.may_lag()

    headers = await asked(own_writes(), write)
    assert headers[b"octavo-position"] == b"0/30"
    assert b"octavo-position=0/30; Max-Age=86400" in headers[b"set-cookie"]
    assert await asked(own_writes(), lambda reader: None) == {}


async def test_a_write_returns_its_position_despite_later_errors() -> None:
    def fail(reader: Reader) -> None:
        reader.wrote()
        raise BadRequestError

    def fail_before(reader: Reader) -> None:
        raise BadRequestError

    def take_too_long(reader: Reader) -> None:
        raise asyncio.CancelledError

    headers = await asked(own_writes(), fail, CREATE, expected=BadRequestError)
    assert headers[b"octavo-position"] == b"0/30"
    assert await asked(own_writes(), fail_before, CREATE, expected=BadRequestError) == {}
    headers = await asked(own_writes(), take_too_long, CREATE, expected=asyncio.CancelledError)
    assert b"octavo-position=7FFFFFFF/FFFFFFFF; Max-Age=60" in headers[b"set-cookie"]
    assert await asked(own_writes(), take_too_long, expected=asyncio.CancelledError) == {}


async def test_an_error_carries_the_position() -> None:
    async def write_and_fail(request: Request) -> Response:
        reader = READER.get()
        assert reader is not None
        reader.wrote()
        raise RuntimeError

    router = Router()
    router.add("POST", "/articles", write_and_fail)
    dispatcher = Dispatcher(router, HttpOptions(), around=own_writes())
    request = requested("POST", "/articles", [])
    response = await dispatcher.respond(request)
    assert response.status == 500
    assert dict(dispatcher.headers(request, response))[b"octavo-position"] == b"0/30"


async def test_a_process_can_remember_the_positions_of_writers() -> None:
    own, seen = own_writes(remembers=True), []

    def look(reader: Reader) -> None:
        seen.append((reader.may_lag(), reader.needed))

    await asked(own, look, ability=WRITER, authorization=TOKEN)
    await asked(own, lambda reader: reader.wrote(), CREATE, WRITER, authorization=TOKEN)
    await asked(own, look, ability=WRITER, authorization=TOKEN)
    await asked(own, look, ability=WRITER, authorization="Bearer other")
    assert seen == [(True, 0), (True, 0x30), (True, 0)]


async def test_a_change_reads_the_primary_from_its_beginning() -> None:
    def look(reader: Reader) -> None:
        read_newest()
        assert not reader.may_lag()

    await asked(own_writes(), look)
    read_newest()  # no client


def test_evicted_positions_apply_to_all_callers() -> None:
    written = Written(most=2)
    for number, credentials in enumerate((b"a", b"b", b"a", b"c"), start=1):
        written.note(credentials, number)
    assert [written.position(one) for one in (b"a", b"b", b"c", b"d")] == [3, 2, 4, 2]
