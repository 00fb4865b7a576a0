"""Anonymous endpoints with hostile bodies, by counts: costly functions get no long texts, and twice the body takes at
most twice the calls.
"""

import gc
import sys
import unicodedata
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from octavo.accounts.users.stored_settings import _is_valid
from octavo.content.media.file_types import type_of
from octavo.core import text_limits
from octavo.core.mail.templates import render
from tests.api.http.asgi import Answer, call
from tests.models.club import NEVER, SAFE
from tests.models.site import Site
from tests.robustness.corpus import (
    SHAPES,
    TEXTS,
    HostileCall,
    administrator_calls,
    anonymous_calls,
    open_attacked_shop,
    sign_in_administrator,
)

pytestmark = pytest.mark.anyio

SIZE = 6000
"""Twice this size is still processed in the event loop's thread, where calls are counted."""
PATIENT = {"OCTAVO_MIDDLEWARES__REQUESTS__TIMEOUT": "1h"}
"""Calls are counted instead of time: a machine too busy to compare a password in a minute responds with 503."""
SPARE = 3000
"""How many more calls a request may take, for example for imports."""


@pytest.fixture(params=[{}, SAFE], ids=["v4", "safe"])
async def site(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Site]:
    """A bookshop without rate limits, under each profile."""
    opened = await open_attacked_shop(tmp_path, {**NEVER, **PATIENT, **request.param})
    yield opened
    await opened.database.close()


async def send(site: Site, sent: HostileCall) -> Answer:
    headers = [("Content-Type", sent.content_type)] if sent.body else []
    return await call(site.octavo.asgi, sent.method, sent.target, [*headers, *sent.headers], [sent.body])


async def body_of(site: Site, sent: HostileCall) -> bytes:
    return (await send(site, sent)).body


async def steps(site: Site, sent: HostileCall) -> int:
    """Return how many functions a request calls."""
    count = 0

    def see(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()  # finalizers, also of other tests' objects, would be counted
    sys.setprofile(see)
    try:
        answer = await send(site, sent)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert answer.status < 500, (sent.name, answer.body[:300])
    return count


async def test_twice_the_body_is_at_most_twice_the_work(site: Site) -> None:
    token = await sign_in_administrator(partial(body_of, site))
    suspects: dict[int, str] | None = None
    for size in (SIZE, SIZE - 10, SIZE - 20):  # growth is steep each time, background tasks are not
        pairs = list(zip(every_call(size, token), every_call(2 * size, token), strict=True))
        again = range(len(pairs)) if suspects is None else suspects
        suspects = {at: wrong for at in again if (wrong := await steepness(site, *pairs[at]))}
        if not suspects:
            break
    assert not suspects


def every_call(size: int, token: str) -> Iterator[HostileCall]:
    yield from anonymous_calls(size)
    yield from administrator_calls(size, token)


async def steepness(site: Site, small: HostileCall, large: HostileCall) -> str:
    """Return the problem, if twice the body takes too many more calls."""
    once, twice = await steps(site, small), await steps(site, large)
    return f"{small.name}: {once}, {twice}" if twice > 2.3 * once + SPARE else ""


async def test_nothing_longer_than_its_limit_is_normalized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = await open_attacked_shop(tmp_path, PATIENT)  # attempts are counted by normalized names
    lengths: list[int] = []

    def normalize(form: Any, text: str) -> str:
        lengths.append(len(text))
        return unicodedata.normalize(form, text)

    monkeypatch.setattr(text_limits, "unicodedata", SimpleNamespace(normalize=normalize))
    for sent in anonymous_calls(100_000):
        if "combining marks" in sent.name:
            assert (await send(site, sent)).status < 500, sent.name
    await site.database.close()
    assert lengths
    assert max(lengths) <= text_limits.MAX_IDENTIFIER


@pytest.mark.parametrize("shape", [name for name in SHAPES if "digits" in name and "point" not in name])
async def test_numbers_that_are_too_long_are_refused_with_their_position(site: Site, shape: str) -> None:
    number = SHAPES[shape](100_000)
    answer = await send(site, HostileCall("", "POST", "/api/auth/local", b'{"a":%b}' % number.encode()))
    message = answer.json["error"]["message"]
    assert answer.status == 400
    assert message == "2 errors occurred" if "negative exponent" in shape else message.startswith("Malformed JSON at ")


@pytest.mark.parametrize(
    "field, problem",
    [
        ("identifier", "must be at most 1024 characters"),
        ("username", "must be at most 255 characters"),
        ("email", "must be a valid email"),
    ],
)
async def test_a_name_that_is_too_long_is_refused_by_name_and_limit(site: Site, field: str, problem: str) -> None:
    path, given = "/api/auth/local/register", {"username": "ann", "email": "ann@example.org", "password": "secret"}
    if field == "identifier":
        path, given = "/api/auth/local", {"password": "secret"}
    body = HostileCall("", "POST", path, orjson.dumps({**given, field: TEXTS["combining marks"](90_000)}))
    problems = (await send(site, body)).json["error"]["details"]["errors"]
    assert [(one["path"], one["message"]) for one in problems] == [([field], f"{field} {problem}")]


@pytest.mark.parametrize("piece", [b"<!---->", b"<!-- -->", b"<?xml?>", b"<!doctype svg>", b"<!--", b"<?xml"])
def test_the_type_of_a_file_of_comments_is_detected(piece: bytes) -> None:
    assert type_of((piece * 4096)[:4096], "", "x") == "application/octet-stream"


def test_tags_of_a_template_that_never_end_are_not_searched_for_their_end() -> None:
    unclosed = "<%" * 300_000  # hours, if each were searched to the end of the text
    assert _is_valid(unclosed)
    assert not _is_valid(f"<%= process.env %>{unclosed}")
    assert render(f"<%= URL %>{unclosed}", {"URL": "/"}) == f"/{unclosed}"
    assert not _is_valid("${" * 50_000 + "}")
    assert _is_valid("<%= URL %>" * 5_000)
