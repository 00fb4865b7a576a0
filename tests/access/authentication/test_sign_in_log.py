"""Failed sign-ins in the log: with the client's address, and never with the client's input."""

import json
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.access.authentication import sign_in_log
from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authentication.sign_in_log import report_failed_sign_in, report_limited_sign_in
from octavo.accounts.administrators.provisioning import ensure_first_administrator
from octavo.core.clock import Clock
from octavo.core.errors import UnauthorizedError
from octavo.core.outage_log import LogFolding
from octavo.database.connection import Database
from octavo.operations.runtime.logs import JsonLines, TextLines
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import Header, call
from tests.cli.projects import database_variables, make_project
from tests.models.people import SECRETS
from tests.operations.runtime.test_operating import ROOT

pytestmark = pytest.mark.anyio

SECRET = "Hush-4711"
JSON: list[Header] = [("Content-Type", "application/json")]
FILTER = ROOT / "examples" / "fail2ban" / "octavo-filter.conf"


class Moving:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def moving(monkeypatch: pytest.MonkeyPatch) -> Moving:
    clock = Moving()
    monkeypatch.setattr(sign_in_log, "_FOLDING", LogFolding(Clock(steady=clock), most=10))
    return clock


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == "octavo.sign_in"]


def test_lines_are_limited_by_address_and_in_total(caplog: pytest.LogCaptureFixture, moving: Moving) -> None:
    for _ in range(100):
        report_failed_sign_in("user", "192.0.2.1", "ann@example.org")
    report_limited_sign_in("user", "192.0.2.1", "login")
    assert lines(caplog) == [
        "Sign-in failed from 192.0.2.1: user 'ann@example.org'",
        "Sign-in refused from 192.0.2.1: too many attempts (login)",
    ]
    for number in range(100):
        report_failed_sign_in("api_token", f"2001:db8::{number:x}")
    assert len(lines(caplog)) == 10
    moving.now = 2.0
    caplog.clear()
    report_failed_sign_in("user", "192.0.2.1")
    assert lines(caplog) == [
        "Sign-in failed from 192.0.2.1: unknown user (and 99 times more in 2 s, 92 other lines left out)"
    ]


@pytest.mark.parametrize("address", ["", "8.8.8.8: user", 'x"\n', "a" * 5000])
def test_invalid_addresses_are_not_logged(address: str, caplog: pytest.LogCaptureFixture) -> None:
    report_failed_sign_in("user", address)
    assert lines(caplog) == ["Sign-in failed from unknown: unknown user"]


@pytest.fixture(params=["sqlite", "postgresql"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Process]:
    given: dict[str, str] = {}
    if request.param == "postgresql":
        given |= database_variables(request.getfixturevalue("postgresql_url"))
    service = build(load_settings(make_project(tmp_path / "site"), given, default_mode="production"))
    await service.asgi.start()
    await ensure_first_administrator(service.database, "ann@example.org", "Right-4711")
    yield service
    await service.asgi.stop()


async def test_input_of_clients_is_never_logged(
    service: Process, caplog: pytest.LogCaptureFixture, moving: Moving
) -> None:
    async def post(path: str, body: dict[str, str]) -> int:
        moving.now += 2
        return (await call(service.asgi, "POST", path, JSON, [json.dumps(body).encode()])).status

    assert await post("/admin/login", {"email": "ann@example.org", "password": SECRET}) == 400
    assert await post("/admin/login", {"email": f"{SECRET}@example.org", "password": SECRET}) == 400
    assert await post("/api/auth/local", {"identifier": SECRET, "password": SECRET}) == 400
    moving.now += 2
    bearer = [("Authorization", f"Bearer {SECRET}")]
    assert (await call(service.asgi, "GET", "/api/stories", bearer)).status == 401
    assert lines(caplog) == [
        "Sign-in failed from 192.0.2.1: administrator 'ann@example.org'",
        "Sign-in failed from 192.0.2.1: unknown administrator",
        "Sign-in failed from 192.0.2.1: unknown user",
        "Sign-in failed from 192.0.2.1: unknown API token",
    ]
    for _ in range(5):
        await post("/api/auth/local", {"identifier": SECRET, "password": SECRET})
    assert lines(caplog)[-1] == "Sign-in refused from 192.0.2.1: too many attempts (login)"
    assert SECRET not in caplog.text
    assert {one.levelname for one in caplog.records if one.name == "octavo.sign_in"} == {"WARNING"}


async def test_an_expired_api_token_is_logged_by_its_id(people: Database, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(UnauthorizedError, match="Token expired"):
        await Authenticator(people, SECRETS).authenticate("Bearer over")
    assert lines(caplog) == ["Sign-in failed from unknown: expired API token with the ID 4"]
    fields = next(one.__dict__["fields"] for one in caplog.records if one.name == "octavo.sign_in")
    expected = {"event.name": "sign_in_failed", "api_token.id": "4", "client.address": "unknown"}
    assert fields == expected


def expressions(name: str) -> list[str]:
    """Return the values of a key of the filter, as regular expressions."""
    text = FILTER.read_text("utf-8")
    [found] = re.findall(rf"^{name} = (.*\n(?:[ ].*\n)*)", text, re.MULTILINE)
    host = r"(?P<host>[0-9a-fA-F:.]+)"
    date = {
        "%%Y": r"\d{4}",
        "%%m": r"\d\d",
        "%%d": r"\d\d",
        "%%H": r"\d\d",
        "%%M": r"\d\d",
        "%%S": r"\d\d",
        "%%f": r"\d+",
    }
    for sign, digits in date.items():
        found = found.replace(sign, digits)
    return [line.lstrip().replace("<HOST>", host) for line in found.splitlines()]


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_the_filter_for_fail2ban_finds_the_address(address: str, caplog: pytest.LogCaptureFixture) -> None:
    """Also if a name contains a text that looks like an address."""
    report_failed_sign_in("user", address, 'x", "message":"Sign-in failed from 8.8.8.8: ')
    [record] = caplog.records
    [date], [as_json, as_text] = expressions("datepattern"), expressions("failregex")
    for line, pattern in ((JsonLines().format(record), as_json), (TextLines().format(record), as_text)):
        shortened = re.sub(date if pattern is as_json else r"^\S+ \S+", "", line, count=1)
        found = re.search(pattern, shortened)
        assert found is not None, shortened
        assert found["host"] == address
        in_journal = re.search(pattern, f"web octavo[123]: {line}")
        assert in_journal is not None, line
        assert in_journal["host"] == address


def test_other_lines_do_not_match(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    text = ',"level":"warning","logger":"octavo.sign_in","message":"Sign-in failed from 8.8.8.8: '
    logging.getLogger("octavo.access").info(text, extra={"fields": {"url.path": text}})
    [date], patterns = expressions("datepattern"), expressions("failregex")
    line = re.sub(date, "", JsonLines().format(caplog.records[0]), count=1)
    assert not any(re.search(pattern, line) for pattern in patterns)
    in_journal = f"web octavo[123]: {JsonLines().format(caplog.records[0])}"
    assert not any(re.search(pattern, in_journal) for pattern in patterns)
