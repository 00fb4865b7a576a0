"""Accounts, users and roles over GraphQL: permissions, and hidden fields."""

import itertools
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.api.graphql.asking import ask, messages, send
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.people import write
from tests.models.site import Site

pytestmark = pytest.mark.anyio

PLUGIN = "plugin::users-permissions"
FORBIDDEN = ["Forbidden access"]
GRANTS: dict[str, dict[str, list[str]]] = {
    "Authenticated": {"user": ["me"], "auth": ["changePassword"]},
    "Chief": {
        "user": ["me", "find", "findOne", "create", "update", "destroy"],
        "role": ["find", "findOne", "createRole", "updateRole", "deleteRole"],
        "auth": ["callback", "register", "forgotPassword", "resetPassword", "emailConfirmation"],
    },
}
PASSWORD = "Long enough 1"
counted = itertools.count(1)


@dataclass(frozen=True)
class Staff:
    """A bookshop with two users: their ids, and the token of each caller."""

    site: Site
    ids: dict[str, str]
    tokens: dict[str, str | None]

    async def ask(self, who: str, text: str, **variables: Any) -> Any:
        return await ask(self.site, text, self.tokens[who], **variables)


async def add_role(site: Site, name: str) -> None:
    controllers = {
        controller: {action: {"enabled": True} for action in actions} for controller, actions in GRANTS[name].items()
    }
    body = {"name": name, "description": "x", "permissions": {PLUGIN: {"controllers": controllers}}}
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    path = "/api/users-permissions/roles"
    assert (await call(site.octavo.asgi, "POST", path, headers, [json.dumps(body).encode()])).status == 200


CREATE = """mutation ($d: UsersPermissionsUserInput!) {
  it: createUsersPermissionsUser(data: $d) { data { id attributes { username role { data { id } } } } }
}"""
UPDATE = """mutation ($i: ID!, $d: UsersPermissionsUserInput!) {
  it: updateUsersPermissionsUser(id: $i, data: $d) { data { id attributes { username blocked } } }
}"""
DELETE = "mutation ($i: ID!) { it: deleteUsersPermissionsUser(id: $i) { data { id } } }"
LOGIN = "mutation ($i: UsersPermissionsLoginInput!) { login(input: $i) { jwt user { id username role { name } } } }"


def person(name: str, **more: Any) -> dict[str, Any]:
    given = {"username": name, "email": f"{name}@example.org", "password": PASSWORD, "confirmed": True}
    return {**given, "provider": "local", **more}


async def role_of(site: Site, name: str) -> str:
    text = "query ($n: String) { it: usersPermissionsRoles(filters: { name: { eq: $n } }) { data { id } } }"
    found = await ask(site, text, FULL_TOKEN, n=name)
    return str(found["data"]["it"]["data"][0]["id"])


async def log_in(site: Site, name: str, password: str = PASSWORD) -> Any:
    return await ask(site, LOGIN, FULL_TOKEN, i={"identifier": name, "password": password})


@pytest.fixture(scope="module")
async def staff(scratch: Site) -> Staff:
    tokens: dict[str, str | None] = {"visitor": None, "full": FULL_TOKEN, "some": SOME_TOKEN}
    ids = {}
    for name, role in (("clerk", "Authenticated"), ("chief", "Chief")):
        await add_role(scratch, role)
        await write(scratch.database, "UPDATE up_roles SET type = {v1} WHERE name = {v2}", role.lower(), role)
        made = await ask(scratch, CREATE, FULL_TOKEN, d=person(name, role=await role_of(scratch, role)))
        ids[name] = made["data"]["it"]["data"]["id"]
        tokens[name] = (await log_in(scratch, name))["data"]["login"]["jwt"]
    return Staff(scratch, ids, tokens)


# Permissions


WORK = {
    "create a user": """createUsersPermissionsUser(
      data: {{ username: "n{n}", email: "n{n}@x.org", password: "Secret {n}" }}) {{ data {{ id }} }}""",
    "change a user": 'updateUsersPermissionsUser(id: 99999, data: {{ username: "m{n}" }}) {{ data {{ id }} }}',
    "delete a user": "deleteUsersPermissionsUser(id: 99999) {{ data {{ id }} }}",
    "create a role": 'createUsersPermissionsRole(data: {{ name: "Role {n}", description: "x" }}) {{ ok }}',
    "change a role": 'updateUsersPermissionsRole(id: 99999, data: {{ name: "Role" }}) {{ ok }}',
    "delete a role": "deleteUsersPermissionsRole(id: 99999) {{ ok }}",
}


@pytest.mark.parametrize("text", WORK.values(), ids=WORK)
@pytest.mark.parametrize(
    "who, may", [("visitor", False), ("clerk", False), ("some", False), ("chief", True), ("full", True)]
)
async def test_managing_users_requires_permission(staff: Staff, who: str, may: bool, text: str) -> None:
    answer = await staff.ask(who, f"mutation {{ it: {text.format(n=next(counted))} }}")
    assert (messages(answer) == FORBIDDEN) is not may
    if not may:
        assert answer["data"] in (None, {"it": None})


@pytest.mark.parametrize("field", ["usersPermissionsUsers", "usersPermissionsRoles", "i18NLocales"])
@pytest.mark.parametrize("who, may", [("visitor", False), ("clerk", False), ("full", True)])
async def test_listing_users_requires_permission(staff: Staff, who: str, may: bool, field: str) -> None:
    answer = await staff.ask(who, f"{{ it: {field} {{ data {{ id }} }} }}")
    assert messages(answer) == ([] if may else FORBIDDEN)
    assert bool(answer["data"]["it"]) is may


ENTRANCES = (
    'login(input: { identifier: "clerk", password: "x" }) { jwt }',
    'register(input: { username: "v", email: "v@x.org", password: "Secret 1" }) { jwt }',
    'forgotPassword(email: "clerk@example.org") { ok }',
    'resetPassword(password: "Secret 1", passwordConfirmation: "Secret 1", code: "x") { jwt }',
    'changePassword(currentPassword: "x", password: "Secret 1", passwordConfirmation: "Secret 1") { jwt }',
    'emailConfirmation(confirmation: "x") { jwt }',
)


@pytest.mark.parametrize("text", ENTRANCES)
async def test_registration_and_sign_in_can_be_disabled(staff: Staff, text: str) -> None:
    """The public role of this bookshop has no permission for them."""
    answer = await staff.ask("visitor", f"mutation {{ it: {text} }}")
    assert messages(answer) == FORBIDDEN
    assert answer["data"] in (None, {"it": None})


# The caller's own account


ME = "{ me { id username email confirmed blocked role { name type } __typename } }"


@pytest.mark.parametrize("name, role", [("clerk", "Authenticated"), ("chief", "Chief")])
async def test_users_see_their_own_account(staff: Staff, name: str, role: str) -> None:
    found = await staff.ask(name, ME)
    assert found == {
        "data": {
            "me": {
                "id": staff.ids[name],
                "username": name,
                "email": f"{name}@example.org",
                "confirmed": True,
                "blocked": False,
                "role": {"name": role, "type": role.lower()},
                "__typename": "UsersPermissionsMe",
            }
        }
    }


@pytest.mark.parametrize(
    "who, message",
    [("visitor", "Forbidden access"), ("some", "Forbidden access"), ("full", "Authentication requested")],
)
async def test_me_is_an_error_without_a_user(staff: Staff, who: str, message: str) -> None:
    answer = await staff.ask(who, ME)
    assert (answer["data"], messages(answer)) == ({"me": None}, [message])


@pytest.mark.parametrize("name", ["password", "resetPasswordToken", "confirmationToken", "hash"])
async def test_secrets_of_users_have_no_field(staff: Staff, name: str) -> None:
    assert (await send(staff.site, {"query": f"{{ me {{ {name} }} }}"}, staff.tokens["clerk"])).status == 400
    chosen = f"id: {{ eq: {staff.ids['clerk']} }}"
    text = f"{{ usersPermissionsUsers(filters: {{ {chosen} }}) {{ data {{ attributes {{ {name} }} }} }} }}"
    answer = await send(staff.site, {"query": text}, FULL_TOKEN)
    if answer.status == 200:
        assert answer.json["data"]["usersPermissionsUsers"]["data"] == [{"attributes": {name: None}}]


@pytest.mark.parametrize("name", ["password", "resetPasswordToken", "confirmationToken"])
async def test_secrets_of_users_cannot_be_filtered(staff: Staff, name: str) -> None:
    for arguments in (f'filters: {{ {name}: {{ startsWith: "$" }} }}', f'sort: "{name}"'):
        answer = await send(
            staff.site, {"query": f"{{ usersPermissionsUsers({arguments}) {{ data {{ id }} }} }}"}, FULL_TOKEN
        )
        assert answer.json.get("data") in (None, {"usersPermissionsUsers": None})
        assert messages(answer.json) != []


# Registration and sign-in


async def test_no_provider_is_the_local_one(staff: Staff) -> None:
    given = {"identifier": "clerk", "password": PASSWORD, "provider": ""}
    answer = await ask(staff.site, LOGIN, FULL_TOKEN, i=given)
    assert answer["data"]["login"]["user"]["username"] == "clerk"


async def test_logging_in_needs_the_password(staff: Staff) -> None:
    good = await log_in(staff.site, "clerk")
    assert good["data"]["login"]["user"] == {"id": staff.ids["clerk"], "username": "clerk", "role": None}
    wrong, unknown = await log_in(staff.site, "clerk", "wrong"), await log_in(staff.site, "nobody", "wrong")
    assert wrong == unknown, "the response does not reveal whether the account exists"
    assert (wrong["data"], messages(wrong)) == (None, ["Invalid identifier or password"])


@pytest.mark.parametrize("given", [{"identifier": "", "password": ""}, {"identifier": "clerk", "password": ""}])
async def test_signing_in_needs_an_identifier_and_a_password(staff: Staff, given: dict[str, str]) -> None:
    answer = await ask(staff.site, LOGIN, FULL_TOKEN, i=given)
    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize("value", [None, {"$ne": 1}, ["a"], 5])
async def test_credentials_must_be_texts(staff: Staff, value: Any) -> None:
    body = {"query": LOGIN, "variables": {"i": {"identifier": value, "password": PASSWORD}}}
    answer = await send(staff.site, body, FULL_TOKEN)
    assert (answer.status, answer.json["errors"][0]["extensions"]["code"]) == (400, "BAD_USER_INPUT")


REGISTER = (
    "mutation ($i: UsersPermissionsRegisterInput!) { register(input: $i) { jwt user { username email confirmed } } }"
)


async def test_registration_assigns_the_default_role(staff: Staff) -> None:
    name = f"new{next(counted)}"
    given = {"username": name, "email": f"{name.upper()}@Example.org", "password": PASSWORD}
    answer = await staff.ask("chief", REGISTER, i=given)
    made = answer["data"]["register"]
    assert (made["user"]["username"], made["user"]["email"]) == (name, f"{name}@example.org")
    me = await ask(staff.site, ME, made["jwt"])
    assert me["data"]["me"]["role"] == {"name": "Authenticated", "type": "authenticated"}
    again = await staff.ask("chief", REGISTER, i=given)
    assert (again["data"], messages(again)) == (None, ["Email or Username are already taken"])


@pytest.mark.parametrize("extra", ["role", "confirmed", "blocked", "provider", "id"])
async def test_registration_accepts_no_other_fields(staff: Staff, extra: str) -> None:
    given = {"username": "x", "email": "x@example.org", "password": PASSWORD, extra: 1}
    answer = await send(staff.site, {"query": REGISTER, "variables": {"i": given}}, staff.tokens["chief"])
    assert (answer.status, answer.json["errors"][0]["extensions"]["code"]) == (400, "BAD_USER_INPUT")


async def test_changing_a_password_requires_the_current_one(staff: Staff) -> None:
    name = f"own{next(counted)}"
    await ask(staff.site, CREATE, FULL_TOKEN, d=person(name, role=await role_of(staff.site, "Authenticated")))
    jwt = (await log_in(staff.site, name))["data"]["login"]["jwt"]
    text = """mutation ($old: String!, $new: String!) {
      changePassword(currentPassword: $old, password: $new, passwordConfirmation: $new) { user { username } } }"""
    wrong = await ask(staff.site, text, jwt, old="nope", new="Another 1")
    assert (wrong["data"], messages(wrong)) == ({"changePassword": None}, ["The provided current password is invalid"])
    changed = await ask(staff.site, text, jwt, old=PASSWORD, new="Another 1")
    assert changed == {"data": {"changePassword": {"user": {"username": name}}}}
    assert (await log_in(staff.site, name))["data"] is None
    assert (await log_in(staff.site, name, "Another 1"))["data"]["login"]["user"]["username"] == name


# Administration


async def test_a_user_is_created_updated_and_deleted(staff: Staff) -> None:
    name = f"temp{next(counted)}"
    made = await staff.ask("chief", CREATE, d=person(name, role=await role_of(staff.site, "Authenticated")))
    user = made["data"]["it"]["data"]
    assert user["attributes"]["username"] == name
    changed = await staff.ask("chief", UPDATE, i=user["id"], d={"blocked": True})
    assert changed["data"]["it"]["data"]["attributes"] == {"username": name, "blocked": True}
    assert messages(await log_in(staff.site, name)) == ["Your account has been blocked by an administrator"]
    assert (await staff.ask("chief", DELETE, i=user["id"]))["data"]["it"]["data"] == {"id": user["id"]}
    assert (await staff.ask("chief", DELETE, i=user["id"]))["data"]["it"] == {"data": None}


async def test_a_role_is_created_updated_and_deleted(staff: Staff) -> None:
    name = f"Helper {next(counted)}"

    async def found(wanted: str) -> list[str]:
        text = "query ($n: String) { it: usersPermissionsRoles(filters: { name: { eq: $n } }) { data { id } } }"
        return [entry["id"] for entry in (await staff.ask("chief", text, n=wanted))["data"]["it"]["data"]]

    create = "mutation ($d: UsersPermissionsRoleInput!) { it: createUsersPermissionsRole(data: $d) { ok } }"
    assert (await staff.ask("chief", create, d={"name": name, "description": "x"}))["data"] == {"it": {"ok": True}}
    (role,) = await found(name)
    update = (
        "mutation ($i: ID!, $d: UsersPermissionsRoleInput!) { it: updateUsersPermissionsRole(id: $i, data: $d) { ok } }"
    )
    assert (await staff.ask("chief", update, i=role, d={"name": f"{name} B"}))["data"] == {"it": {"ok": True}}
    assert (await found(name), await found(f"{name} B")) == ([], [role])
    delete = "mutation ($i: ID!) { it: deleteUsersPermissionsRole(id: $i) { ok } }"
    assert (await staff.ask("chief", delete, i=role))["data"] == {"it": {"ok": True}}
    assert await found(f"{name} B") == []
    assert messages(await staff.ask("chief", delete, i=role)) == ["Role not found"]


async def test_the_token_of_a_deleted_user_is_refused(staff: Staff) -> None:
    name = f"gone{next(counted)}"
    made = await ask(staff.site, CREATE, FULL_TOKEN, d=person(name, role=await role_of(staff.site, "Authenticated")))
    jwt = (await log_in(staff.site, name))["data"]["login"]["jwt"]
    await ask(staff.site, DELETE, FULL_TOKEN, i=made["data"]["it"]["data"]["id"])
    assert (await send(staff.site, {"query": ME}, jwt)).status == 401
