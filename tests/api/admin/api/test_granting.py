"""Administrators cannot give others more permissions through a setting than they have themselves."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.api.admin.newsroom import BADGE, STORY, Newsroom
from tests.api.http.asgi import Answer

pytestmark = pytest.mark.anyio

USERS = "/users-permissions"
USER = "plugin::users-permissions.user"
PEOPLE = f"/content-manager/collection-types/{USER}"
PLUGIN = "plugin::users-permissions"
HOOK = {"name": "w", "url": "https://93.184.216.34/", "headers": {}, "events": ["entry.update"]}
ADVANCED = {"unique_email": True, "allow_register": True, "email_confirmation": False, "default_role": "authenticated"}
Act = Callable[[Newsroom, str], Awaitable[Answer]]


def tree(action: str) -> dict[str, Any]:
    owner, controller, name = action.split(".")
    return {owner: {"controllers": {controller: {name: {"enabled": True}}}}}


async def make_role(room: Newsroom, name: str, action: str) -> int:
    made = await room.ask("POST", f"{USERS}/roles", {"name": name, "description": "", "permissions": tree(action)})
    assert made.status == 200, made.body
    roles = (await room.ask("GET", f"{USERS}/roles")).json["roles"]
    return max(int(role["id"]) for role in roles if role["name"] == name)  # the newest one, which this test created


@pytest.fixture
async def room(newsroom: Newsroom) -> Newsroom:
    """Let Edi change all settings of users and webhooks, and read badges; create the roles Readers and Labels."""
    for action in (
        *(f"{PLUGIN}.{name}.update" for name in ("advanced-settings", "providers", "email-templates", "roles")),
        *(f"{PLUGIN}.{name}.read" for name in ("advanced-settings", "providers", "email-templates", "roles")),
        *(f"admin::webhooks.{verb}" for verb in ("create", "read", "update")),
    ):
        await newsroom.allow(action)
    await newsroom.allow("read", BADGE)
    for verb in ("create", "read", "update"):
        await newsroom.allow(verb, USER)
    for role in (await newsroom.ask("GET", f"{USERS}/roles")).json["roles"]:
        if role["name"] in ("Readers", "Labels"):
            await newsroom.ask("DELETE", f"{USERS}/roles/{role['id']}")
    assert (await newsroom.ask("PUT", f"{USERS}/advanced", ADVANCED)).status == 200
    assert await make_role(newsroom, "Readers", f"{STORY}.find")
    assert await make_role(newsroom, "Labels", f"{BADGE}.find")
    return newsroom


async def role_id(room: Newsroom, name: str) -> int:
    roles = (await room.ask("GET", f"{USERS}/roles")).json["roles"]
    return max(int(role["id"]) for role in roles if role["name"] == name)  # the newest one, which this test created


def text(message: str) -> dict[str, Any]:
    options = {"from": {"name": "n", "email": "e@x.example"}, "response_email": "", "object": "s", "message": message}
    return {"email-templates": {"reset_password": {"display": "d", "icon": "i", "options": options}}}


async def default_role(room: Newsroom, by: str) -> Answer:
    return await room.ask("PUT", f"{USERS}/advanced", {**ADVANCED, "default_role": "readers"}, by=by)


async def reset_page(room: Newsroom, by: str) -> Answer:
    body = {**ADVANCED, "email_reset_password": "https://else.example/reset"}
    return await room.ask("PUT", f"{USERS}/advanced", body, by=by)


async def providers(room: Newsroom, by: str) -> Answer:
    body = {"providers": {"google": {"enabled": True, "key": "mine", "secret": "mine"}}}
    return await room.ask("PUT", f"{USERS}/providers", body, by=by)


async def templates(room: Newsroom, by: str) -> Answer:
    return await room.ask("PUT", f"{USERS}/email-templates", text("https://else.example/<%= TOKEN %>"), by=by)


async def new_user(room: Newsroom, by: str) -> Answer:
    role = await role_id(room, "Readers")
    body = {"username": f"u{by}", "email": f"u{by}@x.example", "password": "Abcdef12", "role": role}
    return await room.ask("POST", PEOPLE, body, by=by)


async def other_role(room: Newsroom, by: str) -> Answer:
    role = await role_id(room, "Readers")
    return await room.ask("PUT", f"{PEOPLE}/2", {"role": {"connect": [{"id": role}], "disconnect": []}}, by=by)


async def password(room: Newsroom, by: str) -> Answer:
    assert (await other_role(room, "ada")).status == 200
    return await room.ask("PUT", f"{PEOPLE}/2", {"password": "Another12"}, by=by)


async def address(room: Newsroom, by: str) -> Answer:
    assert (await other_role(room, "ada")).status == 200
    return await room.ask("PUT", f"{PEOPLE}/2", {"email": f"{by}@else.example"}, by=by)


async def webhook(room: Newsroom, by: str) -> Answer:
    return await room.ask("POST", "/admin/webhooks", HOOK, by=by)


async def role_itself(room: Newsroom, by: str) -> Answer:
    body = {"name": "Labels", "description": "", "permissions": tree(f"{STORY}.find")}
    return await room.ask("PUT", f"{USERS}/roles/{await role_id(room, 'Labels')}", body, by=by)


@pytest.mark.parametrize(
    "act",
    [default_role, reset_page, providers, templates, new_user, other_role, password, address, webhook, role_itself],
)
async def test_settings_grant_no_permissions_that_the_administrator_lacks(room: Newsroom, act: Act) -> None:
    assert (await act(room, "edi")).status == 403
    allowed = await act(room, "ada")
    assert allowed.status in (200, 201), allowed.body


async def test_permissions_that_the_administrator_has_are_granted(room: Newsroom) -> None:
    labels = await role_id(room, "Labels")
    given = {"username": "lea", "email": "lea@x.example", "password": "Abcdef12", "role": labels}
    assert (await room.ask("POST", PEOPLE, given, by="edi")).status == 201
    body = {**ADVANCED, "default_role": "labels"}
    assert (await room.ask("PUT", f"{USERS}/advanced", body, by="edi")).status == 200
    given = {"username": "mia", "email": "mia@x.example", "password": "Abcdef12", "role": labels}
    assert (await room.ask("POST", PEOPLE, given, by="edi")).status == 201


async def test_opening_registrations_needs_permission_to_grant_their_role(room: Newsroom) -> None:
    closed = {**ADVANCED, "default_role": "readers", "allow_register": False}
    assert (await room.ask("PUT", f"{USERS}/advanced", closed)).status == 200
    assert (await room.ask("PUT", f"{USERS}/advanced", {**closed, "unique_email": False}, by="edi")).status == 200
    assert (await room.ask("PUT", f"{USERS}/advanced", {**closed, "allow_register": True}, by="edi")).status == 403


@pytest.mark.parametrize("wanted", ["nobody", "", None, 1, ["public"], {"$ne": "x"}])
async def test_a_default_role_exists(room: Newsroom, wanted: Any) -> None:
    refused = await room.ask("PUT", f"{USERS}/advanced", {**ADVANCED, "default_role": wanted})
    assert refused.status == 400
    assert refused.json["error"]["details"]["errors"][0]["path"] == ["default_role"]
    assert "authenticated" in refused.json["error"]["message"]


async def test_unchanged_values_are_saved_again_without_permission(room: Newsroom) -> None:
    for path in ("providers", "email-templates"):
        body = {path: (await room.ask("GET", f"{USERS}/{path}")).json}
        assert (await room.ask("PUT", f"{USERS}/{path}", body)).status == 200
        assert (await room.ask("PUT", f"{USERS}/{path}", body, by="edi")).status == 200


async def test_disabling_webhooks_and_removing_events_needs_no_other_permission(room: Newsroom) -> None:
    made = (await room.ask("POST", "/admin/webhooks", {**HOOK, "events": ["entry.update", "media.create"]})).json[
        "data"
    ]
    one = f"/admin/webhooks/{made['id']}"
    assert (await room.ask("PUT", one, {**HOOK, "url": "https://93.184.216.35/"}, by="edi")).status == 403
    assert (await room.ask("PUT", one, {**HOOK, "isEnabled": False}, by="edi")).status == 200
    assert (await room.ask("PUT", one, {**HOOK, "isEnabled": True}, by="edi")).status == 403
    assert (await room.ask("POST", "/admin/webhooks", {**HOOK, "events": []}, by="edi")).status == 201


async def test_a_deleted_role_does_not_become_the_default(room: Newsroom) -> None:
    """Either the setting comes first, or the role is gone and the request is refused."""
    one = f"{USERS}/roles/{await role_id(room, 'Labels')}"
    body = {**ADVANCED, "default_role": "labels"}
    removed, said = await asyncio.gather(room.ask("DELETE", one), room.ask("PUT", f"{USERS}/advanced", body, by="edi"))
    assert removed.status == 200
    assert said.status in (200, 400), said.body
