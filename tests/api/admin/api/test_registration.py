"""The first administrator, and password resets by email, over HTTP on both databases."""

import asyncio
import re
from typing import Any

import pytest

from octavo.core.clock import move
from tests.api.admin.conftest import Office
from tests.models.club import NEVER, SAFE, error
from tests.models.people import write

pytestmark = pytest.mark.anyio

GOOD = "Good-Passw0rd1"
BOSS = {"firstname": "New", "lastname": "Boss", "email": "boss@admin.example", "password": GOOD}
FAILED = error(400, "ApplicationError", "An application error occured")
NOT_FIRST = error(400, "ApplicationError", "You cannot register a new super admin")


@pytest.fixture
async def empty_office(new_club: Any) -> Any:
    async def open_new(**settings: str) -> Office:
        return Office(await new_club(**NEVER, **settings))

    return open_new


async def test_the_first_administrator_is_one(empty_office: Any) -> None:
    office = await empty_office()
    weak = await office.post("register-admin", {**BOSS, "password": "weak", "roles": [1]})
    assert weak.json["error"]["message"] == "4 errors occurred"
    bosses = ({**BOSS, "email": f"boss{number}@admin.example"} for number in range(20))
    answers = await asyncio.gather(*(office.post("register-admin", boss) for boss in bosses))
    assert sorted(answer.status for answer in answers) == [200, *[400] * 19]
    assert await office.club.database.fetch_value("SELECT count(*) FROM admin_users") == 1
    (data,) = (answer.json["data"] for answer in answers if answer.status == 200)
    assert [role["code"] for role in data["user"]["roles"]] == ["strapi-super-admin"]
    assert (await office.club.ask("GET", "/admin/users", token=data["token"])).status == 200
    assert (await office.post("register-admin", BOSS)).json == NOT_FIRST


async def test_a_sealed_first_administrator_needs_the_code_or_this_machine(empty_office: Any) -> None:
    office = await empty_office(**SAFE)
    code = office.club.octavo.infrastructure.registration.first_code()
    assert (await office.post("register-admin", BOSS)).status == 403
    assert (await office.post("register-admin", {**BOSS, "code": "x"})).status == 403
    forwarded = await office.post("register-admin", BOSS, client="127.0.0.1", headers=(("X-Forwarded-For", "1.2.3.4"),))
    assert forwarded.status == 403, "a proxy on this machine is not this machine"
    assert (await office.post("register-admin", {**BOSS, "code": code})).status == 200
    assert (await office.post("register-admin", {**BOSS, "code": code})).json == NOT_FIRST


async def test_a_sealed_first_administrator_from_here(empty_office: Any) -> None:
    office = await empty_office(**SAFE)
    assert (await office.post("register-admin", BOSS, client="127.0.0.1")).status == 200


@pytest.mark.parametrize("profile", [{}, SAFE])
async def test_dns_rebinding_creates_no_administrator(empty_office: Any, profile: dict[str, str]) -> None:
    office = await empty_office(**profile)
    for host in ("evil.example:1337", "192.168.1.5", "localhost.evil.example", "evil.example, localhost"):
        answer = await office.post("register-admin", BOSS, client="127.0.0.1", headers=(("Host", host),))
        assert answer.status in (400, 403), host
    assert await office.club.database.fetch_value("SELECT count(*) FROM admin_users") == 0
    answer = await office.post("register-admin", BOSS, client="127.0.0.1", headers=(("Host", "localhost:1337"),))
    assert answer.status == 200


async def mailed(office: Office, count: int = 1) -> str:
    (*_, mail) = await office.club.mails(count)
    body = mail.get_body(("plain",))
    assert body is not None
    found = re.search(r"code=([0-9a-f]{40})", body.get_content().replace("\n", ""))
    assert found is not None
    return found[1]


async def test_a_forgotten_password(office: Office) -> None:
    old = (await office.session("edi"))[0]
    for name in ("nobody", "ina", "blo"):
        answer = await office.post("forgot-password", {"email": f"{name}@admin.example"})
        assert (answer.status, answer.body) == (204, b""), "the response does not reveal whether the account exists"
    assert (await office.post("forgot-password", {"email": "edi@admin.example"})).status == 204
    token = await mailed(office)
    stored = await office.club.database.fetch_value("SELECT reset_password_token FROM admin_users WHERE id = 2")
    assert token not in stored
    for wrong in ("bad", stored, token[:-1] + "g", "ffffffff" + token[8:]):
        assert (await office.post("reset-password", {"resetPasswordToken": wrong, "password": GOOD})).json == FAILED
    body = {"resetPasswordToken": token, "password": GOOD}
    answers = await asyncio.gather(*(office.post("reset-password", body) for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [200, 400, 400], "once"
    assert (await office.club.ask("GET", "/admin/users/me", token=old)).status == 401
    assert (await office.log_in("edi", GOOD)).status == 200


async def test_a_mailed_token_ends(office: Office) -> None:
    await office.post("forgot-password", {"email": "edi@admin.example"})
    token = await mailed(office)
    move(3601)
    try:
        assert (await office.post("reset-password", {"resetPasswordToken": token, "password": GOOD})).json == FAILED
    finally:
        move(0)


@pytest.mark.parametrize("codes, status", [("plain", 200), ("hashed", 400)])
async def test_tokens_that_v4_has_stored(open_office: Any, codes: str, status: int) -> None:
    office = await open_office(**NEVER, OCTAVO_API__COMPAT__MAILED_CODES=codes)
    await write(office.club.database, "UPDATE admin_users SET reset_password_token = 'a1b2' WHERE id = 2")
    answer = await office.post("reset-password", {"resetPasswordToken": "a1b2", "password": GOOD})
    assert answer.status == status
