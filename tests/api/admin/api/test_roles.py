"""Administrators' roles over HTTP on both databases: the default roles, and permissions to change roles."""

from typing import Any

import pytest

from octavo.access.authorization.admin.names import CREATE, DELETE, READ
from tests.api.admin.conftest import Office
from tests.api.http.asgi import Answer
from tests.models.club import error
from tests.models.people import write

pytestmark = pytest.mark.anyio

NOTE = "api::note.note"
FORBIDDEN = error(403, "ForbiddenError", "Forbidden")
TOO_MUCH = "You cannot grant permissions that you do not have"


def right(action: str, subject: str | None = NOTE, *fields: str, conditions: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = {"fields": [*fields]} if fields else {}
    return {"action": action, "subject": subject, "properties": properties, "conditions": [*conditions]}


def said(answer: Answer) -> list[dict[str, Any]]:
    assert answer.status == 200, answer.json
    shown = [{name: value for name, value in one.items() if name != "id"} for one in answer.json["data"]]
    return sorted(shown, key=lambda one: (one["action"], one["subject"] or ""))


async def ask(office: Office, who: str, method: str, path: str, body: Any = None) -> Answer:
    token, _ = await office.session(who)
    return await office.club.ask(method, f"/admin/{path}", body, token)


async def test_default_roles_have_the_permissions_of_v4(office: Office) -> None:
    found = (await ask(office, "ada", "GET", "roles?sort=id")).json["data"]
    assert [(one["id"], one["name"], one["code"], one["usersCount"]) for one in found] == [
        (1, "Super Admin", "strapi-super-admin", 3),
        (2, "Editor", "strapi-editor", 1),
        (3, "Author", "strapi-author", 0),
    ]
    own = ["plugin::upload.assets.update", "plugin::upload.read"]
    for role_id, is_author in ((2, False), (3, True)):
        rights = said(await ask(office, "ada", "GET", f"roles/{role_id}/permissions"))
        about_notes = [one["action"].rpartition(".")[2] for one in rights if one["subject"] == NOTE]
        assert about_notes == ["create", "read", "update"]  # as in v4: without locales there is no permission to delete
        assert {one["action"] for one in rights if one["subject"] is None} >= {*own, "plugin::upload.assets.create"}
        restricted = {one["action"] for one in rights if one["conditions"] == ["admin::is-creator"]}
        assert restricted == ({*own, *(one["action"] for one in rights if one["subject"])} if is_author else set())
    everything = said(await ask(office, "ada", "GET", "roles/1/permissions"))
    assert {"fields": ["title"], "locales": ["en"]} in [one["properties"] for one in everything]
    assert said(await ask(office, "ada", "GET", "users/me/permissions")) == everything


async def test_a_role_is_created_updated_and_deleted(office: Office) -> None:
    made = await ask(office, "ada", "POST", "roles", {"name": "Night shift", "description": "d"})
    assert (made.status, made.json["data"]["name"]) == (201, "Night shift")
    assert made.json["data"]["code"].startswith("night-shift-")
    role_id = made.json["data"]["id"]
    again = await ask(office, "ada", "POST", "roles", {"name": "Night shift"})
    reported = "The name must be unique and a role with name `Night shift` already exists."
    assert again.json == error(400, "ApplicationError", reported)
    changed = (await ask(office, "ada", "PUT", f"roles/{role_id}", {"description": None})).json["data"]
    assert (changed["name"], changed["description"]) == ("Night shift", None)
    given = [right(READ, NOTE, "title", conditions=("admin::is-creator",)), right("plugin::upload.read", None)]
    assert len(said(await ask(office, "ada", "PUT", f"roles/{role_id}/permissions", {"permissions": given}))) == 2
    kept = (await ask(office, "ada", "GET", f"roles/{role_id}/permissions")).json["data"]
    given[0] = right(READ, NOTE, "title")
    now = (await ask(office, "ada", "PUT", f"roles/{role_id}/permissions", {"permissions": given})).json["data"]
    unchanged = {one["id"] for one in kept} & {one["id"] for one in now}
    assert [one["action"] for one in now if one["id"] in unchanged] == ["plugin::upload.read"]
    assert (await ask(office, "ada", "DELETE", f"roles/{role_id}")).json["data"]["id"] == role_id
    assert (await ask(office, "ada", "DELETE", f"roles/{role_id}")).json == {"data": None}
    linked = "SELECT permission_id FROM admin_permissions_role_links"
    assert not await office.club.database.fetch_all(f"SELECT id FROM admin_permissions WHERE id NOT IN ({linked})")


@pytest.mark.parametrize(
    "method, path, body, message",
    [
        ("PUT", "roles/1", {"name": "x"}, "Super admin can't be edited."),
        ("PUT", "roles/1/permissions", {"permissions": []}, "Super admin permissions can't be edited."),
        ("DELETE", "roles/1", None, "You cannot delete the super admin role"),
        ("POST", "roles/batch-delete", {"ids": [3, 2]}, "Some roles are still assigned to some users"),
        ("POST", "roles", {"name": "n" * 256}, "name must be at most 255 characters"),
        ("GET", "roles?filters[users][email][$startsWith]=a", None, "Invalid parameter users"),
        ("GET", "roles?sort=nope", None, "Invalid parameter nope"),
    ],
)
async def test_refused_requests(office: Office, method: str, path: str, body: Any, message: str) -> None:
    answer = await ask(office, "ada", method, path, body)
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


@pytest.mark.parametrize(
    "given, path, message",
    [
        (right("nope", None), ["action"], "action is not an existing permission action"),
        (right(READ, "admin::user", "email"), ["subject"], "Invalid subject submitted"),
        (right(DELETE, NOTE, "title"), ["properties"], "Invalid property set at permissions[0].properties"),
        (
            {**right(READ), "properties": {"fields": "title"}},
            ["properties", "fields"],
            "permissions[0].properties.fields must be a list of distinct names",
        ),
    ],
)
async def test_meaningless_permissions_are_refused(office: Office, given: Any, path: list[str], message: str) -> None:
    answer = await ask(office, "ada", "PUT", "roles/3/permissions", {"permissions": [given]})
    problem = {"path": ["permissions", "0", *path], "message": message, "name": "ValidationError"}
    assert (answer.status, answer.json["error"]["details"]["errors"]) == (400, [problem])


async def test_an_unknown_condition_is_stored_and_grants_nothing(office: Office) -> None:
    given = [right(READ, NOTE, "title", conditions=("api::gone",))]
    answer = await ask(office, "ada", "PUT", "roles/2/permissions", {"permissions": given})
    assert said(answer)[0]["conditions"] == ["api::gone"]
    token, _ = await office.session("edi")
    assert (await office.club.ask("GET", "/api/notes", token=token)).status == 403


async def test_permissions_of_plugins_that_only_v4_has_stay(office: Office) -> None:
    database = office.club.database
    await write(database, "INSERT INTO admin_permissions (id, action) VALUES (900, {v1})", "plugin::forms.read")
    await write(database, "INSERT INTO admin_permissions_role_links (permission_id, role_id) VALUES ({v1}, 2)", 900)
    shown = said(await ask(office, "ada", "GET", "roles/2/permissions"))
    assert "plugin::forms.read" not in {one["action"] for one in shown}
    given = [right(READ, NOTE, "title")]
    changed = said(await ask(office, "ada", "PUT", "roles/2/permissions", {"permissions": given}))
    assert [one["action"] for one in changed] == [READ]
    assert await database.fetch_value("SELECT action FROM admin_permissions WHERE id = 900") == "plugin::forms.read"


async def test_permissions_change_immediately_and_are_shown(office: Office) -> None:
    token, _ = await office.session("edi")

    async def notes() -> int:
        return (await office.club.ask("GET", "/api/notes", token=token)).status

    async def may() -> list[bool]:
        asked = [{"action": READ, "subject": NOTE, "field": "title"}, {"action": "nothing"}]
        answer = await office.club.ask("POST", "/admin/permissions/check", {"permissions": asked}, token)
        return list(answer.json["data"])

    assert (await notes(), await may()) == (200, [True, False])
    await ask(office, "ada", "PUT", "roles/2/permissions", {"permissions": []})
    assert (await notes(), await may()) == (403, [False, False])
    assert (await office.club.ask("GET", "/admin/roles", token=token)).json == FORBIDDEN


async def test_administrators_grant_only_permissions_that_they_have(office: Office) -> None:
    own = [right(READ, NOTE, "title"), right("admin::roles.update", None), right("admin::roles.read", None)]
    await ask(office, "ada", "PUT", "roles/2/permissions", {"permissions": own})
    for more in (right(CREATE, NOTE, "title"), right("admin::users.create", None), right(READ, NOTE)):
        kept = [one for one in own if (one["action"], one["subject"]) != (more["action"], more["subject"])]
        answer = await ask(office, "edi", "PUT", "roles/2/permissions", {"permissions": [*kept, more]})
        place = {"path": ["permissions", str(len(kept))], "message": TOO_MUCH, "name": "ForbiddenError"}
        assert answer.json["error"] == {
            "status": 403,
            "name": "ForbiddenError",
            "message": TOO_MUCH,
            "details": {"errors": [place]},
        }, more
    await ask(office, "ada", "PUT", "roles/3/permissions", {"permissions": []})
    less = [right(READ, NOTE, "title", conditions=("admin::is-creator",))]
    assert said(await ask(office, "edi", "PUT", "roles/3/permissions", {"permissions": less}))


async def test_roles_with_more_permissions_cannot_be_changed(office: Office) -> None:
    kept = {"permissions": [right(READ, NOTE, "title"), right("admin::users.read", None)]}
    made = [await ask(office, "ada", "POST", "roles", {"name": name}) for name in ("Stronger", "Weaker")]
    stronger, weaker = (one.json["data"]["id"] for one in made)
    await ask(office, "ada", "PUT", f"roles/{stronger}/permissions", kept)
    about_roles = [right(f"admin::roles.{action}", None) for action in ("read", "update", "delete")]
    own = {"permissions": [right(READ, NOTE, "title"), *about_roles]}
    await ask(office, "ada", "PUT", "roles/2/permissions", own)
    for method, path, body in (
        ("PUT", f"roles/{stronger}/permissions", {"permissions": []}),
        ("PUT", f"roles/{stronger}", {"name": "Nobody"}),
        ("DELETE", f"roles/{stronger}", None),
        ("POST", "roles/batch-delete", {"ids": [weaker, stronger]}),
    ):
        assert (await ask(office, "edi", method, path, body)).json == FORBIDDEN, path
    assert len(said(await ask(office, "ada", "GET", f"roles/{stronger}/permissions"))) == 2
    assert (await ask(office, "ada", "GET", f"roles/{weaker}")).status == 200
    given = {"permissions": [right(READ, NOTE, "title", conditions=("admin::is-creator",))]}
    for method, path, body in (
        ("PUT", f"roles/{weaker}/permissions", given),
        ("PUT", f"roles/{weaker}/permissions", {"permissions": []}),
        ("PUT", f"roles/{weaker}", {"name": "Weak"}),
        ("DELETE", f"roles/{weaker}", None),
        ("PUT", "roles/2/permissions", {"permissions": about_roles}),
    ):
        assert (await ask(office, "edi", method, path, body)).status == 200, path


async def test_new_locales_are_granted_to_super_admins_immediately(office: Office) -> None:
    await write(office.club.database, "INSERT INTO i18n_locale (name, code) VALUES ({v1}, {v2})", "Français", "fr")
    shown = (await ask(office, "edi", "GET", "permissions")).json["data"]["sections"]["collectionTypes"]["subjects"]
    properties = next(one["properties"] for one in shown if one["uid"] == NOTE)
    assert [one["value"] for one in properties[1]["children"]] == ["en", "fr"]
