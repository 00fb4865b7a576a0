"""Inviting, updating and deleting administrators, and their own profiles, over HTTP on both databases."""

import asyncio
from typing import Any

import pytest

from octavo.accounts.administrators.row_writes import ROLES
from tests.api.admin.client import AdminClient, allow, sign_in
from tests.api.admin.conftest import Office
from tests.models.club import PASSWORD, error
from tests.models.people import write

pytestmark = pytest.mark.anyio

GOOD = "Good-Passw0rd1"
LAST = error(400, "ValidationError", "You must have at least one user with super admin role.")
FORBIDDEN = error(403, "ForbiddenError", "Forbidden")
TAKEN = error(400, "ApplicationError", "Email already taken")


async def emails(ada: AdminClient, query: str) -> list[str]:
    answer = await ada.ask("GET", f"users?{query}")
    assert answer.status == 200, answer.json
    return [person["email"].partition("@")[0] for person in answer.json["data"]["results"]]


async def test_lists(office: Office) -> None:
    ada = await sign_in(office)
    assert await emails(ada, "") == ["ada", "edi", "ina", "blo", "new"]
    assert await emails(ada, "sort=firstname:DESC&pageSize=2&page=2") == ["edi", "blo"]
    assert await emails(ada, "_q=DI@admin") == ["edi"]
    assert await emails(ada, "_q=3") == ["ina"]
    assert await emails(ada, "filters[$and][0][firstname][$startsWith]=I") == ["ina"]
    assert await emails(ada, "filters[id][$in][0]=1&filters[id][$in][1]=4&_q=b") == ["blo"]
    answer = await ada.ask("GET", "users?pageSize=2&fields=email")
    assert answer.json["data"]["pagination"] == {"page": 1, "pageSize": 2, "pageCount": 3, "total": 5}
    name, description = ROLES["strapi-super-admin"]
    role = {"id": 1, "name": name, "description": description, "code": "strapi-super-admin"}
    assert answer.json["data"]["results"][0] == {"id": 1, "email": "ada@admin.example", "roles": [role]}


async def test_a_list_is_one_statement(office: Office) -> None:
    ada = await sign_in(office)
    await emails(ada, "_q=d")
    before = office.club.database.statements
    await emails(ada, "_q=i&pageSize=50&sort=lastname")
    assert office.club.database.statements - before == 1


REFUSED = (
    ("filters[email][$contains]=a", "Invalid parameter email"),
    ("filters[password][$contains]=a", "Invalid parameter password"),
    ("filters[roles][name]=a", "Invalid parameter roles"),
    ("filters[nothing]=1", "Invalid parameter nothing"),
    ("sort=registrationToken", "Invalid parameter registrationToken"),
    ("sort=nothing", "Invalid parameter nothing"),
    ("fields=password", "Invalid parameter password"),
    ("page=0", "Invalid 'page' parameter. Expected an integer > 0, received: 0"),
    ("pageSize=-1", "Invalid 'pageSize' parameter. Expected an integer > 0, received: undefined"),
    ("pageSize=1001", "pageSize must be at most 1000"),
)


async def test_lists_compare_nothing_private(office: Office) -> None:
    ada = await sign_in(office)
    for query, message in REFUSED:
        answer = await ada.ask("GET", f"users?{query}")
        assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_an_invitation(office: Office) -> None:
    ada = await sign_in(office)
    body = {"firstname": "Nina", "email": "NINA@admin.example", "roles": [2], "preferedLanguage": "de"}
    answer = await ada.ask("POST", "users", body)
    made = answer.json["data"]
    assert (answer.status, made["email"], made["isActive"]) == (201, "nina@admin.example", False)
    assert made["roles"][0]["code"] == "strapi-editor"
    token = made["registrationToken"]
    assert "registrationToken" not in (await ada.ask("GET", f"users/{made['id']}")).json["data"]
    stored = await office.club.database.fetch_value("SELECT registration_token FROM admin_users WHERE id = 6")
    assert token not in stored
    info = await office.club.ask("GET", f"/admin/registration-info?registrationToken={token}")
    assert info.json["data"] == {"email": "nina@admin.example", "firstname": "Nina", "lastname": None}
    known = await office.club.ask("GET", f"/admin/registration-info?registrationToken={stored}")
    assert known.json == error(400, "ValidationError", "Invalid registrationToken")
    form = {"registrationToken": token, "userInfo": {"firstname": "Nena", "password": GOOD}}
    answers = await asyncio.gather(*(office.post("register", form) for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [200, 400, 400]
    (entered,) = (answer.json["data"] for answer in answers if answer.status == 200)
    assert (entered["user"]["firstname"], entered["user"]["isActive"]) == ("Nena", True)
    assert (await office.club.ask("GET", "/admin/users/me", token=entered["token"])).status == 200
    assert (await office.log_in("nina", GOOD)).status == 200


WRONG: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({}, ["email is a required field", "firstname is a required field"]),
    ({"email": "x@y.example", "firstname": "X"}, ["roles is a required field"]),
    ({"email": "x@y.example", "firstname": "X", "roles": [99, 1, "x"]}, ["roles[0] is", "roles[2] is"]),
    ({"email": "x@y.example", "firstname": "X", "roles": [1], "isActive": True}, ["this field has unspecified"]),
    ({"email": 5, "firstname": "", "roles": []}, ["email must", "firstname must", "firstname is", "roles field"]),
    ({"email": "x@y.example", "firstname": "X", "roles": [1], "createdBy": 1}, ["this field has unspecified"]),
)


async def test_wrong_invitations(office: Office) -> None:
    ada = await sign_in(office)
    for body, starts in WRONG:
        answer = await ada.ask("POST", "users", body)
        reported = [one["message"] for one in answer.json["error"]["details"]["errors"]]
        assert (answer.status, len(reported)) == (400, len(starts))
        assert all(one.startswith(start) for one, start in zip(reported, starts, strict=True))


async def test_changing_another_administrator(office: Office) -> None:
    ada = await sign_in(office)
    token, _ = await office.session("edi")
    changed = await ada.ask("PUT", "users/2", {"lastname": "Itor", "roles": [1, 2], "password": GOOD, "username": "e"})
    assert [role["id"] for role in changed.json["data"]["roles"]] == [1, 2]
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 401, "with the old password"
    assert (await office.log_in("edi", GOOD)).status == 200
    taken = await ada.ask("PUT", "users/2", {"email": "ADA@admin.example"})
    assert taken.json == error(400, "ApplicationError", "A user with this email address already exists")
    assert (
        await ada.ask("POST", "users", {"firstname": "A", "email": "Ada@admin.example", "roles": [2]})
    ).json == TAKEN
    for body in ({"blocked": True}, {"id": 9}, {"registrationToken": "x"}, {"email": ""}, {"password": "weak"}):
        assert (await ada.ask("PUT", "users/2", body)).status == 400
    assert (await ada.ask("PUT", "users/x", {})).json == error(404, "NotFoundError", "User does not exist")
    assert (await ada.ask("PUT", "users/2", {"isActive": False})).json["data"]["isActive"] is False
    assert (await office.log_in("edi", GOOD)).json == error(400, "ApplicationError", "User not active")


async def test_the_last_super_admin_stays(office: Office) -> None:
    ada = await sign_in(office)
    for method, path, body in (
        ("PUT", "users/1", {"roles": [2]}),
        ("PUT", "users/1", {"isActive": False}),
        ("DELETE", "users/1", None),
        ("POST", "users/batch-delete", {"ids": [2, 1]}),
    ):
        assert (await ada.ask(method, path, body)).json == LAST, "ina is not active, blo is blocked"
    assert await emails(ada, "") == ["ada", "edi", "ina", "blo", "new"], "none is deleted if one cannot be"
    gone = await ada.ask("POST", "users/batch-delete", {"ids": ["2", 2, 5]})
    assert [person["id"] for person in gone.json["data"]] == [2, 5]
    assert (await ada.ask("DELETE", "users/2")).json == error(404, "NotFoundError", "User not found")
    assert (await ada.ask("POST", "users/batch-delete", {"ids": [77]})).status == 404
    assert await emails(ada, "") == ["ada", "ina", "blo"]


async def test_two_administrators_deleting_each_other(office: Office) -> None:
    ada = await sign_in(office)
    await ada.ask("PUT", "users/2", {"roles": [1]})
    edi = await sign_in(office, "edi")
    answers = await asyncio.gather(ada.ask("DELETE", "users/2"), edi.ask("DELETE", "users/1"))
    assert sorted(answer.status for answer in answers) != [200, 200]


async def test_administrators_grant_and_revoke_only_their_own_permissions(office: Office) -> None:
    await allow(office, *(f"admin::users.{name}" for name in ("create", "update", "delete", "read")))
    await write(office.club.database, "INSERT INTO admin_roles (name, code) VALUES ('Bare', 'bare')")
    edi = await sign_in(office, "edi")
    new = {"firstname": "N", "email": "n@admin.example"}
    assert (await edi.ask("POST", "users", {**new, "roles": [1]})).json == FORBIDDEN
    assert (await edi.ask("PUT", "users/2", {"roles": [2, 1]})).json == FORBIDDEN
    assert (await edi.ask("PUT", "users/1", {"password": GOOD})).json == FORBIDDEN
    assert (await edi.ask("PUT", "users/1", {"email": "edi2@admin.example"})).json == FORBIDDEN
    assert (await edi.ask("DELETE", "users/1")).json == FORBIDDEN
    assert (await edi.ask("POST", "users/batch-delete", {"ids": [1]})).json == FORBIDDEN
    assert (await edi.ask("POST", "users", {**new, "roles": [2, 3]})).status == 201, "only roles that he has"


async def test_oneself(office: Office) -> None:
    ada, other = await sign_in(office), await sign_in(office)
    changed = await ada.ask("PUT", "users/me", {"firstname": "Adá", "username": None, "preferedLanguage": "fr"})
    assert (changed.json["data"]["firstname"], changed.json["data"]["preferedLanguage"]) == ("Adá", "fr")
    taken = await ada.ask("PUT", "users/me", {"email": "EDI@admin.example"})
    assert taken.json == error(400, "BadRequestError", "ValidationError", email=["Email already taken"])
    for body in ({"roles": [2]}, {"isActive": False}, {"password": GOOD}, {"firstname": None}):
        assert (await ada.ask("PUT", "users/me", body)).status == 400
    wrong = await ada.ask("PUT", "users/me", {"password": GOOD, "currentPassword": "wrong"})
    assert wrong.json == error(400, "BadRequestError", "ValidationError", currentPassword=["Invalid credentials"])
    right = await ada.ask("PUT", "users/me", {"password": GOOD, "currentPassword": PASSWORD})
    assert right.status == 200
    assert (await ada.ask("GET", "users/me")).status == 200, "this session continues"
    assert (await other.ask("GET", "users/me")).status == 401


async def test_callers_without_permission(office: Office) -> None:
    edi = await sign_in(office, "edi")
    for method, path in (("GET", "users"), ("GET", "users/1"), ("POST", "users"), ("PUT", "users/1")):
        assert (await edi.ask(method, path, None if method == "GET" else {})).json == FORBIDDEN
    assert (await office.club.ask("GET", "/admin/users")).status == 401


async def test_guesses_at_ones_own_password_are_counted(open_office: Any) -> None:
    edi = await sign_in(await open_office(OCTAVO_ADMIN__RATE_LIMIT__MAX="2"), "edi")
    body = {"password": GOOD, "currentPassword": "wrong"}
    assert [(await edi.ask("PUT", "users/me", body)).status for _ in range(3)] == [400, 400, 429]
