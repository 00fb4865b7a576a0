"""Refresh tokens on both databases: exchanged once, stolen, idle, ended; in bodies and in cookies."""

import asyncio
import json
import time
from typing import Any

import jwt
import pytest

from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub
from tests.api.rest.test_providers import Browser, variables
from tests.models.club import FULL, NEVER, PASSWORD, SECRETS, Club, error
from tests.models.people import write
from tests.openid_server import OpenIdServer

pytestmark = pytest.mark.anyio

CONFIG = "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__"
REFRESH = {f"{CONFIG}JWT_MANAGEMENT": "refresh", **NEVER}
COOKIES = {
    **REFRESH,
    f"{CONFIG}SESSIONS__HTTP_ONLY": "true",
    "OCTAVO_MIDDLEWARES__CORS__ORIGINS": "https://front.example,*",
}
INVALID = error(401, "UnauthorizedError", "Invalid refresh token")
FOREIGN = (("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"))
FRONT = (("Origin", "https://front.example"), ("Sec-Fetch-Site", "cross-site"))


@pytest.fixture
async def club(new_club: OpenClub) -> Club:
    return await new_club(**REFRESH)


async def refresh(club: Club, token: Any) -> Answer:
    return await club.post("auth/refresh", {"refreshToken": token})


async def begin(club: Club) -> str:
    return str((await club.log_in()).json["refreshToken"])


async def later(club: Club, seconds: int) -> None:
    """Age all sessions by some seconds."""
    text = """UPDATE octavo_user_sessions
        SET renewed_at = renewed_at - {v1}, idle_until = idle_until - {v1}, ends_at = ends_at - {v1}"""
    await write(club.database, text, seconds)


async def count(club: Club) -> int:
    return int(await club.database.fetch_value("SELECT count(*) FROM octavo_user_sessions"))


async def test_sessions_are_off_by_default(new_club: OpenClub) -> None:
    club = await new_club(**NEVER)
    assert (await club.log_in()).json.keys() == {"jwt", "user"}
    for path in ("auth/refresh", "auth/logout"):
        assert (await club.post(path, {})).status == 405


async def test_a_short_access_token_and_a_refresh_token(club: Club) -> None:
    answer = (await club.log_in()).json
    assert answer.keys() == {"jwt", "refreshToken", "user"}
    claims = jwt.decode(answer["jwt"], SECRETS["JWT_SECRET"], algorithms=["HS256"])
    assert claims["exp"] - claims["iat"] == 600
    renewed = await refresh(club, answer["refreshToken"])
    assert (renewed.status, renewed.json.keys()) == (200, {"jwt", "refreshToken"})
    assert renewed.headers["cache-control"] == "no-store"
    assert renewed.json["refreshToken"] != answer["refreshToken"]
    assert (await club.ask("GET", "/api/users/me", token=renewed.json["jwt"])).json["username"] == "ann"
    assert (await refresh(club, renewed.json["refreshToken"])).status == 200


async def test_every_way_to_sign_in_creates_a_session(club: Club) -> None:
    new = {"username": "dora", "email": "dora@example.org", "password": "dora-secret"}
    token = (await club.post("auth/local/register", new)).json["refreshToken"]
    jwt_now = (await refresh(club, token)).json["jwt"]
    changed = {"currentPassword": "dora-secret", "password": "new-secret", "passwordConfirmation": "new-secret"}
    answer = await club.post("auth/change-password", changed, token=jwt_now)
    assert (await refresh(club, answer.json["refreshToken"])).status == 200


async def test_signing_in_with_a_provider_begins_a_session(new_club: OpenClub, openid_server: OpenIdServer) -> None:
    club = await new_club(**variables(openid_server), **{f"{CONFIG}JWT_MANAGEMENT": "refresh"})
    answer = await Browser(club, openid_server).sign_in()
    assert (await refresh(club, answer.json["refreshToken"])).status == 200


async def test_stored_values_are_not_valid_tokens(club: Club) -> None:
    token = await begin(club)
    rows = await club.database.fetch_all("SELECT name, secret, stamp FROM octavo_user_sessions")
    assert token.partition(".")[2] not in json.dumps([list(row) for row in rows])
    assert str(await club.column("password")) not in json.dumps([list(row) for row in rows])
    [[name, secret, _]] = rows
    assert (await refresh(club, f"{name}.{secret}")).json == INVALID


async def test_reusing_a_refresh_token_ends_the_session(club: Club) -> None:
    """It ends whether the thief or the owner was first."""
    first = await begin(club)
    second = (await refresh(club, first)).json["refreshToken"]
    third = (await refresh(club, second)).json["refreshToken"]
    answer = await refresh(club, first)
    assert (answer.status, answer.json) == (401, INVALID)
    assert (await refresh(club, third)).json == INVALID
    assert await count(club) == 0


async def test_the_previous_token_is_accepted_for_some_seconds_and_returns_no_new_one(club: Club) -> None:
    first = await begin(club)
    second = (await refresh(club, first)).json["refreshToken"]
    again = await refresh(club, first)
    assert (again.status, again.json.keys()) == (200, {"jwt"})
    await later(club, 10)
    assert (await refresh(club, first)).json == INVALID
    assert (await refresh(club, second)).json == INVALID


async def test_one_of_several_simultaneous_refreshes_succeeds(club: Club) -> None:
    token = await begin(club)
    answers = await asyncio.gather(*(refresh(club, token) for _ in range(5)))
    assert [answer.status for answer in answers] == [200] * 5
    assert sum("refreshToken" in answer.json for answer in answers) == 1


async def test_unused_sessions_end(club: Club) -> None:
    token = await begin(club)
    await later(club, 14 * 86400 - 60)
    token = (await refresh(club, token)).json["refreshToken"]
    await later(club, 14 * 86400)
    assert (await refresh(club, token)).json == INVALID


async def test_sessions_end_after_their_maximum_age(club: Club) -> None:
    token = await begin(club)
    for _ in range(3):
        await later(club, 10 * 86400 - 60)
        token = (await refresh(club, token)).json["refreshToken"]
    until, ends_at = await club.database.fetch_row("SELECT idle_until, ends_at FROM octavo_user_sessions") or (0, 1)
    assert until == ends_at
    await later(club, 180)
    assert (await refresh(club, token)).json == INVALID


async def test_expired_sessions_are_deleted(club: Club) -> None:
    await begin(club)
    await later(club, 14 * 86400)
    await begin(club)
    assert await count(club) == 1


async def test_logout(club: Club) -> None:
    token, other = await begin(club), await begin(club)
    for _ in range(2):
        answer = await club.post("auth/logout", {"refreshToken": token})
        assert (answer.status, answer.json) == (200, {"ok": True})
    assert (await refresh(club, token)).json == INVALID
    assert (await refresh(club, other)).status == 200


async def test_a_new_password_ends_all_sessions(club: Club) -> None:
    tokens = [await begin(club), await begin(club)]
    changed = {"currentPassword": PASSWORD, "password": "new-secret", "passwordConfirmation": "new-secret"}
    await club.post("auth/change-password", changed, token=await club.token_of())
    for token in tokens:
        assert (await refresh(club, token)).json == INVALID


async def test_a_reset_password_ends_all_sessions(club: Club) -> None:
    token = await begin(club)
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    [mail] = await club.mails()
    code = mail.get_body(("plain",)).get_content().partition("code=")[2].split()[0]  # type: ignore[union-attr]
    body = {"code": code, "password": "new-secret", "passwordConfirmation": "new-secret"}
    answer = await club.post("auth/reset-password", body)
    assert (await refresh(club, token)).json == INVALID
    assert (await refresh(club, answer.json["refreshToken"])).status == 200


@pytest.mark.parametrize("body", [{"password": "given-secret"}, {"blocked": True}])
async def test_changes_by_administrators_end_all_sessions(club: Club, body: dict[str, Any]) -> None:
    token = await begin(club)
    assert (await club.ask("PUT", "/api/users/1", body, token=FULL)).status == 200
    assert (await refresh(club, token)).json == INVALID
    await write(club.database, "UPDATE up_users SET blocked = {v1} WHERE id = 1", False)
    assert (await refresh(club, token)).json == INVALID


async def test_changes_by_other_software_end_all_sessions(club: Club) -> None:
    token, other = await begin(club), await begin(club)
    await write(club.database, "UPDATE up_users SET password = 'x' WHERE id = 1")
    assert (await refresh(club, token)).json == INVALID
    await write(club.database, "DELETE FROM up_users WHERE id = 1")
    assert (await refresh(club, other)).json == INVALID


async def test_other_texts_are_refused(club: Club) -> None:
    token = await begin(club)
    name = token.partition(".")[0]
    for wrong in ("", ".", "x", "x.y", f"{'x' * 32}.y", "\0.x", "é.é", "x" * 5000, 5, None, [token], {"a": 1}):
        answer = await refresh(club, wrong)
        assert (answer.status, answer.json) == (401, INVALID), wrong
        assert (await club.post("auth/logout", {"refreshToken": wrong})).status == 200
    assert (await club.post("auth/refresh", [])).status == 401
    assert (await refresh(club, token)).status == 200
    assert (await refresh(club, f"{name}.guess")).json == INVALID
    assert await count(club) == 0


async def test_invented_tokens_cost_no_write(club: Club) -> None:
    before = club.database.statements
    await refresh(club, "x.y")
    await club.post("auth/logout", {"refreshToken": "x.y"})
    assert club.database.statements - before == 2


# In cookies


async def in_cookies(new_club: OpenClub, **settings: str) -> tuple[Club, str]:
    club = await new_club(**COOKIES, **settings)
    answer = await club.log_in()
    assert answer.json.keys() == {"jwt", "user"}
    return club, answer.headers["set-cookie"]


async def ask(club: Club, path: str, cookie: str, *headers: tuple[str, str]) -> Answer:
    return await club.ask("POST", f"/api/auth/{path}", {}, headers=(("Cookie", cookie.partition(";")[0]), *headers))


async def test_cookies(new_club: OpenClub) -> None:
    club, cookie = await in_cookies(new_club)
    assert cookie.endswith("; Max-Age=2592000; Path=/api/auth; HttpOnly; SameSite=Strict")
    answer = await ask(club, "refresh", cookie)
    assert (answer.status, answer.json.keys()) == (200, {"jwt"})
    assert answer.headers["set-cookie"].partition(";")[0] != cookie.partition(";")[0]
    renewed = answer.headers["set-cookie"]
    answer = await ask(club, "logout", renewed)
    assert answer.headers["set-cookie"].startswith("octavo_refresh=; Max-Age=0;")
    assert (await ask(club, "refresh", renewed)).json == INVALID


async def test_a_cookie_for_other_sites_requires_https(new_club: OpenClub) -> None:
    _, cookie = await in_cookies(new_club, **{f"{CONFIG}SESSIONS__SAME_SITE": "none"})
    assert cookie.endswith("; SameSite=None; Secure")


async def test_tokens_in_bodies_are_refused_with_cookies_enabled(new_club: OpenClub) -> None:
    club, cookie = await in_cookies(new_club)
    token = cookie.partition(";")[0].partition("=")[2]
    assert (await refresh(club, token)).json == INVALID


@pytest.mark.parametrize(
    "headers",
    [
        FOREIGN,
        (("Origin", "https://evil.example"),),
        (("Origin", "null"),),
        (("Sec-Fetch-Site", "cross-site"),),
        (("Sec-Fetch-Site", "same-site"),),
        (("Origin", "https://front.example.evil.example"),),
    ],
)
async def test_pages_of_other_sites_cannot_use_cookies(new_club: OpenClub, headers: Any) -> None:
    club, cookie = await in_cookies(new_club)
    for path in ("refresh", "logout"):
        answer = await ask(club, path, cookie, *headers)
        assert (answer.status, answer.json) == (403, error(403, "ForbiddenError", "Forbidden"))
        assert "set-cookie" not in answer.headers
    body = {"identifier": "ann", "password": PASSWORD}
    answer = await club.ask("POST", "/api/auth/local", body, headers=headers)
    assert (answer.status, "set-cookie" in answer.headers) == (200, False)
    assert (await ask(club, "refresh", cookie)).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        FRONT,
        (),
        (("Origin", "http://127.0.0.1:1337"), ("Sec-Fetch-Site", "same-origin")),
        (("Host", "api.example"), ("Origin", "https://api.example"), ("Sec-Fetch-Site", "same-origin")),
    ],
)
async def test_own_pages_can_use_cookies(new_club: OpenClub, headers: Any) -> None:
    club, cookie = await in_cookies(new_club)
    assert (await ask(club, "refresh", cookie, *headers)).status == 200
    assert abs(await club.database.fetch_value("SELECT max(renewed_at) FROM octavo_user_sessions") - time.time()) < 120
