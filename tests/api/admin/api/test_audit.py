"""The audit log records who did what and when, on both databases."""

import asyncio
from typing import Any

import orjson
import pytest

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import EVERYTHING
from octavo.accounts.administrators.audit import TABLE, Audit, AuditOptions, read_audit
from octavo.accounts.administrators.audit_list import LARGEST_EXPORT
from octavo.core.clock import move
from octavo.database.change_feed import ChangeKind, DataChange
from octavo.database.synchronize import preview_changes, synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.events import origin
from tests.api.admin.client import sign_in
from tests.api.admin.conftest import Office
from tests.models.club import PASSWORD

pytestmark = pytest.mark.anyio


async def told(office: Office, **asked: Any) -> list[tuple[Any, ...]]:
    found = await read_audit(office.club.database, **asked)
    return [(one.email, one.door, one.action, one.uid, one.entry) for one in reversed(found)]


async def test_changes_through_every_api(office: Office) -> None:
    ada = await sign_in(office)
    me = "ada@admin.example"
    await ada.ask("PUT", "users/2", {"password": "Good-Passw0rd1"})
    await ada.ask("GET", "users/2")
    await ada.ask("POST", "permissions/check", {"permissions": []})
    await ada.ask("PUT", "users/99", {})
    hook = {"name": "h", "url": "https://hook.example/x", "headers": {}, "events": []}
    await ada.ask("POST", "webhooks", hook)
    await ada.ask("POST", "project-settings", {"menuLogo": ""})
    note = await office.club.ask("POST", "/api/notes", {"data": {"title": "secret"}}, token=ada.token)
    note_id = note.json["data"]["id"]
    assert await told(office) == [
        (me, "admin", "session", None, None),
        (me, "admin", "update", "admin::user", 2),
        (me, "admin", "POST /admin/webhooks", None, None),
        (me, "admin", "POST /admin/project-settings", None, None),
        (me, "rest", "create", "api::note.note", note_id),
    ]
    assert await told(office, uid="admin::user", entry=2) == [(me, "admin", "update", "admin::user", 2)]
    assert await told(office, email="edi@admin.example") == []
    everything = await office.club.database.fetch_all("SELECT * FROM octavo_audit")
    assert not any(word in repr(everything) for word in ("secret", PASSWORD, "Good-Passw0rd1", "hook.example"))


async def test_requests_of_other_callers_are_not_audited(office: Office) -> None:
    await office.club.ask("POST", "/api/notes", {"data": {"title": "x"}}, token="full-token")
    await office.post("forgot-password", {"email": "nobody@b.example"})
    assert await told(office) == []


async def test_logins_that_fail_are_written_down_now_and_then(office: Office) -> None:
    """At most one record an hour for each administrator, and one for all unknown addresses, without address or
    password."""
    refused = "login refused"
    names = ("ada", "ada", "stranger", "somebody", "edi", "ina")
    assert [(await office.log_in(name, "wrong")).status for name in names] == [400] * len(names)
    await office.log_in("blo")
    once = [(f"{name}@admin.example", "admin", refused, None, None) for name in ("ada", "edi", "ina", "blo")]
    assert sorted(await told(office), key=str) == sorted([*once, (None, "admin", refused, None, None)], key=str)
    move(3601)
    try:
        await asyncio.gather(office.log_in("ada", "wrong"), office.log_in("ada", PASSWORD))
        assert sorted(one[2] for one in await told(office, email="ada@admin.example")) == [refused, refused, "session"]
    finally:
        move(0)
    everything = await office.club.database.fetch_all("SELECT * FROM octavo_audit")
    assert not any(word in repr(everything) for word in ("stranger", "somebody", "wrong"))


async def test_many_changes_are_few_rows_and_statements(office: Office) -> None:
    database = office.club.database
    changes = [DataChange("api::note.note", number + 1, ChangeKind.CREATE) for number in range(600)]
    administrator = Actor("administrator", EVERYTHING, id=1, email="ada@admin.example")
    token = origin.WORK.set(origin.Origin("rest", administrator))
    try:
        async with unit_of_work(database) as unit:
            before = database.statements
            await Audit(database, AuditOptions()).write_changes(unit.connection, changes)
            assert database.statements - before < 20
    finally:
        origin.WORK.reset(token)
    found = await told(office, most=1000)
    assert [one[4] for one in found] == [*range(1, 501), None]
    assert {one[:4] for one in found} == {("ada@admin.example", "rest", "create", "api::note.note")}


async def test_rows_are_bounded_in_age_and_number(office: Office) -> None:
    database = office.club.database
    for _ in range(4):
        await office.session()
    await Audit(database, AuditOptions(rows=3)).sweep(always=True)
    assert len(await told(office)) == 3
    move(60)
    try:
        await office.session()
        await Audit(database, AuditOptions(seconds=30)).sweep(always=True)
        assert len(await told(office)) == 1
    finally:
        move(0)


async def test_a_record_has_the_client_and_permissions_before_and_after(office: Office) -> None:
    ada, club = await sign_in(office), office.club
    read: dict[str, Any] = {"action": "plugin::upload.read", "subject": None, "properties": {}, "conditions": []}
    made = await ada.ask("POST", "roles", {"name": "Readers"})
    role = made.json["data"]["id"]
    await ada.ask("PUT", f"roles/{role}/permissions", {"permissions": [read]})
    await ada.ask("PUT", f"roles/{role}/permissions", {"permissions": []})
    found = [one for one in reversed(await read_audit(office.club.database, uid="admin::role")) if one.details]
    texts = [([row["action"] for row in one.details["before"]], one.details["after"]) for one in found]
    assert [before for before, _ in texts] == [[], ["plugin::upload.read"]]
    assert [row["action"] for row in texts[0][1]] == ["plugin::upload.read"]
    assert {one.client for one in found} == {"192.0.2.1"}
    exported = await club.ask("GET", "/octavo/audit/export", token=ada.token)
    lines = [orjson.loads(line) for line in exported.body.splitlines()]
    assert exported.headers["content-type"].startswith("application/x-ndjson")
    assert [one["id"] for one in lines] == sorted(one["id"] for one in lines)
    assert exported.headers["cache-control"] == "no-store"
    assert lines[0]["action"] == "session"
    listed = (await club.ask("GET", "/octavo/audit?pageSize=1", token=ada.token)).json["data"]["results"]
    assert [{**lines[-1], "id": None}] == [{**one, "id": None} for one in listed]
    rest = await club.ask("GET", f"/octavo/audit/export?after={lines[-2]['id']}", token=ada.token)
    assert [orjson.loads(line) for line in rest.body.splitlines()] == lines[-1:]
    assert (await club.ask("GET", "/octavo/audit/export?after=x", token=ada.token)).status == 400


async def test_an_export_ends_at_its_largest_size(office: Office) -> None:
    """Records with 64 kB of details: a page ends long before 10,000 records, and the next one continues."""
    ada, database = await sign_in(office), office.club.database
    details = orjson.dumps({"before": "x" * 60_000}).decode()
    rows = "INSERT INTO octavo_audit (created_at, administrator_id, door, action, details) VALUES (1, 1, 'admin', 'x', "
    for _ in range(150):
        await database.execute(f"{rows}'{details}')")
    sizes, ids, after = [], [], 0
    while body := (await office.club.ask("GET", f"/octavo/audit/export?after={after}", token=ada.token)).body:
        sizes.append(len(body))
        ids += [orjson.loads(line)["id"] for line in body.splitlines()]
        after = ids[-1]
    assert len(sizes) == 2
    assert max(sizes) < LARGEST_EXPORT + 64 * 1024
    assert ids == sorted(set(ids))
    assert len(ids) == await database.fetch_value("SELECT count(*) FROM octavo_audit")


async def test_existing_tables_get_the_new_columns(office: Office) -> None:
    database = office.club.database
    for column in ("client", "user_agent", "details"):
        await database.execute(f"ALTER TABLE octavo_audit DROP COLUMN {column}")
    registry = office.club.octavo.site.registry
    preview = await preview_changes(database, registry, (TABLE,))
    assert preview.missing == tuple(f"add column octavo_audit.{one}" for one in ("client", "user_agent", "details"))
    await synchronize(database, registry, (TABLE,))
    assert (await preview_changes(database, registry, (TABLE,))).missing == ()
    assert await read_audit(database) == []
