"""Ten concurrent writes of names, roles, tokens, accounts and settings have the result of serial ones."""

import json
import time
from collections import Counter
from typing import Any

import pytest

from tests.concurrency.service import LOCALES, TEN, Service


@pytest.mark.parametrize(
    "path, body",
    [
        ("/admin/roles", {"name": "?", "description": ""}),
        ("/admin/api-tokens", {"name": "?", "description": "", "type": "read-only", "lifespan": None}),
        ("/admin/transfer/tokens", {"name": "?", "description": "", "permissions": ["push"], "lifespan": None}),
        ("/admin/users", {"firstname": "N", "lastname": "N", "email": "?@example.org", "roles": [2]}),
        ("/upload/folders", {"name": "?", "parent": None}),
        (
            "/content-manager/collection-types/plugin::users-permissions.user",
            {
                "username": "?",
                "email": "?@example.org",
                "password": "secret 1",
                "role": {"connect": [{"id": 1}], "disconnect": []},
            },
        ),
        ("/content-manager/collection-types/api::badge.badge", {"code": "?"}),
        ("/content-manager/collection-types/api::badge.badge", {"slug": "?"}),
        ("/content-manager/collection-types/api::part.part", {"parts": [{"code": "?"}]}),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(given),
)
def test_concurrent_creations_with_a_name_succeed_once(service: Service, path: str, body: dict[str, Any]) -> None:
    name = service.new()
    named = json.loads(json.dumps(body).replace("?", name))
    found = service.same("POST", path, named)
    assert found[200] + found[201] == 1, found
    assert found[400] == 9, found


@pytest.mark.parametrize(
    "path, body",
    [
        ("/admin/roles", {"name": "?", "description": ""}),
        ("/admin/api-tokens", {"name": "?", "description": "", "type": "read-only", "lifespan": None}),
        ("/upload/folders", {"name": "?", "parent": None}),
        ("/content-manager/collection-types/api::badge.badge", {"code": "?", "slug": "?"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(given),
)
def test_concurrent_renames_to_a_name_succeed_once(service: Service, path: str, body: dict[str, Any]) -> None:
    """Ten existing roles are renamed to the same name."""

    def named(name: str) -> Any:
        return json.loads(json.dumps(body).replace("?", name))

    made = [service.make("POST", path, named(service.new())) for _ in range(TEN)]
    ids = [(one.get("data") or one)["id"] for one in made]
    name = service.new()
    changed = {key: value for key, value in named(name).items() if key != "lifespan"}
    answers = service.ten(lambda number: service.ask("PUT", f"{path}/{ids[number]}", changed, port=number))
    assert Counter(status for status, _ in answers) == {200: 1, 400: 9}, answers


def test_a_locale_is_added_once(service: Service) -> None:
    found = service.same("POST", "/i18n/locales", {"code": "da", "name": "Danish (da)", "isDefault": False})
    assert found == {200: 1, 400: 9}
    codes = [locale["code"] for locale in service.make("GET", "/i18n/locales")]
    assert codes.count("da") == 1


def test_one_locale_is_the_default_one(service: Service) -> None:
    ids = [
        service.make("POST", "/i18n/locales", {"code": LOCALES[number], "name": f"D {number}", "isDefault": False})[
            "id"
        ]
        for number in range(TEN)
    ]
    changed = service.ten(
        lambda number: service.ask(
            "PUT", f"/i18n/locales/{ids[number]}", {"name": f"D {number}", "isDefault": True}, port=number
        )
    )
    assert {status for status, _ in changed} == {200}
    [default] = [locale for locale in service.make("GET", "/i18n/locales") if locale["isDefault"]]
    english = next(one["id"] for one in service.make("GET", "/i18n/locales") if one["code"] == "en")
    removed = service.ten(
        lambda number: (
            service.ask("DELETE", f"/i18n/locales/{ids[number]}", port=number)
            if number
            else service.ask("PUT", f"/i18n/locales/{english}", {"name": "English (en)", "isDefault": True})
        )
    )
    assert Counter(status for status, _ in removed)[200] >= 9, removed
    left = service.make("GET", "/i18n/locales")
    assert [one["code"] for one in left if one["isDefault"]] == ["en"]
    assert default["id"] in ids


def test_an_invitation_is_accepted_once(service: Service) -> None:
    person = {"firstname": "N", "lastname": "N", "email": f"{service.new()}@example.org", "roles": [2]}
    token = service.make("POST", "/admin/users", person)["data"]["registrationToken"]
    info = {"registrationToken": token, "userInfo": {"firstname": "N", "lastname": "N", "password": "Passw0rd-1"}}
    found = service.same("POST", "/admin/register", info, token="")
    assert found[200] + found[201] == 1, found
    assert found[400] == 9, found


def test_one_account_for_a_name_and_an_address(service: Service) -> None:
    name = service.new()
    body = {"username": name, "email": f"{name}@example.org", "password": "secret 1"}
    assert service.same("POST", "/api/auth/local/register", body, token="") == {200: 1, 400: 9}
    answers = service.ten(
        lambda number: service.ask(
            "POST",
            "/api/auth/local/register",
            {**body, "username": f"{name}{number}", "email": f"{name}@x.org"},
            token="",
            port=number,
        )
    )
    assert Counter(status for status, _ in answers) == {200: 1, 400: 9}


def test_one_super_administrator_remains(service: Service) -> None:
    """Of two super administrators, each deletes the other, or removes the other's role. One must remain."""
    roles = service.make("GET", "/admin/roles")["data"]
    top = next(role["id"] for role in roles if role["code"] == "strapi-super-admin")
    for takes in (lambda one: ("DELETE", None), lambda one: ("PUT", {"roles": [2]})):
        people = []
        for _ in range(TEN):
            email = f"{service.new()}@example.org"
            made = service.make(
                "POST", "/admin/users", {"firstname": "N", "lastname": "N", "email": email, "roles": [top]}
            )["data"]
            info = {"firstname": "N", "lastname": "N", "password": "Passw0rd-1"}
            token = service.make(
                "POST", "/admin/register", {"registrationToken": made["registrationToken"], "userInfo": info}, token=""
            )["data"]["token"]
            people.append((made["id"], token))

        def take(number: int, people: list[Any] = people, takes: Any = takes) -> tuple[int, Any]:
            method, body = takes(number)
            target, token = people[(number + 1) % TEN][0], people[number][1]
            return service.ask(method, f"/admin/users/{target}", body, token=token, port=number)

        service.ten(take)
        left = service.make("GET", "/admin/users?pageSize=100")["data"]["results"]
        assert any(top in [role["id"] for role in one["roles"]] for one in left)
        for one, _ in people:
            service.ask("DELETE", f"/admin/users/{one}")


def test_concurrent_regenerations_leave_one_token(service: Service) -> None:
    body = {"name": service.new(), "description": "", "type": "full-access", "lifespan": None}
    token = service.make("POST", "/admin/api-tokens", body)["data"]
    path = f"/admin/api-tokens/{token['id']}/regenerate"
    answers = service.ten(lambda number: service.ask("POST", path, {}, port=number))
    keys = [answer["data"]["accessKey"] for status, answer in answers if status < 300]
    assert len(keys) == TEN
    time.sleep(1.2)  # other processes refresh after a second
    works = [service.ask("GET", "/api/badges", token=key)[0] == 200 for key in keys]
    assert works.count(True) == 1, works


def test_the_configuration_of_a_view_is_that_of_one_request(service: Service) -> None:
    path = "/content-manager/content-types/api::badge.badge/configuration"
    shown = service.make("GET", path)["data"]["contentType"]
    reported = {key: shown[key] for key in ("settings", "metadatas", "layouts")}
    for views in reported["metadatas"].values():
        views["list"].pop("mainField", None)
        views["edit"].pop("mainField", None)

    def ask(number: int) -> tuple[int, Any]:
        given = json.loads(json.dumps(reported))
        given["settings"]["pageSize"] = [10, 20, 50, 100][number % 4]
        given["metadatas"]["code"]["edit"]["label"] = str(given["settings"]["pageSize"])
        return service.ask("PUT", path, given, port=number)

    answers = service.ten(ask)
    assert {status for status, _ in answers} == {200}, answers[0]
    after = service.make("GET", path)["data"]["contentType"]
    assert after["metadatas"]["code"]["edit"]["label"] == str(after["settings"]["pageSize"])


def test_users_never_have_a_deleted_role(service: Service) -> None:
    role = {"name": service.new(), "description": "d", "permissions": {}}
    service.make("POST", "/users-permissions/roles", role)
    roles = service.make("GET", "/users-permissions/roles")["roles"]
    made = next(one for one in roles if one["name"] == role["name"])

    def ask(number: int) -> tuple[int, Any]:
        if number == 4:
            return service.ask("DELETE", f"/users-permissions/roles/{made['id']}", port=number)
        name = service.new()
        user = {
            "username": name,
            "email": f"{name}@example.org",
            "password": "secret 1",
            "role": {"connect": [{"id": made["id"]}], "disconnect": []},
        }
        return service.ask(
            "POST", "/content-manager/collection-types/plugin::users-permissions.user", user, port=number
        )

    answers = service.ten(ask)
    assert answers[4][0] == 200
    for status, answer in answers:
        if status == 201:
            path = f"/content-manager/relations/plugin::users-permissions.user/{answer['id']}/role"
            assert service.make("GET", path)["data"], "everybody has a role"
    default = service.make("GET", "/users-permissions/advanced")["settings"]["default_role"]
    assert any(one["type"] == default for one in service.make("GET", "/users-permissions/roles")["roles"])


def test_webhooks_are_those_that_were_sent(service: Service) -> None:
    names = [service.new() for _ in range(TEN)]
    body = {"url": "https://example.org/", "headers": {}, "events": ["entry.create"]}
    made = service.ten(
        lambda number: service.ask("POST", "/admin/webhooks", {**body, "name": names[number]}, port=number)
    )
    ids = {answer["data"]["id"] for _, answer in made}
    assert len(ids) == TEN
    found = service.same("POST", "/admin/webhooks/batch-delete", {"ids": sorted(ids)})
    assert set(found) <= {200, 404}
    left = {one["id"] for one in service.make("GET", "/admin/webhooks")["data"]}
    assert not left & ids
