"""Administrators exceeding their permissions over HTTP: users' secrets, users' roles, emails, webhooks."""

from typing import Any

import pytest

from tests.api.admin.client import allow, sign_in
from tests.api.admin.conftest import Office
from tests.api.admin.newsroom import STORY, Newsroom
from tests.models.club import NEVER, SAFE
from tests.models.people import write

pytestmark = pytest.mark.anyio

USER = "plugin::users-permissions.user"
USERS = f"/content-manager/collection-types/{USER}"
ROLES = "/users-permissions/roles"


@pytest.fixture
async def safe(open_office: Any) -> Office:
    office: Office = await open_office(**NEVER, **SAFE)
    return office


@pytest.mark.parametrize("secret", ["resetPasswordToken", "confirmationToken"])
async def test_tokens_of_users_are_not_readable(newsroom: Newsroom, secret: str) -> None:
    column = {"resetPasswordToken": "reset_password_token", "confirmationToken": "confirmation_token"}[secret]
    await newsroom.allow("read", USER)

    async def found(by: str) -> list[Any]:
        asked = (f"filters[{secret}][$startsWith]=a1", f"filters[{secret}][$null]=true", f"sort={secret}", "_q=a1b2c3")
        answers = [await newsroom.ask("GET", f"{USERS}?{one}", by=by) for one in asked]
        return [[one["id"] for one in answer.json["results"]] for answer in answers]

    for by in ("ada", "edi"):
        before = await found(by)
        for value in ("a1b2c3", None):
            await write(newsroom.office.club.database, f"UPDATE up_users SET {column} = {{v1}} WHERE id = 2", value)
            assert await found(by) == before


async def test_users_are_changed_in_granted_fields(newsroom: Newsroom) -> None:
    await newsroom.allow("read", USER, "username", "role")
    await newsroom.allow("update", USER, "username")
    stored = "SELECT email, password, provider, reset_password_token, confirmed FROM up_users WHERE id = 3"
    role = "SELECT role_id FROM up_users_role_links WHERE user_id = 3"
    database = newsroom.office.club.database
    before = [tuple(row) for text in (stored, role) for row in await database.fetch_all(text)]
    for body in (
        {"role": {"connect": [{"id": 2}], "disconnect": []}},
        {"role": 2, "password": "Abcdef12", "confirmed": True, "email": "x@site.example"},
        {"resetPasswordToken": "mine", "provider": "google", "id": 1, "createdBy": 1},
    ):
        assert (await newsroom.ask("PUT", f"{USERS}/3", body, by="edi")).status == 200
    assert [tuple(row) for text in (stored, role) for row in await database.fetch_all(text)] == before


def tree(*actions: str) -> dict[str, Any]:
    """Return a permission tree of users that enables the given actions."""
    found: dict[str, Any] = {}
    for action in actions:
        owner, controller, name = action.split(".")
        controllers = found.setdefault(owner, {"controllers": {}})["controllers"]
        controllers.setdefault(controller, {})[name] = {"enabled": True}
    return found


async def test_users_get_no_permissions_that_the_administrator_lacks(newsroom: Newsroom) -> None:
    for verb in ("read", "create", "update"):
        await newsroom.allow(f"plugin::users-permissions.roles.{verb}")
    await newsroom.allow("read", STORY, "title")
    usual = "plugin::users-permissions.auth.callback"
    body = {"name": "Readers", "description": "", "permissions": tree("api::story.story.find", usual)}
    rest = {"name": "Readers", "permissions": tree("api::story.story.find")}
    for target, given in ((ROLES, body), ("/api/users-permissions/roles", rest)):
        assert (await newsroom.ask("POST", target, given, by="edi")).status == 403
    ada = {**body, "permissions": tree("api::story.story.find", "api::badge.badge.find", usual)}
    assert (await newsroom.ask("POST", ROLES, ada)).status == 200
    known = (await newsroom.ask("GET", ROLES)).json["roles"]
    one = f"{ROLES}/{max(role['id'] for role in known)}"
    less = {**body, "permissions": tree("api::badge.badge.find", usual)}
    assert (await newsroom.ask("PUT", one, less, by="edi")).status == 200
    assert (await newsroom.ask("PUT", one, body, by="edi")).status == 403, "restoring a permission is granting it"
    await newsroom.allow("read", STORY)
    assert (await newsroom.ask("PUT", one, body, by="edi")).status == 200


MAIL = {"to": "ann@example.org", "from": "boss@example.org", "subject": "s", "text": "t"}


async def test_under_v4_every_administrator_can_send_mails(office: Office) -> None:
    assert (await office.club.ask("POST", "/email/", MAIL, (await office.session("edi"))[0])).status == 200


async def test_mails_need_permission(safe: Office) -> None:
    editor = (await safe.session("edi"))[0]
    assert (await safe.club.ask("POST", "/email/", MAIL, editor)).status == 403
    await allow(safe, "plugin::email.settings.read")
    assert (await safe.club.ask("POST", "/email/", MAIL, editor)).status == 200


async def test_webhooks_are_given_no_private_addresses(safe: Office) -> None:
    boss = await sign_in(safe)
    body = {"name": "w", "url": "http://127.0.0.1:9999/", "headers": {}, "events": []}
    private = (
        "http://127.0.0.1:9/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest",
        "http://2130706433/",
    )
    for url in (body["url"], *private):
        refused = await boss.ask("POST", "webhooks", {**body, "url": url})
        [error] = refused.json["error"]["details"]["errors"]
        assert (refused.status, error["path"]) == (400, ["url"])
        assert "is not a public address. To allow it, add" in error["message"]
        assert "to privateHosts in [webhooks] of config/server.toml" in error["message"]
    for url in ("nope", "ftp://example.org/", "http://"):
        refused = await boss.ask("POST", "webhooks", {**body, "url": url})
        assert refused.json["error"]["message"] == "url must be a URL that begins with http:// or https://"
    made = await boss.ask("POST", "webhooks", {**body, "url": "https://93.184.216.34/"})
    assert made.status == 201
    one = f"webhooks/{made.json['data']['id']}"
    assert (await boss.ask("PUT", one, body)).status == 400
    await write(safe.club.database, "UPDATE strapi_webhooks SET url = {v1}", body["url"])
    switched = await boss.ask("PUT", one, {**body, "isEnabled": False})
    assert switched.status == 200, "an existing webhook can be disabled"
