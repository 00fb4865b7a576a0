"""Roles, settings and email templates of users, managed by administrators over HTTP."""

from typing import Any

import pytest

from tests.api.admin.newsroom import Newsroom
from tests.models.people import write

pytestmark = pytest.mark.anyio

USERS = "/users-permissions"
PLUGIN = "plugin::users-permissions"
TAG = "api::note"


def tree(*actions: str) -> dict[str, Any]:
    return {TAG: {"controllers": {"note": {action: {"enabled": True, "policy": ""} for action in actions}}}}


def text(message: str, subject: str = "Subject") -> dict[str, Any]:
    """Return email templates in the form that the API expects."""
    sender = {"name": "Us", "email": "us@site.example"}
    options = {"from": sender, "response_email": "", "object": subject, "message": message}
    return {"email-templates": {"reset_password": {"display": "d", "icon": "i", "options": options}}}


async def roles(room: Newsroom) -> dict[str, dict[str, Any]]:
    answer = await room.ask("GET", f"{USERS}/roles")
    assert answer.status == 200, answer.body
    return {role["type"]: role for role in answer.json["roles"]}


async def test_a_role_is_created_updated_and_deleted(newsroom: Newsroom) -> None:
    body = {"name": "Checkers", "description": "check", "permissions": tree("find")}
    assert (await newsroom.ask("POST", f"{USERS}/roles", body)).json == {"ok": True}
    made = (await roles(newsroom))["checkers"]
    one = f"{USERS}/roles/{made['id']}"
    shown = (await newsroom.ask("GET", one)).json["role"]
    actions = shown["permissions"][TAG]["controllers"]["note"]
    assert (actions["find"]["enabled"], actions["create"]["enabled"]) == (True, False)
    assert (await newsroom.ask("PUT", one, {"description": "no more", "permissions": tree("create")})).status == 200
    shown = (await newsroom.ask("GET", one)).json["role"]
    actions = shown["permissions"][TAG]["controllers"]["note"]
    assert (actions["find"]["enabled"], actions["create"]["enabled"], shown["name"]) == (False, True, "Checkers")
    assert (await newsroom.ask("PUT", one, {"description": "nothing is said of rights"})).status == 200
    actions = (await newsroom.ask("GET", one)).json["role"]["permissions"][TAG]["controllers"]["note"]
    assert not any(action["enabled"] for action in actions.values())
    assert (await newsroom.ask("DELETE", one)).json == {"ok": True}
    assert (await newsroom.ask("GET", one)).json["error"]["message"] == "Role not found"


async def test_users_of_a_removed_role_become_public(newsroom: Newsroom) -> None:
    before = await roles(newsroom)
    await newsroom.ask("POST", f"{USERS}/roles", {"name": "Leavers"})
    role_id = (await roles(newsroom))["leavers"]["id"]
    leaver = {"username": "leaver", "email": "leaver@site.example", "password": "Abcdef12", "role": role_id}
    made = await newsroom.ask("POST", "/content-manager/collection-types/plugin::users-permissions.user", leaver)
    assert made.status == 201, made.body
    assert (await roles(newsroom))["leavers"]["nb_users"] == 1
    await newsroom.ask("DELETE", f"{USERS}/roles/{role_id}")
    after = await roles(newsroom)
    assert after["public"]["nb_users"] == before["public"]["nb_users"] + 1
    refused = await newsroom.ask("DELETE", f"{USERS}/roles/{after['public']['id']}")
    assert refused.json["error"]["message"] == "Cannot delete public role"


async def test_actions_that_can_be_granted_are_listed(newsroom: Newsroom) -> None:
    permissions = (await newsroom.ask("GET", f"{USERS}/permissions", by="edi")).json["permissions"]
    assert permissions[TAG]["controllers"]["note"]["find"] == {"enabled": False, "policy": ""}
    listed = (await newsroom.ask("GET", f"{USERS}/routes", by="edi")).json["routes"]
    assert {route["path"] for route in listed[TAG]} == {"/api/notes", "/api/notes/:id", "/api/notes/:id/localizations"}
    assert (await newsroom.ask("GET", f"{USERS}/policies", by="edi")).json == {"policies": []}


async def test_how_users_register(newsroom: Newsroom) -> None:
    closed = {"unique_email": True, "allow_register": False, "email_confirmation": False, "default_role": "public"}
    assert (await newsroom.ask("PUT", f"{USERS}/advanced", {**closed, "more": 1})).json == {"ok": True}
    shown = (await newsroom.ask("GET", f"{USERS}/advanced")).json
    assert shown["settings"] == closed
    assert {role["type"] for role in shown["roles"]} >= {"authenticated", "public"}
    late = {"username": "late", "email": "late@site.example", "password": "Abcdef12"}
    refused = await newsroom.office.club.ask("POST", "/api/auth/local/register", late)
    assert refused.json["error"]["message"] == "Register action is currently disabled"
    wrong: list[Any] = [{}, [], ["x"]]
    for body in wrong:
        assert (await newsroom.ask("PUT", f"{USERS}/advanced", body)).status == 400


async def test_providers(newsroom: Newsroom, caplog: pytest.LogCaptureFixture) -> None:
    defaults = (await newsroom.ask("GET", f"{USERS}/providers")).json
    assert (defaults["email"]["enabled"], defaults["github"]["enabled"]) == (True, False)
    github = {"enabled": True, "icon": "github", "key": "k", "secret": "very-secret", "scope": ["user"]}
    given = {"email": {"enabled": True, "icon": "envelope"}, "github": github}
    assert (await newsroom.ask("PUT", f"{USERS}/providers", {"providers": given})).json == {"ok": True}
    shown = (await newsroom.ask("GET", f"{USERS}/providers")).json
    assert shown["github"].pop("redirectUri").endswith("/api/connect/github/callback")
    assert shown == given
    wrong: list[Any] = [{}, {"providers": 1}, {"providers": {"github": 1}}, {"x": {}}]
    for body in wrong:
        assert (await newsroom.ask("PUT", f"{USERS}/providers", body)).status == 400
    await newsroom.allow(f"{PLUGIN}.providers.update")
    assert (await newsroom.ask("GET", f"{USERS}/providers", by="edi")).status == 403
    assert (await newsroom.ask("PUT", f"{USERS}/providers", {"providers": given}, by="edi")).status == 200
    assert "very-secret" not in caplog.text


@pytest.mark.parametrize(
    "message, subject, is_sound",
    [
        ("<%= URL %>?code=<%=TOKEN%> <%= USER.email %>", "Hello <%= USER.username %>", True),
        ("$URL {URL} <%= URL", "", True),
        ("<%= process.env %>", "", False),
        ("<%= USER.password %>", "", False),
        ("<% if (1) {} %>", "", False),
        ("<%- URL %>", "", False),
        ("${URL}", "", False),
        ("fine", "<%= process.env %>", False),
    ],
)
async def test_email_templates_contain_only_data(
    newsroom: Newsroom, message: str, subject: str, is_sound: bool
) -> None:
    given = text(message, subject)
    answer = await newsroom.ask("PUT", f"{USERS}/email-templates", given)
    if is_sound:
        assert answer.json == {"ok": True}
        assert (await newsroom.ask("GET", f"{USERS}/email-templates")).json == given["email-templates"]
    else:
        assert (answer.status, answer.json["error"]["message"]) == (400, "Invalid template")


@pytest.mark.parametrize("body", [{}, [], {"x": 1}, {"email-templates": {"reset_password": {}}}])
async def test_invalid_email_templates(newsroom: Newsroom, body: Any) -> None:
    assert (await newsroom.ask("PUT", f"{USERS}/email-templates", body)).status == 400


async def test_default_email_templates(newsroom: Newsroom) -> None:
    statement = "DELETE FROM strapi_core_store_settings WHERE {key:name} = {v1}"
    await write(newsroom.office.club.database, statement, "plugin_users-permissions_email")
    shown = (await newsroom.ask("GET", f"{USERS}/email-templates")).json
    assert set(shown) == {"reset_password", "email_confirmation"}
    assert (await newsroom.ask("PUT", f"{USERS}/email-templates", {"email-templates": shown})).json == {"ok": True}


async def test_mail_leaves(newsroom: Newsroom) -> None:
    await newsroom.allow("plugin::email.settings.read")
    shown = (await newsroom.ask("GET", "/email/settings", by="edi")).json["config"]
    assert shown["settings"]["defaultFrom"]
    before = len(await newsroom.office.club.mails(0))
    body = {"to": ["a@site.example", "b@site.example"], "subject": "Hello", "text": "1 < 2"}
    assert (await newsroom.ask("POST", "/email/", body)).json == {}
    assert (await newsroom.ask("POST", "/email/test", {"to": "c@site.example"}, by="edi")).json == {}
    mails = await newsroom.office.club.mails(before + 3)
    assert [mail["To"] for mail in mails[before:]] == ["a@site.example", "b@site.example", "c@site.example"]
    assert mails[before]["Subject"] == "Hello"


@pytest.mark.parametrize(
    "body, message",
    [
        ({}, "No recipient(s) are given"),
        ({"to": ""}, "No recipient(s) are given"),
        ({"to": 5}, "to must be an email address or a list of email addresses"),
        ({"to": ["a@site.example"] * 51}, "An email can have at most 50 recipients"),
        ({"to": "a@site.example", "subject": 5}, "subject must be a string"),
    ],
)
async def test_invalid_emails(newsroom: Newsroom, body: Any, message: str) -> None:
    answer = await newsroom.ask("POST", "/email/", body)
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_callers_without_permission_are_refused(newsroom: Newsroom) -> None:
    for method, target in (
        ("GET", f"{USERS}/roles"),
        ("POST", f"{USERS}/roles"),
        ("PUT", f"{USERS}/roles/1"),
        ("DELETE", f"{USERS}/roles/1"),
        ("GET", f"{USERS}/advanced"),
        ("PUT", f"{USERS}/advanced"),
        ("GET", f"{USERS}/providers"),
        ("GET", f"{USERS}/email-templates"),
        ("PUT", f"{USERS}/email-templates"),
        ("GET", "/email/settings"),
        ("POST", "/email/test"),
    ):
        body: dict[str, Any] | None = None if method == "GET" else {"name": "x"}
        assert (await newsroom.ask(method, target, body, by="edi")).status == 403, target
        assert (await newsroom.office.club.ask(method, target, body)).status == 401, target


LINKS = ("email_reset_password", "email_confirmation_redirection")
NO_LINKS = [
    *("javascript:alert(1)", "JavaScript://x.example/%0aalert(1)", " javascript:alert(1)", "java\tscript:alert(1)"),
    *("data:text/html,x", "vbscript:x", "file:///etc/passwd", "//evil.example", "/\\evil.example", "\\\\evil.example"),
    *("https://site.example@evil.example/", "https://", "https://a b", "ftp://a.example", 5, ["/"]),
    *(" //a.example", "/\t/evil.example"),
]


@pytest.mark.parametrize("link", NO_LINKS)
async def test_links_in_settings_point_to_pages(newsroom: Newsroom, link: Any) -> None:
    before = (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"]
    for name in LINKS:
        answer = await newsroom.ask("PUT", f"{USERS}/advanced", {**before, name: link})
        assert answer.status == 400, (name, answer.body)
        assert answer.json["error"]["message"].startswith(f"{name} must be a URL that begins with http")
    assert (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"] == before
    providers = (await newsroom.ask("GET", f"{USERS}/providers")).json
    for name in ("callback", "redirectUri", "callbackUrl", "authorize_url"):
        if link == ["/"]:
            continue  # v4 stores lists of paths
        github = {**providers["github"], name: link}
        answer = await newsroom.ask("PUT", f"{USERS}/providers", {"providers": {**providers, "github": github}})
        assert answer.status == 400, (name, answer.body)
        assert f"providers.github.{name}" in answer.json["error"]["message"]


@pytest.mark.parametrize("link", ["https://site.example/reset?x=1#y", "http://localhost:3000", "/welcome", "", None])
async def test_links_to_pages_are_stored(newsroom: Newsroom, link: Any) -> None:
    before = (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"]
    given = {**before, **dict.fromkeys(LINKS, link)}
    assert (await newsroom.ask("PUT", f"{USERS}/advanced", given)).status == 200
    assert (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"] == given
    providers = (await newsroom.ask("GET", f"{USERS}/providers")).json
    github = {**providers["github"], "callback": link or "api/auth/github/callback"}
    answer = await newsroom.ask("PUT", f"{USERS}/providers", {"providers": {**providers, "github": github}})
    assert answer.status == 200, answer.body


async def test_invalid_urls_are_stored_and_not_followed(newsroom: Newsroom) -> None:
    before = (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"]
    given = {**before, **dict.fromkeys(LINKS, "not a url")}
    assert (await newsroom.ask("PUT", f"{USERS}/advanced", given)).status == 200
    assert (await newsroom.ask("GET", f"{USERS}/advanced")).json["settings"] == given
