"""The log of a server: the format of its lines, and data that it never contains."""

import asyncio
import json
import logging
import os
import re
import time
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import httpx2
import pytest
import uvloop

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import NOTHING
from octavo.api.http.application import HttpApplication
from octavo.api.http.request import Request
from octavo.api.http.request_ids import name_of
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.events.origin import WORK, Origin
from octavo.operations.runtime.logs import JsonLines, TextLines, set_up_log
from octavo.operations.telemetry.observer import AllObservers
from octavo.settings import SettingsError, load_settings
from tests.api.http.asgi import answer_path_values, ask, call


def set_up(project: Path, **variables: str) -> None:
    set_up_log(load_settings(project, {f"OCTAVO_SERVER__LOG__{name}": text for name, text in variables.items()}))


def test_urls_of_outgoing_requests_are_not_logged(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.INFO)
    set_up(tmp_path)
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))
    with httpx2.Client(transport=transport) as client:
        client.post("https://chat.example.org/services/secret")
    assert "secret" not in caplog.text


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def record(message: str, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("octavo.api.http", logging.WARNING, "x.py", 1, message, (), None)
    made.__dict__ |= more
    return made


class Named(Origin):
    id = "seventeen"


def test_a_line_names_its_request() -> None:
    token = WORK.set(Named("rest"))
    try:
        text, reported = TextLines().format(record("late")), json.loads(JsonLines().format(record("late")))
        named = TextLines().format(record("seventeen is late"))
    finally:
        WORK.reset(token)
    assert text.endswith(" WARNING octavo.api.http: late [seventeen]")
    assert named.endswith(": seventeen is late")
    assert (reported["level"], reported["message"], reported["request.id"]) == ("warning", "late", "seventeen")
    token = WORK.set(Origin("code"))
    try:
        assert "request.id" not in json.loads(JsonLines().format(record("late")))
    finally:
        WORK.reset(token)


def test_an_event_is_one_line_of_json() -> None:
    try:
        raise ValueError("a\nb")
    except ValueError as error:
        trouble = (ValueError, error, error.__traceback__)
    line = JsonLines().format(record("two\nlines", exc_info=trouble, fields={"status": 500, "path": "/\ud800"}))
    assert "\n" not in line
    reported = json.loads(line)
    assert (reported["message"], reported["status"], reported["path"]) == ("two\nlines", "500", "/?")
    assert reported["exception.stacktrace"].endswith("ValueError: a\nb")


@pytest.mark.parametrize("created", [0.0, 1.0005, 1700000000.9996, 1700000001.0, 1700000000.25])
def test_lines_have_timestamps(created: float) -> None:
    lines = JsonLines()
    for moment in (created, created + 0.25, created):
        reported = json.loads(lines.format(record("now", created=moment)))["time"]
        assert reported == datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


def test_unknown_levels_are_refused(tmp_path: Path) -> None:
    expected = r'server\.log\.levels\."octavo\.api\.http": expected one of debug, info, warning, error, not "loud"'
    with pytest.raises(SettingsError, match=expected):
        set_up(tmp_path, LEVELS='{"octavo.api.http": "loud"}')


@pytest.mark.parametrize(
    "headers, name",
    [
        ([("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01"), ("x-request-id", "from-the-proxy")], TRACE),
        ([("traceparent", f"cc-{TRACE}-00f067aa0ba902b7-01-more")], TRACE),
        ([("x-request-id", "from-the-proxy")], "from-the-proxy"),
        ([("traceparent", f"ff-{TRACE}-00f067aa0ba902b7-01")], None),
        ([("traceparent", f"00-{'0' * 32}-00f067aa0ba902b7-01")], None),
        ([("x-request-id", 'a line"\tmore')], None),
        ([("x-request-id", "a" * 65)], None),
        ([], None),
    ],
)
@pytest.mark.parametrize("path, status", [("/here/1", 200), ("/nowhere", 404)])
def test_answers_name_their_request(headers: list[tuple[str, str]], name: str | None, path: str, status: int) -> None:
    answer = ask(watched(), "GET", path, headers)
    reported = answer.headers["x-request-id"]
    assert answer.status == status
    assert reported == name if name else len(reported) == 32 and int(reported, 16)


def test_request_ids_are_unique() -> None:
    assert len({name_of({}) for _ in range(1000)}) == 1000


def watched(sample: int = 1) -> HttpApplication:
    async def fail(request: Request) -> Response:
        raise RuntimeError("at the handler")

    router = Router()
    router.add("GET", "/here/:id", answer_path_values)
    router.add("GET", "/fail", fail)
    app = HttpApplication(router)
    app.look = AllObservers(lambda *_: None, inf, None, sample)
    return app


def test_the_access_log_contains_a_sample_and_all_errors(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    app = watched(sample=3)
    for path in ("/here/1", "/here/2", "/here/3", "/fail", "/here/5", "/nope", "/here/7"):
        ask(app, "GET", f"{path}?secret=hush")
    reported = [item.__dict__["fields"] for item in caplog.records if item.name == "octavo.access"]
    assert [(one["url.path"], one["http.route"], one["http.response.status_code"]) for one in reported] == [
        ("/here/3", "/here/:id", 200),
        ("/fail", "/fail", 500),
        ("/nope", "", 404),
    ]
    assert "hush" not in caplog.text
    line, about = caplog.records[0], "%(levelname)s %(name)s %(threadName)s %(process)d %(message)s"
    text = logging.Formatter(about).format(line)
    shown = rf"INFO octavo\.access MainThread {os.getpid()} GET '/here/3' 200 in \d+\.\d\d ms for 192\.0\.2\.1"
    assert re.fullmatch(shown, text)


def test_the_access_log_names_the_client(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    app = watched()
    app.look = AllObservers(lambda *_: None, inf, None, 1, lambda header: Actor("api-token", NOTHING, id=7))
    ask(app, "GET", "/here/1", [("User-Agent", "curl/8\x07" + "x" * 500), ("X-Request-Id", "from-the-proxy")])
    [found] = [item for item in caplog.records if item.name == "octavo.access"]
    reported = json.loads(JsonLines().format(found))
    seconds = reported.pop("http.server.request.duration")
    assert 0 < seconds < 60
    assert {name: reported[name] for name in reported if "." in name} == {
        "process.pid": os.getpid(),
        "http.request.method": "GET",
        "url.path": "/here/1",
        "http.route": "/here/:id",
        "http.response.status_code": 200,
        "http.response.body.size": 11,
        "client.address": "192.0.2.1",
        "user_agent.original": "curl/8?" + "x" * 193,
        "user.id": "api-token:7",
    }


def test_durations_are_finer_than_a_millisecond() -> None:
    """The event loop's clock counts whole milliseconds, and does not advance while a handler computes."""

    async def compute(request: Request) -> Response:
        until = time.monotonic() + 0.0003
        while time.monotonic() < until:
            pass
        return Response(200, b"")

    router = Router()
    router.add("GET", "/", compute)
    app, noted = HttpApplication(router), [inf]
    app.look = AllObservers(lambda request, response, seconds: noted.append(seconds), 0.0, None, 0)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(call(app, "GET", "/"))
    assert noted[-1] >= 0.0003


def test_a_failing_observer_does_not_affect_the_request(caplog: pytest.LogCaptureFixture) -> None:
    def stumble(*_: object) -> None:
        raise RuntimeError

    app = watched()
    app.look = AllObservers(stumble, 0.0, None, 0)
    assert ask(app, "GET", "/here/1").status == 200
    assert "Could not observe" in caplog.text
