"""The log of 503 responses: it contains the reason and no secrets, once a second for each kind."""

import asyncio
import json
import logging
from pathlib import Path

import asyncpg
import pytest

from octavo.api.graphql.execution import error_format
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.clock import Clock
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import OutageLog, reason_of
from octavo.core.threads import in_thread
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from tests.api.graphql.asking import ask, messages, send
from tests.api.http.asgi import app_with, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

LOGGER = "octavo.core.outage_log"
JSON = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]


class Hands:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self.clock = Clock(steady=lambda: self.now)


def raised(cause: Exception, reason: str = "") -> ServiceUnavailable:
    """Return an outage with a cause."""
    outage = ServiceUnavailable(reason=reason)
    outage.__cause__ = cause
    return outage


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


@pytest.mark.parametrize(
    "error, reason",
    [
        (raised(OSError(28, "No space left on device")), "OSError: [Errno 28] No space left on device"),
        (raised(asyncpg.DiskFullError("could not extend file\nDETAIL: row 7")), "DiskFullError: could not extend file"),
        (raised(ValueError("postgres://ann:secret@host/db is odd")), "ValueError: postgres://...host/db is odd"),
        (raised(ValueError("no https://s3/a?Signature=secret there")), "ValueError: no https://s3/a... there"),
        (raised(ValueError("x" * 1000)), f"ValueError: {'x' * 288}"),
        (ServiceUnavailable(reason="nothing came free"), "nothing came free"),
        (raised(TimeoutError(), "nothing came free"), "nothing came free"),
        (raised(OSError("gone"), "PostgreSQL at db"), "PostgreSQL at db: OSError: gone"),
        (ServiceUnavailable(), "ServiceUnavailable: Service Unavailable"),
    ],
)
def test_reasons(error: ServiceUnavailable, reason: str) -> None:
    assert reason_of(error) == reason


def test_each_kind_is_logged_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    hands = Hands()
    log = OutageLog(hands.clock)
    for step in (0.0, 0.4, 0.4, 0.4, 0.4):
        hands.now += step
        log.report(raised(OSError(f"gone {step}")))
        log.report(ServiceUnavailable("Too many requests are waiting", reason="9 are running"))
    assert lines(caplog) == [
        "503 Service Unavailable: OSError: gone 0.0",
        "503 Too many requests are waiting: 9 are running",
        "503 Service Unavailable: OSError: gone 0.4 (and 2 times more in 1 s)",
        "503 Too many requests are waiting: 9 are running (and 2 times more in 1 s)",
    ]
    assert {record.levelno for record in caplog.records} == {logging.ERROR}


async def test_a_full_disk_under_sqlite(own_bookshop: Site, caplog: pytest.LogCaptureFixture) -> None:
    if own_bookshop.database.dialect.name != "sqlite":
        pytest.skip("of SQLite")
    pages = await own_bookshop.database.fetch_value("PRAGMA page_count")
    await own_bookshop.database.execute_script(f"PRAGMA max_page_count={pages}")
    title = "secret words " * 20_000
    body = json.dumps({"data": {"name": "x", "extra": title, "title": "Tom", "summary": title}}).encode()
    answer = await call(own_bookshop.octavo.asgi, "POST", "/api/books", JSON, [body])
    assert answer.status == 503, answer.body
    assert lines(caplog) == ["503 Service Unavailable: FullError: database or disk is full"]


async def test_an_outage_in_graphql(
    own_bookshop: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(error_format, "report_outage", OutageLog().report)  # not yet reported in this second
    assert "errors" not in await ask(own_bookshop, "{ books { data { id } } }")
    await own_bookshop.database.close()
    answer = await send(own_bookshop, {"query": "{ authors { data { id } } }"})
    assert (answer.status, messages(answer.json)) == (503, ["Service Unavailable"])
    (line,) = lines(caplog)
    assert line.startswith("503 Service Unavailable: the database is ")


async def test_a_full_disk_for_uploads(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(request: Request) -> Response:
        await in_thread(lambda: Path("/dev/full").write_bytes(b"secret"))
        return Response(200)

    answer = await call(app_with(handler), "POST", "/here")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert lines(caplog) == [
        "503 Service Unavailable: a file cannot be written: OSError: [Errno 28] No space left on device"
    ]


async def test_an_unreachable_server(tmp_path: Path) -> None:
    database = PostgresqlDatabase(f"postgresql://ann:secret@/db?host={tmp_path}", patience=1)
    with pytest.raises(ServiceUnavailable) as refused:
        await database.fetch_value("SELECT 1")
    await database.close()
    reason = reason_of(refused.value)
    assert reason.startswith("PostgreSQL: ")
    assert "No such file" in reason
    assert "secret" not in reason


async def test_an_unknown_host_name() -> None:
    database = PostgresqlDatabase("postgresql://ann:secret@no-such-host.invalid/db", patience=1)
    with pytest.raises(ServiceUnavailable) as refused:
        await database.fetch_value("SELECT 1")
    await database.close()
    assert reason_of(refused.value).startswith("PostgreSQL at no-such-host.invalid: gaierror: ")


async def test_an_exhausted_connection_pool(sqlite_path: Path) -> None:
    database = SqliteDatabase(sqlite_path, patience=0.05)
    await database.connect()
    async with database.transaction():
        with pytest.raises(ServiceUnavailable) as refused:
            async with database.transaction():
                raise AssertionError("there is one writer")
    await database.close()
    assert reason_of(refused.value) == "none of 1 connections to the database came free in 0.05 s"


async def test_a_request_that_takes_too_long_and_one_too_many(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(request: Request) -> Response:
        await asyncio.sleep(60)
        return Response(200)

    app = app_with(handler, "GET", HttpOptions(request_seconds=0.1, max_requests=1))
    answers = await asyncio.gather(*(call(app, "GET", "/here") for _ in range(2)))
    assert [answer.status for answer in answers] == [503, 503]
    assert sorted(lines(caplog)) == [
        "503 The request took too long: no response within 0.1 s",
        "503 Too many requests are waiting: 1 are running",
    ]
