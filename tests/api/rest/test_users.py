"""Users and roles written over HTTP on both databases."""

import asyncio
from typing import Any

import pytest

from tests.api.rest.conftest import OpenClub
from tests.models.club import FULL, NEVER, PASSWORD, SAFE, SOME, Club, error, problems
from tests.models.people import write

pytestmark = pytest.mark.anyio

ROLE = "plugin::users-permissions.role"
DORA = {"username": "dora", "email": "Dora@Example.org", "password": "dora-secret", "role": 1}
NO_ROLE = "role must be a `object` type, but the final value was: `null`."
REQUIRED = problems(*((name, f"{name} is a required field") for name in ("email", "username", "password", "role")))


def tree(*actions: str, enabled: Any = True) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for action in actions:
        owner, controller, name = action.rsplit(".", 2)
        controllers = found.setdefault(owner, {"controllers": {}})["controllers"]
        controllers.setdefault(controller, {})[name] = {"enabled": enabled, "policy": ""}
    return found


async def granted(club: Club, role_id: int) -> list[str]:
    text = f"""SELECT p.action FROM up_permissions p JOIN up_permissions_role_links l ON l.permission_id = p.id
        WHERE l.role_id = {role_id} ORDER BY p.action"""
    return [row[0] for row in await club.database.fetch_all(text)]


async def roles(club: Club) -> dict[str, tuple[str, int]]:
    listed = (await club.ask("GET", "/api/users-permissions/roles", token=FULL)).json["roles"]
    return {role["type"]: (role["name"], role["nb_users"]) for role in listed}


async def test_create_change_and_delete(club: Club) -> None:
    answer = await club.post("users", {**DORA, "confirmed": True, "nickname": "D", "nope": 1}, FULL)
    assert answer.status == 201
    made = answer.json
    role = made.pop("role")
    assert (role["type"], made) == (
        "authenticated",
        {
            "id": 4,
            "username": "dora",
            "email": "dora@example.org",
            "provider": "local",
            "confirmed": True,
            "blocked": False,
            "createdAt": made["createdAt"],
            "updatedAt": made["updatedAt"],
            "nickname": "D",
        },
    )
    assert (await club.log_in("dora", "dora-secret")).status == 200
    changed = await club.ask("PUT", "/api/users/4", {"email": "D@Example.org", "password": "other-secret"}, FULL)
    expected = {**made, "email": "d@example.org", "updatedAt": changed.json["updatedAt"], "role": role}
    assert (changed.status, changed.json) == (200, expected)
    assert (await club.log_in("d@example.org", "other-secret")).status == 200
    expected.pop("role")
    deleted = await club.ask("DELETE", "/api/users/4", token=FULL)
    assert (deleted.status, deleted.json) == (200, expected)
    again = await club.ask("DELETE", "/api/users/4", token=FULL)
    assert (again.status, again.body) == (204, b"")


@pytest.mark.parametrize(
    "body", [{"provider": "x", "resetPasswordToken": "x", "confirmationToken": "x", "pin": "x"}, []]
)
async def test_fields_that_cannot_be_written(club: Club, body: Any) -> None:
    text = "SELECT provider, reset_password_token, confirmation_token, pin FROM up_users WHERE id = 1"
    before = await club.database.fetch_row(text)
    assert (await club.ask("PUT", "/api/users/1", body, FULL)).status == 200
    assert before is not None
    assert list(await club.database.fetch_row(text) or ()) == list(before)


async def test_links_need_the_permission_to_find_their_targets(club: Club) -> None:
    made = await club.post("users", {**DORA, "role": 2, "friend": 1}, SOME)
    assert (made.status, "role" in made.json) == (201, False)
    shown = (await club.ask("GET", "/api/users/4?populate=*", token=FULL)).json
    assert (shown["role"]["type"], shown["friend"]) == ("authenticated", None)
    await club.ask("PUT", "/api/users/4", {"role": 2, "friend": 1}, SOME)
    shown = (await club.ask("GET", "/api/users/4?populate=*", token=FULL)).json
    assert (shown["role"]["type"], shown["friend"]) == ("authenticated", None)
    await club.ask("PUT", "/api/users/4", {"role": 2, "friend": 1}, FULL)
    shown = (await club.ask("GET", "/api/users/4?populate=*", token=FULL)).json
    assert (shown["role"]["type"], shown["friend"]["id"]) == ("public", 1)


@pytest.mark.parametrize(
    "method, path, body, expected",
    [
        ("POST", "users", {}, REQUIRED),
        ("POST", "users", [], REQUIRED),
        ("POST", "users", {**DORA, "username": "ann"}, error(400, "ApplicationError", "This attribute must be unique")),
        ("POST", "users", {**DORA, "email": "ANN@example.org"}, error(400, "ApplicationError", "Email already taken")),
        ("POST", "users", {**DORA, "email": "bad"}, problems(("email", "email must be a valid email"))),
        ("POST", "users", {**DORA, "role": None}, problems(("role", NO_ROLE))),
        (
            "POST",
            "users",
            {**DORA, "password": "x" * 73},
            problems(("password", "password must be at most 72 bytes")),
        ),
        (
            "POST",
            "users",
            {**DORA, "role": 99},
            error(400, "ApplicationError", f"1 relation(s) of type {ROLE} associated with this entity do not exist"),
        ),
        (
            "POST",
            "users",
            {**DORA, "username": "", "email": ""},
            problems(
                ("email", "email is a required field"),
                ("username", "username must be at least 1 characters"),
                ("username", "username is a required field"),
            ),
        ),
        ("POST", "users", {**DORA, "role": ""}, problems(("role", "role is a required field"))),
        ("PUT", "users/1", {"role": None}, problems(("role", NO_ROLE))),
        ("PUT", "users/99", {"username": "dora"}, error(404, "NotFoundError", "User not found")),
        ("PUT", "users/abc", {"username": "dora"}, error(404, "NotFoundError", "User not found")),
        ("PUT", "users/1", {"username": "carol"}, error(400, "ApplicationError", "Username already taken")),
        ("PUT", "users/1", {"email": "Carol@example.org"}, error(400, "ApplicationError", "Email already taken")),
        ("PUT", "users/1", {"username": ""}, problems(("username", "username must be at least 1 characters"))),
        ("PUT", "users/1", {"username": "an"}, problems(("username", "username must be at least 3 characters"))),
        ("PUT", "users/1", {"password": ""}, problems(("password", "password must be at least 1 characters"))),
    ],
)
async def test_refusals(club: Club, method: str, path: str, body: Any, expected: Any) -> None:
    answer = await club.ask(method, f"/api/{path}", body, FULL)
    assert (answer.status, answer.json) == (expected["error"]["status"], expected)


async def test_one_of_many_changes_to_one_name_succeeds(club: Club) -> None:
    names = [(1, "dora"), (3, "dora")] * 4
    answers = await asyncio.gather(
        *(club.ask("PUT", f"/api/users/{user_id}", {"username": name}, FULL) for user_id, name in names)
    )
    assert await club.database.fetch_value("SELECT count(*) FROM up_users WHERE username = 'dora'") == 1
    assert {answer.status for answer in answers} == {200, 400}


@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "users"),
        ("PUT", "users/1"),
        ("DELETE", "users/1"),
        ("POST", "users-permissions/roles"),
        ("PUT", "users-permissions/roles/1"),
        ("DELETE", "users-permissions/roles/1"),
        ("GET", "users-permissions/routes"),
    ],
)
async def test_nothing_without_permission(club: Club, method: str, path: str) -> None:
    for token in (None, await club.token_of()):
        answer = await club.ask(method, f"/api/{path}", {} if method in ("POST", "PUT") else None, token)
        assert (answer.status, answer.json) == (403, error(403, "ForbiddenError", "Forbidden"))


@pytest.mark.parametrize("settings", [NEVER, {**NEVER, **SAFE}])
async def test_blocking_a_user_ends_tokens_immediately_and_permanently(
    new_club: OpenClub, settings: dict[str, str]
) -> None:
    club = await new_club(**settings)
    token = await club.token_of()
    seen = [(await club.ask("GET", "/api/users/me", token=token)).status]
    for blocked in (True, False):
        await club.ask("PUT", "/api/users/1", {"blocked": blocked}, FULL)
        seen.append((await club.ask("GET", "/api/users/me", token=token)).status)
    assert seen == [200, 401, 401]
    assert (await club.log_in()).status == 200


@pytest.mark.parametrize("settings, kept", [(NEVER, 200), ({**NEVER, **SAFE}, 401)])
async def test_a_password_set_by_others_ends_sessions(new_club: OpenClub, settings: dict[str, str], kept: int) -> None:
    club = await new_club(**settings)
    token = await club.token_of()
    await club.ask("PUT", "/api/users/1", {"password": "other-secret"}, FULL)
    assert (await club.ask("GET", "/api/users/me", token=token)).status == kept
    assert (await club.log_in("ann", PASSWORD)).status == 400


async def test_tokens_of_deleted_users_are_refused(club: Club) -> None:
    token = await club.token_of()
    await club.ask("DELETE", "/api/users/1", token=FULL)
    assert (await club.ask("GET", "/api/users/me", token=token)).status == 401


async def test_roles_are_created_updated_and_deleted(club: Club) -> None:
    path = "users-permissions/roles"
    actions = ("plugin::users-permissions.user.find", "plugin::upload.content-api.find")
    body = {"name": "Zoë's  2nd Role", "description": "d", "permissions": tree(*actions)}
    for _ in range(2):
        answer = await club.post(path, body, FULL)
        assert (answer.status, answer.json) == (200, {"ok": True})
    assert set(await roles(club)) == {"authenticated", "public", "zoe_s_2_nd_role", "zoe_s_2_nd_role_1"}
    assert await granted(club, 3) == sorted(actions)

    await club.ask("PUT", "/api/users/1", {"role": 3}, FULL)
    token = await club.token_of()
    assert (await club.ask("GET", "/api/users", token=token)).status == 200
    change = {
        "name": "Third",
        "permissions": tree(actions[0], enabled=False) | tree("plugin::users-permissions.user.me"),
    }
    assert (await club.ask("PUT", f"/api/{path}/3", change, FULL)).json == {"ok": True}
    statuses = [(await club.ask("GET", f"/api/users{end}", token=token)).status for end in ("", "/me")]
    assert (statuses, await granted(club, 3)) == ([403, 200], ["plugin::users-permissions.user.me"])
    assert (await club.ask("PUT", f"/api/{path}/3", {"description": "x"}, FULL)).status == 200
    assert await granted(club, 3) == ["plugin::users-permissions.user.me"]
    assert (await roles(club))["zoe_s_2_nd_role"] == ("Third", 1)

    assert (await club.ask("DELETE", f"/api/{path}/3", token=FULL)).json == {"ok": True}
    assert await granted(club, 3) == []
    assert (await roles(club))["public"] == ("Public", 1)
    assert (await club.ask("GET", "/api/users/me", token=token)).status == 403


async def test_no_second_public_role(club: Club) -> None:
    await club.post(
        "users-permissions/roles", {"name": "Public", "permissions": tree("plugin::upload.content-api.find")}, FULL
    )
    assert set(await roles(club)) == {"authenticated", "public", "public_1"}
    assert (await club.ask("GET", "/api/upload/files")).status == 403


async def test_roles_with_short_names(club: Club) -> None:
    await club.post("users-permissions/roles", {"name": "QA", "description": "x", "permissions": {}}, FULL)
    assert "qa" in await roles(club)
    answer = await club.ask("PUT", "/api/users-permissions/roles/2", {"name": "P", "description": "x"}, FULL)
    assert (answer.status, answer.json) == (200, {"ok": True})


@pytest.mark.parametrize(
    "method, path, body, status, name, message",
    [
        ("POST", "", {}, 400, "ValidationError", "Request body cannot be empty"),
        ("POST", "", [1], 400, "ValidationError", "Request body cannot be empty"),
        ("POST", "", {"description": "d"}, 400, "ValidationError", "name must be defined."),
        ("PUT", "/99", {}, 400, "ValidationError", "Request body cannot be empty"),
        ("PUT", "/99", {"name": "abc"}, 404, "NotFoundError", "Role not found"),
        ("PUT", "/abc", {"name": "abc"}, 404, "NotFoundError", "Role not found"),
        ("DELETE", "/99", None, 404, "NotFoundError", "Role not found"),
        ("DELETE", "/2", None, 400, "ApplicationError", "Cannot delete public role"),
    ],
)
async def test_refused_roles(
    club: Club, method: str, path: str, body: Any, status: int, name: str, message: str
) -> None:
    answer = await club.ask(method, f"/api/users-permissions/roles{path}", body, FULL)
    assert (answer.status, answer.json["error"]["name"], answer.json["error"]["message"]) == (status, name, message)
    assert set(await roles(club)) == {"authenticated", "public"}


@pytest.mark.parametrize(
    "permissions",
    [
        1,
        "x",
        [],
        {"api::a": 1},
        {"api::a": {"controllers": 1}},
        {"api::a": {"controllers": {"a": {"find": True}}}},
        tree("no action.x.y"),
        tree(f"api::a.a.{'x' * 300}"),
    ],
)
async def test_invalid_permissions_change_nothing(club: Club, permissions: Any) -> None:
    answer = await club.post("users-permissions/roles", {"name": "Odd", "permissions": permissions}, FULL)
    assert answer.status == 400
    assert set(await roles(club)) == {"authenticated", "public"}


async def test_routes_are_listed(club: Club) -> None:
    routes = (await club.ask("GET", "/api/users-permissions/routes", token=FULL)).json["routes"]
    assert {"method": "POST", "path": "/api/auth/local", "handler": "auth.callback"} in routes[
        "plugin::users-permissions"
    ]
    assert set(routes) >= {"plugin::users-permissions", "plugin::upload", "plugin::i18n"}


async def test_users_without_a_role_are_refused(club: Club) -> None:
    token = await club.token_of()
    await write(club.database, "DELETE FROM up_users_role_links WHERE user_id = 1")
    club_answer = await club.ask("PUT", "/api/users/3", {"nickname": "c"}, FULL)  # invalidates the caches
    assert club_answer.status == 200
    assert (await club.ask("GET", "/api/users/me", token=token)).status == 401
