"""`octavo jobs`: tasks, pending and failed jobs."""

import asyncio
from pathlib import Path

import pytest

from octavo.operations.runtime.open_resources import open_project_database
from octavo.settings import load_settings
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import database_variables

FILL = """
INSERT INTO octavo_cron (name, rule, zone, last_at) VALUES ('digest', '0 3 * * *', 'UTC', 1700000000000);
INSERT INTO octavo_dead_letters (id, topic, ordering_key, payload, size, created_at, died_at, attempts, error)
VALUES (7, 'jobs', '', '{"name": "work:fails"}', 9, 1, 1700000000000, 3, 'ValueError: broken'),
  (8, 'webhook', '', '{"event": "entry.create"}', 9, 1, 1700000000000, 3, 'gone')
"""


def test_pending_and_failed_jobs(call: Call, project: Path, request: pytest.FixtureRequest) -> None:
    on_server = request.node.callspec.params["call"] == "postgresql"
    variables = database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}
    assert answered(call("jobs", "list", "--json")) == {"tasks": [], "waiting": []}
    assert said(call("jobs", "list"))[2] == "Nothing waits."
    assert said(call("jobs", "list", "--failed")) == ["No failed jobs."]

    async def fill() -> None:
        database = open_project_database(load_settings(project, variables))
        await database.connect()
        await database.execute_script(FILL)
        await database.close()

    asyncio.run(fill())
    assert said(call("jobs", "run", "digest")) == ["Queued job 1 for the service: digest."]
    assert said(call("jobs", "run", "work:plain", "--arguments", '{"one": 1}'))[0].startswith("Queued job 2")
    assert refused(call("jobs", "run", "digst")).startswith("unknown task 'digst'; did you mean")
    assert refused(call("jobs", "run", "digest", "--arguments", "x")).startswith("--arguments must be a JSON list")
    assert [one["id"] for one in answered(call("jobs", "list", "--failed", "--json"))] == [8, 7]
    assert [row.split()[:3] for row in said(call("jobs", "list", "--failed", "--kind", "jobs"))[1:]] == [
        ["7", "jobs", "work:fails"]
    ]
    assert refused(call("jobs", "retry", "9")) == "no failed job has the ID 9"
    assert refused(call("jobs", "retry")) == "pass the IDs to retry, or --all"
    assert said(call("jobs", "retry", "7")) == ["Retrying 1 message."]
    assert said(call("jobs", "retry", "--all")) == ["Retrying 1 message."]
    listed = answered(call("jobs", "list", "--json"))
    assert [one["name"] for one in listed["tasks"]] == ["digest"]
    assert [one["payload"].get("name") for one in listed["waiting"]] == ["digest", "work:plain", "work:fails", None]
    assert said(call("jobs", "list"))[1].split()[0] == "digest"
    assert answered(call("jobs", "list", "--failed", "--json")) == []
