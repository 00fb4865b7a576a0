"""Monitoring for administrators with permission: audit log, deliveries, background jobs, system."""

import logging
from typing import Any

from octavo.events.dead_letters import DeadLetters
from octavo.events.outbox import Outbox
from tests.api.admin.client import AdminClient, allow, sign_in
from tests.api.admin.conftest import Office
from tests.models.people import write

TASK = "INSERT INTO octavo_cron (name, rule, zone, last_at) VALUES ({v1}, {v2}, {v3}, {v4})"
LETTER = """INSERT INTO octavo_dead_letters
    (id, topic, ordering_key, payload, size, created_at, died_at, attempts, error)
    VALUES (7, 'jobs', 'k', {v1}, 2, 1, 1700000000000, 3, 'it broke')"""
DELIVERY = """INSERT INTO octavo_webhook_deliveries
    (message_id, webhook_id, event, url, body, size, attempts, delivered,
    status, answer, error, milliseconds, created_at, sent_at)
    VALUES ({v1}, {v2}, 'entry.create', 'https://example.org/hook', {v3}, 2, 2, 0, 500, 'no', 'it said 500', 12,
    1700000000000, 1700000001000)"""


async def get(admin: AdminClient, path: str) -> Any:
    """Return the data of a successful response."""
    answer = await admin.office.club.ask("GET", path, token=admin.token)
    assert answer.status == 200, answer.body
    return answer.json["data"]


async def status(admin: AdminClient, method: str, path: str) -> int:
    return (await admin.office.club.ask(method, path, {} if method == "POST" else None, token=admin.token)).status


async def test_the_audit_log_is_filtered_and_paginated(office: Office) -> None:
    ada = await sign_in(office)
    await ada.ask("POST", "roles", {"name": "Readers"})
    await sign_in(office, "edi")
    found = await get(ada, "/octavo/audit?pageSize=2")
    assert found["pagination"]["total"] == 3
    assert [one["email"] for one in found["results"]] == ["edi@admin.example", "ada@admin.example"]
    assert {"session", "create"} <= set(found["actions"])
    found = await get(ada, "/octavo/audit?email=ADA@admin.example&action=session&since=2020-01-01")
    assert [(one["action"], one["door"]) for one in found["results"]] == [("session", "admin")]
    assert (await get(ada, "/octavo/audit?until=2020-01-01T00:00:00Z"))["pagination"]["total"] == 0


async def test_invalid_audit_queries_are_refused(office: Office) -> None:
    ada = await sign_in(office)
    for query in ("who=ada", "since=yesterday", "entry=x", "email[a]=1", "pageSize=0"):
        answer = await office.club.ask("GET", f"/octavo/audit?{query}", token=ada.token)
        assert answer.status == 400, query


async def test_background_jobs_are_shown_and_restarted(office: Office) -> None:
    ada, database = await sign_in(office), office.club.database
    await write(database, TASK, "tidy", "0 3 * * *", "UTC", 1_700_000_000_000)
    await write(database, LETTER, '{"name": "remind", "args": ["a secret"]}')
    found = await get(ada, "/octavo/jobs")
    assert [(one["name"], one["lastAt"]) for one in found["tasks"]] == [("tidy", "2023-11-14T22:13:20.000Z")]
    assert found["tasks"][0]["nextAt"].endswith("T03:00:00.000Z")
    assert [(one["what"], one["error"]) for one in found["givenUp"]] == [("remind", "it broke")]
    assert "secret" not in str(found)
    assert await status(ada, "POST", "/octavo/jobs/tasks/tidy/run") == 202
    assert await status(ada, "POST", "/octavo/jobs/given-up/7/retry") == 202
    assert await status(ada, "POST", "/octavo/jobs/given-up/7/retry") == 404
    assert await status(ada, "POST", "/octavo/jobs/tasks/none/run") == 404
    assert await DeadLetters(database, Outbox(database)).list() == []
    assert {one["what"] for one in (await get(ada, "/octavo/jobs"))["waiting"]} >= {"tidy", "remind"}


async def test_deliveries_are_read_and_sent_again(office: Office) -> None:
    ada, database = await sign_in(office), office.club.database
    body = {"name": "build", "url": "https://example.org/hook", "headers": {}, "events": ["entry.create"]}
    hook = (await ada.ask("POST", "webhooks", body)).json["data"]["id"]
    await write(database, DELIVERY, "msg_1", hook, "{}")
    found = await get(ada, f"/octavo/webhooks/{hook}/deliveries")
    assert [(one["id"], one["status"], one["delivered"]) for one in found["results"]] == [("msg_1", 500, False)]
    assert found["isSigned"]
    again = f"/octavo/webhooks/{hook}/deliveries/msg_1/redeliver"
    assert await status(ada, "POST", again) == 202
    assert await status(ada, "POST", again.replace("msg_1", "msg_2")) == 404
    assert await status(ada, "POST", again.replace(f"/{hook}/", f"/{hook + 1}/")) == 404


async def test_system_information_contains_no_secrets(office: Office) -> None:
    ada = await sign_in(office)
    logging.getLogger("octavo.tests").error("cannot reach postgres://ann:hidden@db/x?key=hidden\nmore of it")
    found = await get(ada, "/octavo/system")
    assert found["database"]["size"] > 0
    assert found["database"]["version"]
    assert (found["waiting"], found["givenUp"]) == (0, 0)
    line = next(one for one in found["log"] if one["logger"] == "octavo.tests")
    assert (line["level"], line["text"]) == ("ERROR", "cannot reach postgres://...db/x...")
    assert "hidden" not in str(found)


async def test_monitoring_needs_permission(office: Office) -> None:
    await allow(office, "admin::webhooks.read")
    edi = await sign_in(office, "edi")
    for method, path in (
        ("GET", "/octavo/audit"),
        ("GET", "/octavo/jobs"),
        ("GET", "/octavo/system"),
        ("POST", "/octavo/jobs/tasks/tidy/run"),
        ("POST", "/octavo/jobs/given-up/7/retry"),
        ("POST", "/octavo/webhooks/1/deliveries/msg_1/redeliver"),
    ):
        assert await status(edi, method, path) == 403, path
    assert await status(edi, "GET", "/octavo/webhooks/1/deliveries") == 404
