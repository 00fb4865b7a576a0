"""Ten concurrent creations of content types and uses of codes have the result of serial ones."""

from collections import Counter
from typing import Any

import pytest

from tests.concurrency.service import NEW_TYPES, TEN, Service, new_type


def test_a_content_type_is_created_once(building: Service) -> None:
    body = new_type("gadget")
    found = building.ten(lambda _: building.ask("POST", NEW_TYPES, body))
    assert Counter(status for status, _ in found)[201] == 1, found
    building.wait_for_type("api::gadget.gadget")
    building.make("POST", "/content-manager/collection-types/api::gadget.gadget", {"name": "G"})


def test_ten_content_types_are_created(building: Service) -> None:
    names = [f"made{chr(97 + number)}" for number in range(TEN)]
    found = building.ten(lambda number: building.ask("POST", NEW_TYPES, new_type(names[number])))
    made = [name for name, (status, _) in zip(names, found, strict=True) if status == 201]
    assert made, found
    for name in made:
        building.wait_for_type(f"api::{name}.{name}")
    uids = {one["uid"] for one in building.make("GET", NEW_TYPES)["data"]}
    assert {name for name in names if f"api::{name}.{name}" in uids} == {*made}, "those that were answered so"


@pytest.mark.parametrize(
    "asks, uses",
    [
        ("/api/auth/forgot-password", "/api/auth/reset-password"),
        ("/admin/forgot-password", "/admin/reset-password"),
    ],
)
def test_a_code_that_was_mailed_is_used_once(building: Service, asks: str, uses: str) -> None:
    if asks.startswith("/api"):
        name = building.new()
        body = {"username": name, "email": f"{name}@example.org", "password": "secret 1"}
        building.make("POST", "/api/auth/local/register", body, token="")
        email = body["email"]
    else:
        email = building.make("GET", "/admin/users/me")["data"]["email"]
    building.make("POST", asks, {"email": email}, token="")
    code = building.mailed_code(email)
    field = "code" if asks.startswith("/api") else "resetPasswordToken"

    def use(number: int) -> tuple[int, Any]:
        password = f"Passw0rd-{number}"
        body = {field: code, "password": password, "passwordConfirmation": password}
        return building.ask("POST", uses, body if field == "code" else {field: code, "password": password}, token="")

    answers = building.ten(use)
    assert Counter(status for status, _ in answers) == {200: 1, 400: 9}, answers
    used = next(number for number, (status, _) in enumerate(answers) if status == 200)
    where, who = ("/api/auth/local", "identifier") if field == "code" else ("/admin/login", "email")
    building.make("POST", where, {who: email, "password": f"Passw0rd-{used}"}, token="")
