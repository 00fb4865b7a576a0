"""What administrators have done is written down: who, what and when, on both databases."""

import asyncio
from typing import Any

import pytest

from octavo.administrators.audit import Audit, AuditOptions, read_audit
from octavo.clock import move
from tests.admin.conftest import Office
from tests.admin.desk import desk
from tests.models.club import PASSWORD

pytestmark = pytest.mark.anyio


async def told(office: Office, **asked: Any) -> list[tuple[Any, ...]]:
    found = await read_audit(office.club.database, **asked)
    return [(one.email, one.door, one.action, one.uid, one.entry) for one in reversed(found)]


async def test_changes_through_every_door(office: Office) -> None:
    ada = await desk(office)
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


async def test_what_others_do_is_not_written_down(office: Office) -> None:
    await office.club.ask("POST", "/api/notes", {"data": {"title": "x"}}, token="full-token")
    await asyncio.gather(office.log_in("ada", "wrong"), office.post("forgot-password", {"email": "nobody@b.example"}))
    assert await told(office) == []


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
