"""Traces of requests, statements, jobs and outgoing HTTP requests, as a collector receives them."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.operations.runtime.process import Process, build
from octavo.operations.telemetry.traces import TraceOptions, Traces
from octavo.settings import SettingsError, load_settings
from tests.api.http.asgi import Answer, call, request_of
from tests.cli.projects import database_variables, make_project
from tests.operations.telemetry.collector import PATIENCE, Collector

pytestmark = pytest.mark.anyio

SERVER, CLIENT, CONSUMER = 2, 3, 5
CONTROLLER = """
import os

from octavo import Controller


async def remind(app, secret):
    await app.http.get(f"http://127.0.0.1:{os.environ['OCTAVO_TEST_PORT']}/hush-path?hush=1")


class StoryController(Controller):
    async def far(self, request):
        url = f"http://127.0.0.1:{os.environ['OCTAVO_TEST_PORT']}/hush-path?hush=1"
        return (await self.app.http.get(url)).json()

    async def later(self, request):
        await self.app.mail.send("hush@example.org", "hush", text="hush")
        await self.app.enqueue(remind, "hush")
        return {}

    async def fail(self, request):
        raise ValueError("hush")
"""
ROUTES = """
from octavo import Route

routes = [
    Route("GET", "/stories/far", "story.far", auth=False),
    Route("GET", "/stories/later", "story.later", auth=False),
    Route("GET", "/stories/fail", "story.fail", auth=False),
]
"""
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def followed(flags: str = "01") -> list[tuple[str, str]]:
    return [("traceparent", f"00-{TRACE}-{PARENT}-{flags}")]


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    return {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))


def make_site(folder: Path) -> Path:
    project = make_project(folder)
    for name, text in (("controllers/story.py", CONTROLLER), ("routes/more.py", ROUTES)):
        file = project / "src/api/story" / name
        file.parent.mkdir()
        file.write_text(text, "utf-8")
    return project


@asynccontextmanager
async def serving(folder: Path, collector: Collector, variables: dict[str, str]) -> AsyncIterator[Process]:
    given = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}",
        "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b",
        "OCTAVO_SERVER__HTTP__PRIVATE_HOSTS": f"127.0.0.1:{collector.port}",
        "OCTAVO_SERVER__TRACES__SAMPLE": "0",
        **variables,
    }
    service = build(load_settings(make_site(folder), given, default_mode="production"))
    await service.asgi.start()
    await grant(service.database, "public", ["api::story.story.find"])
    service.infrastructure.authenticator.invalidate()
    yield service
    await service.asgi.stop()


async def get(service: Process, path: str, headers: list[tuple[str, str]] | None = None) -> Answer:
    return await call(service.asgi, "GET", path, followed() if headers is None else headers)


async def test_traces_continue_in_outgoing_requests(
    tmp_path: Path, collector: Collector, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_TEST_PORT", str(collector.port))
    async with serving(tmp_path / "site", collector, variables) as service:
        listed = await get(service, "/api/stories?filters[title][$eq]=hush&sort=title")
        far = await get(service, "/api/stories/far")
        assert (await get(service, "/api/stories/fail")).status == 500
        assert (await get(service, "/api/stories/9")).status == 403
        assert (await get(service, "/api/stories/far", followed("00"))).status == 200
        assert (await get(service, "/api/stories/far", [])).status == 200
        # The request that adds the job is not sampled, so the job is traced only by its own sampling rate.
        assert (listed.status, far.status) == (200, 200)
    by_name = {span.name: span for span in collector.spans}

    server = by_name["GET /api/stories"]
    assert (server.kind, server.trace, server.parent) == (SERVER, TRACE, PARENT)
    assert server.attributes == {
        "http.request.method": "GET",
        "http.route": "/api/stories",
        "http.response.status_code": 200,
        "url.path": "/api/stories",
        "octavo.request": TRACE,
    }
    below = [span for span in collector.spans if span.parent == server.id]
    assert {"who", "plan", "statement", "SELECT", "answer"} <= {span.name for span in below}
    [statement] = [span for span in below if "stories" in span.attributes.get("db.query.text", "")]
    assert (statement.kind, statement.attributes["db.operation.name"]) == (CLIENT, "SELECT")
    assert statement.attributes["db.system.name"] == ("postgresql" if variables else "sqlite")
    assert statement.seconds > 0

    outer, [outgoing] = (
        by_name["GET /api/stories/far"],
        [one for one in collector.spans if "server.port" in one.attributes],
    )
    assert (outgoing.name, outgoing.kind, outgoing.parent) == ("GET", CLIENT, outer.id)
    assert outgoing.attributes == {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "url.scheme": "http",
        "server.address": "127.0.0.1",
        "server.port": collector.port,
    }
    sent = [asked["traceparent"] for asked in collector.asked]
    assert far.json["traceparent"] == sent[0] == f"00-{TRACE}-{outgoing.id}-01"
    assert (sent[1][:35], sent[1][-3:]) == (f"00-{TRACE}", "-00")
    assert sent[2].endswith("-00")
    assert TRACE not in sent[2]

    failed = by_name["GET /api/stories/fail"]
    assert failed.failed
    assert failed.attributes["http.response.status_code"] == 500
    refused = by_name["GET /api/stories/:id"]
    assert (refused.failed, refused.attributes["http.response.status_code"]) == (False, 403)

    assert {span.trace for span in collector.spans} == {TRACE}
    assert b"hush" not in collector.raw
    assert all(headers["x-key"] == "a b" for headers in collector.headers)
    assert {one["service.name"] for one in collector.resources} == {"octavo"}


async def test_mails_and_jobs_are_traced(tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_TEST_PORT", str(collector.port))
    given = {"OCTAVO_SERVER__TRACES__SAMPLE": "1", "NODE_ENV": "development", "OTEL_SERVICE_NAME": "press"}
    async with serving(tmp_path / "site", collector, given) as service:
        assert (await get(service, "/api/stories/later", [])).status == 200
        deadline = time.monotonic() + PATIENCE
        while not collector.asked:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
    job, mail = collector.named("process jobs"), collector.named("mail")
    [called] = [span for span in collector.spans if "server.port" in span.attributes]
    assert (job.kind, job.parent, job.attributes["messaging.destination.name"]) == (CONSUMER, "", "jobs")
    assert job.attributes["octavo.job"].endswith("remind")
    assert called.parent == job.id
    asking = collector.named("GET /api/stories/later")
    assert (job.links, asking.links) == ([(asking.trace, asking.id)], [])
    assert mail.parent == collector.named("GET /api/stories/later").id
    assert collector.resources[0]["service.name"] == "press"
    assert b"hush" not in collector.raw


async def test_cached_responses_are_traced(tmp_path: Path, collector: Collector) -> None:
    """A sampled request runs the whole pipeline. Others get the cached response, as without traces."""
    given = {"OCTAVO_API__CACHING__RESPONSES": "true"}
    async with serving(tmp_path / "site", collector, given) as service:
        reports = service.infrastructure.caches.reports

        def hits() -> int:
            return next(one.hits for one in reports() if one.name == "quick answers")

        answers = [await get(service, "/api/stories", [])]
        while hits() < 2:  # on slow machines more caches expire
            answers.append(await get(service, "/api/stories", []))
        before = hits()
        answers.append(await get(service, "/api/stories"))
        assert hits() == before
    assert len({one.body for one in answers}) == 1
    server = collector.named("GET /api/stories")
    assert (server.trace, server.parent) == (TRACE, PARENT)
    assert "who" in {span.name for span in collector.spans}
    assert not any("stories" in span.attributes.get("db.query.text", "") for span in collector.spans)


async def test_the_number_of_traces_per_second_is_limited(collector: Collector) -> None:
    traces = Traces(
        TraceOptions(
            endpoint=f"http://127.0.0.1:{collector.port}/v1/traces",
            headers={},
            service="octavo",
            sample=1,
            per_second=1,
            system="sqlite",
        )
    )
    headers = request_of().headers
    assert 1 <= sum(traces.chooses(headers) for _ in range(200)) < 200
    await traces.close()


async def test_an_unreachable_collector_delays_no_request(tmp_path: Path, collector: Collector) -> None:
    collector.stop()
    async with serving(tmp_path / "site", collector, {}) as service:
        assert (await get(service, "/api/stories")).status == 200


def test_invalid_trace_settings_are_reported(tmp_path: Path) -> None:
    given = {"OCTAVO_SERVER__TRACES__ENDPOINT": "collector:4318"}
    with pytest.raises(SettingsError, match=r"traces\.endpoint: expected a URL that begins with http"):
        build(load_settings(make_project(tmp_path / "site"), given))
    wrong = {"OCTAVO_SERVER__TRACES__SAMPLE": "1.5", "OTEL_EXPORTER_OTLP_HEADERS": "hush"}
    with pytest.raises(SettingsError) as reported:
        load_settings(tmp_path / "site", wrong)
    assert "expected a number from 0 to 1" in str(reported.value.problems)


def test_nothing_is_imported_without_traces(tmp_path: Path) -> None:
    project = make_project(tmp_path / "site")
    code = (
        "import sys; from pathlib import Path\n"
        "from octavo.operations.runtime.process import build; from octavo.settings import load_settings\n"
        f"service = build(load_settings(Path({str(project)!r}), {{}}))\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)\n"
        "assert service.infrastructure.traces is None\n"
        "sys.modules['opentelemetry'] = None\n"
        "try: build(load_settings("
        f"Path({str(project)!r}), {{'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://127.0.0.1:1'}}))\n"
        "except Exception as error: print(error.problems)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'octavo[opentelemetry]'" in result.stdout


async def test_spans_of_one_request_are_bounded(collector: Collector) -> None:
    traces = Traces(
        TraceOptions(
            endpoint=f"http://127.0.0.1:{collector.port}/v1/traces",
            headers={},
            service="octavo",
            sample=1,
            per_second=10,
            system="sqlite",
        )
    )

    async def handler(_: Request) -> Response:
        for _number in range(1000):
            traces.record_statement("SELECT 1", 0.001)
        return Response(200, b"")

    request = request_of()
    assert traces.chooses(request.headers)
    await traces.follow(handler, request)
    request.close()
    traces.record_statement("SELECT 2", 0.001)
    await traces.close()
    assert len(collector.spans) == 129
