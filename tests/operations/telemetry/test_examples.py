"""The dashboard and alert rules under examples/ use metrics that a service exposes after some traffic."""

import json
import shutil
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from octavo import __version__
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import call
from tests.cli.projects import database_variables, make_project
from tests.operations.runtime.test_operating import BEARER, ROOT, TOKEN, named_metrics

pytestmark = pytest.mark.anyio

DASHBOARD = ROOT / "examples" / "grafana" / "octavo.json"
RULES = ROOT / "examples" / "prometheus" / "octavo.rules.yml"
NEEDS_REPLICAS = "octavo_replica_", "octavo_content_reads_"


@pytest.fixture(params=["sqlite", "postgresql"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Process]:
    given = {"OCTAVO_SERVER__METRICS__TOKEN": TOKEN, "OCTAVO_DATABASE__BACKUPS__SCHEDULE": "0 3 * * *"}
    if request.param == "postgresql":
        given |= database_variables(request.getfixturevalue("postgresql_url"))
    project = make_project(tmp_path / "site")
    (project / "src" / "index.py").write_text(
        "from octavo.sdk import App\n\n\ndef register(app: App) -> None:\n"
        "    app.cron('0 4 * * *', name='nightly')(lambda: None)\n",
        "utf-8",
    )
    service = build(load_settings(project, given, default_mode="production"))
    await service.asgi.start()
    yield service
    await service.asgi.stop()


async def exposed(service: Process) -> dict[str, float]:
    for path in ("/api/stories", "/_health"):
        await call(service.asgi, "GET", path, [])
    await call(service.asgi, "GET", "/api/stories", [("Authorization", "Bearer 0123456789abcdef")])
    wrong = json.dumps({"identifier": "ann", "password": "wrong"}).encode()
    await call(service.asgi, "POST", "/api/auth/local", [("Content-Type", "application/json")], [wrong])
    text = (await call(service.asgi, "GET", "/metrics", BEARER)).body.decode()
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(number) for name, _, number in lines}


def metric(sample: str) -> str:
    name = sample.partition("{")[0]
    for suffix in ("_bucket", "_count", "_sum"):
        name = name.removesuffix(suffix)
    return name


async def test_all_metrics_in_the_examples_have_values(service: Process) -> None:
    samples = await exposed(service)
    names = {metric(sample) for sample in samples}
    for file in (DASHBOARD, RULES):
        missing = named_metrics(file) - names
        unused = {one for one in missing if one.startswith(NEEDS_REPLICAS)}
        late = {"octavo_backup_age_seconds", "octavo_backup_bytes", "octavo_job_last_success_timestamp_seconds"}
        empty = {"octavo_outbox_late_seconds", "octavo_outbox_messages", "octavo_outbox_given_up"}
        purges = {"octavo_purge_requests_total"}  # need a backup, a run, a message and a CDN
        assert missing - unused - late - empty - purges == set(), file


async def test_events_are_counted(service: Process) -> None:
    before, samples = await exposed(service), await exposed(service)
    for account in ("user", "api_token"):
        name = f'octavo_sign_ins_failed_total{{account="{account}"}}'
        assert samples[name] == before[name] + 1
    for name in (
        'octavo_job_runs_total{name="nightly",outcome="failed"}',
        'octavo_outbox_deliveries_total{topic="webhook",outcome="given_up"}',
    ):
        assert samples[name] == before[name]  # other tests of this process can have failures
    [about] = [sample for sample in samples if sample.startswith("octavo_build_info")]
    assert f'version="{__version__}"' in about
    assert 0 < time.time() - samples["process_start_time_seconds"] < 86_400
    assert samples["process_cpu_seconds_total"] > 0.1
    assert 0 < samples["process_open_fds"] < samples["process_max_fds"]
    assert samples["process_virtual_memory_bytes"] > samples["process_resident_memory_bytes"] > 1024**2


def expressions(found: Any) -> list[str]:
    if isinstance(found, dict):
        own = [text for name, text in found.items() if name == "expr"]
        return own + [text for value in found.values() for text in expressions(value)]
    return [text for value in found for text in expressions(value)] if isinstance(found, list) else []


def test_the_rules_and_the_queries_of_the_dashboard_are_valid(tmp_path: Path) -> None:
    rules = yaml.safe_load(RULES.read_text("utf-8"))
    names = [rule["alert"] for group in rules["groups"] for rule in group["rules"]]
    assert len(names) == len(set(names)) > 10
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    queries = [
        text.replace("$__rate_interval", "5m").replace("$instance", ".*")
        for text in expressions(json.loads(DASHBOARD.read_text("utf-8")))
    ]
    recorded = [{"record": f"dashboard:{number}", "expr": text} for number, text in enumerate(queries)]
    copy = tmp_path / "dashboard.yml"
    copy.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}), "utf-8")
    for file in (RULES, copy):
        run = subprocess.run([promtool, "check", "rules", str(file)], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
