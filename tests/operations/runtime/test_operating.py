"""HTTP endpoints for operators, in a separate project, on each database."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.access.authentication.api_tokens import create_token
from octavo.api.http.slow_requests import SlowRequest, SlowRequests, shape_of
from octavo.core.errors import ServiceUnavailable
from octavo.database.postgresql import PostgresqlDatabase
from octavo.operations.runtime.operations_endpoints import Readiness
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.process import Process, build
from octavo.operations.telemetry.samples import Family, Histogram, join, render
from octavo.operations.telemetry.workers import Workers
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, Header, call
from tests.cli.projects import database_variables, make_project
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

TOKEN = "a-token-for-those-who-look"
ROOT = Path(__file__).parents[3]
BEARER = [("Authorization", f"Bearer {TOKEN}")]


async def asked(service: Process, path: str, headers: list[Header] = BEARER) -> Answer:
    return await call(service.asgi, "GET", path, headers)


def named_metrics(file: Path) -> set[str]:
    """Return the names of metrics in a page or an example, without folders."""
    named = re.findall(r"\b(?:octavo|process)_\w+", file.read_text("utf-8"))
    return {re.sub(r"_(bucket|count|sum)$", "", one) for one in named}


def value(text: str, line: str) -> float:
    [found] = [one.rpartition(" ")[2] for one in text.splitlines() if one.rpartition(" ")[0] == line]
    return float(found)


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    return {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def service(tmp_path: Path, variables: dict[str, str]) -> AsyncIterator[Process]:
    given = {"OCTAVO_SERVER__METRICS__TOKEN": TOKEN, "OCTAVO_SERVER__METRICS__SLOW_THRESHOLD": "0", **variables}
    service = build(load_settings(make_project(tmp_path / "site"), given, default_mode="production"))
    await service.asgi.start()
    yield service
    await service.asgi.stop()


async def test_metrics_count_requests_and_statements(service: Process) -> None:
    for path in ("/api/stories", "/api/stories?sort=hush", "/api/stories/7", "/nope", "/_health"):
        await asked(service, path, [])
    answer = await asked(service, "/metrics")
    text = answer.body.decode()
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert value(text, 'octavo_requests_total{method="GET",route="/api/stories",status="403"}') == 2
    assert value(text, 'octavo_requests_total{method="GET",route="",status="404"}') == 1
    assert value(text, 'octavo_request_seconds_count{method="GET",route="/api/stories/:id"}') == 1
    assert value(text, 'octavo_request_seconds_bucket{method="GET",route="/api/stories/:id",le="+Inf"}') == 1
    assert value(text, "octavo_statement_seconds_count") > 0
    assert value(text, "octavo_memory_bytes") > 1024**2
    assert value(text, "octavo_database_up") == 1
    assert value(text, "octavo_requests_running") == 1
    assert "hush" not in text
    reported = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    reported |= {
        "octavo_backup_age_seconds",
        "octavo_backup_bytes",
        "octavo_backup_failures",
    }  # no scheduled backups here
    for page in ("docs/operating.md", "examples/grafana/octavo.json"):
        named = named_metrics(ROOT / page)
        assert named == reported if page.endswith(".md") else named <= reported, page


async def test_metrics_and_status_require_the_token(service: Process) -> None:
    for path in ("/metrics", "/_status"):
        for headers in ([], [("Authorization", "Bearer wrong")], [("Authorization", f"Bearer {TOKEN}x")]):
            assert (await asked(service, path, headers)).status == 401
        for scheme in ("Bearer", "bearer", "BEARER"):
            assert (await asked(service, path, [("Authorization", f"{scheme} {TOKEN}")])).status == 200
        assert (await asked(service, path, [("Authorization", f"Basic {TOKEN}")])).status == 401


async def test_slow_requests_have_a_shape_and_no_value(service: Process) -> None:
    await asked(service, "/api/stories?filters[title][$eq]=hush&sort=hush&hush", [])
    reported = (await asked(service, "/_status")).json
    [found] = [one for one in reported["slow"] if one["route"] == "/api/stories"]
    assert (found["method"], found["path"], found["status"]) == ("GET", "/api/stories", 403)
    assert found["shape"] == "filters[title][$eq]&sort"
    assert (reported["ready"], reported["reasons"]) == (True, [])
    assert "hush" not in str(reported)


async def test_the_probe_reports_readiness(service: Process) -> None:
    ready = await asked(service, "/_ready", [])
    assert (ready.status, ready.json, ready.headers["cache-control"]) == (
        200,
        {"ready": True, "reasons": []},
        "no-store",
    )
    service.asgi.leave()
    draining = await asked(service, "/_ready", [])
    assert (draining.status, draining.json["reasons"]) == (503, ["draining: the service is shutting down"])
    assert (await asked(service, "/_health", [])).status == 204


class Away:
    """An unreachable database whose error contains secrets."""

    asked = 0

    async def fetch_value(self, text: str) -> Any:
        self.asked += 1
        raise ServiceUnavailable(reason="postgresql://ann:hush@example.org is away")


async def test_concurrent_probes_share_one_check_of_an_unreachable_database(caplog: pytest.LogCaptureFixture) -> None:
    away: Any = Away()
    readiness = Readiness(lambda: away)
    found = await asyncio.gather(*(readiness.reasons() for _ in range(20)))
    assert found == [["starting: the database is not up to date yet", "database: it cannot be reached"]] * 20
    assert away.asked == 1
    assert "hush" not in caplog.text


async def test_concurrent_probes_share_one_check_of_a_frozen_server(
    own_postgresql_server: PostgresqlServer,
) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database())
    await database.connect()
    readiness = Readiness(lambda: database)
    readiness.started = True
    own_postgresql_server.freeze()
    before = database.statements
    try:
        found = await asyncio.gather(*(readiness.reasons() for _ in range(5)))
    finally:
        own_postgresql_server.freeze(False)
    assert found == [["database: it cannot be reached"]] * 5
    assert database.statements - before == 1
    await database.close()


async def test_without_a_token_metrics_and_status_are_off(tmp_path: Path) -> None:
    settings = load_settings(make_project(tmp_path / "site"), {}, default_mode="production")
    service = build(settings)
    assert service.database.watch is None
    await service.asgi.start()
    assert [(await asked(service, path)).status for path in ("/metrics", "/_status", "/_ready")] == [404, 404, 200]
    await service.asgi.stop()
    short = replace(settings.server, metrics=replace(settings.server.metrics, token="short"))
    with pytest.raises(StartFailed, match="less than 16 characters"):
        build(replace(settings, server=short))


async def test_development_sends_server_timing(tmp_path: Path) -> None:
    service = build(load_settings(make_project(tmp_path / "site"), {}))
    await service.asgi.start()
    timing = (await asked(service, "/_ready", [])).headers["server-timing"]
    await service.asgi.stop()
    assert timing.startswith("total;dur=")
    assert timing.endswith(';desc="statements: 1"')


def test_a_text_for_prometheus() -> None:
    histogram = Histogram((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 3):
        histogram.add(seconds)
    families = [
        Family("a_total", "counter", "How many.", [("", (("route", 'say "x"\\\n'),), 3)]),
        Family("b_seconds", "histogram", "How long.", histogram.samples()),
    ]
    assert render(families).decode() == (
        '# HELP a_total How many.\n# TYPE a_total counter\na_total{route="say \\"x\\"\\\\\\n"} 3\n'
        "# HELP b_seconds How long.\n# TYPE b_seconds histogram\n"
        'b_seconds_bucket{le="0.1"} 2\nb_seconds_bucket{le="1"} 3\nb_seconds_bucket{le="+Inf"} 4\n'
        "b_seconds_sum 3.65\nb_seconds_count 4\n"
    )


def test_metrics_add_up_all_workers_including_dead_ones(tmp_path: Path) -> None:
    def families() -> list[Family]:
        return [
            Family("n_total", "counter", "n", [("", (("route", "/"),), 2)]),
            Family("held", "gauge", "held", [("", (), 5)]),
            Family("most", "gauge", "most", [("", (), 5)], "max"),
        ]

    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    one = SlowRequest(1, "GET", "/", 200, 1000)
    reported = {"families": [asdict(family) for family in families()], "slow": [asdict(one)]}
    for process in (int(gone.stdout), os.getppid()):
        (tmp_path / f"{process}.json").write_bytes(orjson.dumps(reported))
    (tmp_path / "17.json").write_bytes(b"half of")
    workers = Workers(tmp_path, families, lambda: [SlowRequest(2, "GET", "/", 200, 1000)])
    assert [[sample[2] for sample in family.samples] for family in workers.families()] == [[6], [10], [5]]
    assert [found.at for found in workers.slow()] == [2, 1, 1]
    assert join([families()]) == families()


def test_the_list_of_slow_requests_is_bounded_in_bytes() -> None:
    kept = SlowRequests()
    for number in range(5000):
        kept._keep(SlowRequest(number, "GET", "/" + "x" * 199, 200, 1000, slowest="y" * 4000))
    found = kept.all()
    assert sum(one.size for one in found) <= 256 * 1024
    assert [one.at for one in found] == [*range(4999, 4999 - len(found), -1)]


@pytest.mark.parametrize(
    "query, shape",
    [
        (b"", ""),
        (b"a=1&b[c][$in][0]=2", "a&b[c][$in][0]"),
        (b"secret", ""),
        (b"%68ush=1&a b=2", ""),
        (b"x" * 200 + b"=1", ""),
    ],
)
def test_a_shape_contains_only_names(query: bytes, shape: str) -> None:
    assert shape_of(query) == shape


async def test_a_frozen_database_is_read_and_not_written(
    tmp_path: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    name = database_name(postgresql_url)
    service = build(
        load_settings(make_project(tmp_path / "site"), database_variables(postgresql_url), default_mode="production")
    )
    await service.asgi.start()
    try:
        token = await create_token(service.database, "salt", "all", "full-access")
        postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        bearer: list[Header] = [("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")]
        body = b'{"data": {"title": "Hush"}}'
        async with asyncio.timeout(60):
            while (refused := await call(service.asgi, "POST", "/api/stories", bearer, [body])).status == 200:
                pass
        assert (refused.status, refused.json["error"]["name"]) == (503, "ServiceUnavailableError")
        assert (await call(service.asgi, "GET", "/api/stories", bearer)).status == 200
        ready = await asked(service, "/_ready", [])
        assert (ready.status, ready.json) == (
            200,
            {"ready": True, "reasons": ["read-only: the database accepts no writes"]},
        )
    finally:
        await service.asgi.stop()
