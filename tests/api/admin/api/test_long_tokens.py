"""Long-lived tokens as v4's panel uses them (compatibility rule `adminTokens`), including those that v4 has signed."""

import time
from typing import Any

import pytest

from tests.api.admin.conftest import SHORT, Office
from tests.models.club import NEVER, PASSWORD, SECRETS, error
from tests.models.people import mint

pytestmark = pytest.mark.anyio

SECRET = SECRETS["ADMIN_JWT_SECRET"]
GOOD = "Good-Passw0rd1"


@pytest.fixture
async def panel(open_office: Any) -> Office:
    made: Office = await open_office(**NEVER, **{SHORT: "long"})
    return made


async def opens(office: Office, token: str, path: str = "/admin/users/me") -> bool:
    status = (await office.club.ask("GET", path, token=token)).status
    assert status in (200, 401)
    return status == 200


async def test_a_token_renews_itself_and_outlives_a_logout(panel: Office) -> None:
    token = (await panel.log_in()).json["data"]["token"]
    renewed = (await panel.post("renew-token", {"token": token})).json["data"]["token"]
    assert await opens(panel, renewed)
    assert (await panel.post("logout", token=renewed)).json == {"data": {}}
    assert await opens(panel, renewed), "as in v4"
    for body in (
        {"token": "bad"},
        {"token": token + "x"},
        {"token": mint({"id": 1}, secret="another secret of 32 bytes or more")},
    ):
        assert (await panel.post("renew-token", body)).json == error(400, "ValidationError", "Invalid token")
    assert (await panel.post("renew-token", {})).json["error"]["message"] == "token is a required field"


async def test_a_logout_with_the_cookie_ends_the_token(panel: Office) -> None:
    token, cookie = await panel.session()
    answer = await panel.post("logout", token=token, headers=(("Cookie", f"octavo_admin_refresh={cookie}"),))
    assert answer.status == 200
    assert not await opens(panel, token)


async def test_tokens_signed_by_v4(panel: Office) -> None:
    now = int(time.time())
    for claims in ({"id": 2, "iat": now - 5, "exp": now + 60}, {"id": "2", "iat": now - 5}):
        token = mint(claims, secret=SECRET)
        assert await opens(panel, token)
        assert await opens(panel, (await panel.post("renew-token", {"token": token})).json["data"]["token"])
        answer = await panel.club.ask("GET", "/api/notes", token=token)
        assert answer.status == 401, "not through the content API"
    for claims in (
        {"id": 99, "iat": now},
        {"id": 3, "iat": now},
        {"id": 4, "iat": now},
        {"iat": now},
        {"id": 2, "exp": 9},
    ):
        assert not await opens(panel, mint(claims, secret=SECRET))
    ada = (await panel.log_in()).json["data"]["token"]
    old = mint({"id": 2, "iat": now - 5}, secret=SECRET)
    await panel.club.ask("PUT", "/admin/users/2", {"password": GOOD}, token=ada)
    assert not await opens(panel, old), "a new password ends it"
    await panel.change("edi", "blocked", True)  # by other software
    assert not await opens(panel, mint({"id": 2, "iat": now + 5}, secret=SECRET))


async def test_a_form_logs_in(panel: Office) -> None:
    headers = (("Content-Type", "application/x-www-form-urlencoded"),)
    raw = f"email=ada%40admin.example&password={PASSWORD.replace(' ', '+')}".encode()
    assert (await panel.club.ask("POST", "/admin/login", raw, headers=headers)).status == 200
    empty = await panel.club.ask("POST", "/admin/login")
    assert empty.json["error"]["message"] == "Missing credentials"


async def test_tokens_of_v4_are_refused_with_short_tokens(office: Office) -> None:
    assert not await opens(office, mint({"id": 1, "iat": int(time.time())}, secret=SECRET))
