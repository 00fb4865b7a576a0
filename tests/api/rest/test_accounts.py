"""Accounts over HTTP on both databases: sign-in, registration, passwords, codes, confirmations, limits."""

import asyncio
import re
import time
from typing import Any

import jwt
import pytest

from octavo.accounts.users.account_input import LOGIN, REGISTER
from octavo.database.synchronize import found_tables
from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub
from tests.models.club import ALLOW, NEVER, PASSWORD, SAFE, SECRETS, SOME, Club, error, problems
from tests.models.people import write

pytestmark = pytest.mark.anyio

ANN = {
    "id": 1,
    "username": "ann",
    "email": "ann@example.org",
    "provider": "local",
    "confirmed": True,
    "blocked": False,
    "createdAt": None,
    "updatedAt": None,
    "nickname": None,
}
WRONG = error(400, "ValidationError", "Invalid identifier or password")
TAKEN = error(400, "ApplicationError", "Email or Username are already taken")
TOO_MANY = error(429, "RateLimitError", "Too many requests, please try again later.")
INCORRECT = error(400, "ValidationError", "Incorrect code provided")
NEW = {"username": "dora", "email": "Dora@Example.org", "password": "dora-secret"}


def code_in(mail: Any, name: str) -> str:
    found = re.search(rf"{name}=(\S+)", mail.get_body(("plain",)).get_content())
    assert found
    return found[1]


def reset(code: str, password: str = "new-secret") -> dict[str, str]:
    return {"code": code, "password": password, "passwordConfirmation": password}


@pytest.mark.parametrize("identifier", ["ann", "ann@example.org", "ANN@Example.ORG"])
async def test_login(club: Club, identifier: str) -> None:
    answer = await club.log_in(identifier)
    assert (answer.status, answer.json["user"]) == (200, ANN)
    claims = jwt.decode(answer.json["jwt"], SECRETS["JWT_SECRET"], algorithms=["HS256"])
    assert claims == {"id": 1, "iat": claims["iat"], "exp": claims["iat"] + 30 * 86400}
    assert abs(claims["iat"] - time.time()) < 60


@pytest.mark.usefixtures("still")
async def test_a_login_and_me_need_one_statement_each(club: Club) -> None:
    token = await club.token_of()
    before = club.database.statements
    await club.log_in()
    assert club.database.statements - before == 1
    assert (await club.ask("GET", "/api/users/me", token=token)).json == ANN
    before = club.database.statements
    await club.ask("GET", "/api/users/me", token=token)
    assert club.database.statements - before == 1


@pytest.mark.parametrize(
    "body, expected",
    [
        ({"identifier": "ann", "password": "wrong"}, WRONG),
        ({"identifier": "nobody", "password": PASSWORD}, WRONG),
        ({"identifier": "Ann", "password": PASSWORD}, WRONG),
        ({"identifier": " ann", "password": PASSWORD}, WRONG),
        (
            {"identifier": "mallory", "password": PASSWORD},
            error(400, "ApplicationError", "Your account has been blocked by an administrator"),
        ),
        ({"identifier": "mallory", "password": "wrong"}, WRONG),
        ([], problems(*((field.name, f"{field.name} is a required field") for field in LOGIN))),
        ({"identifier": "", "password": "x"}, problems(("identifier", "identifier is a required field"))),
        (
            {"identifier": {"$ne": 1}, "password": "x"},
            problems(
                (
                    "identifier",
                    'identifier must be a `string` type, but the final value was: `{\n  "$ne": "1"\n}`.',
                )
            ),
        ),
        (
            {"identifier": "ann", "password": "x" * 73},
            problems(("password", "password must be at most 72 bytes")),
        ),
        (
            {"identifier": "ann\0", "password": "x"},
            problems(("identifier", "identifier must not contain NUL characters or halves of surrogate pairs")),
        ),
    ],
)
async def test_refused_logins(club: Club, body: Any, expected: Any) -> None:
    answer = await club.post("auth/local", body)
    assert (answer.status, answer.json) == (400, expected)


@pytest.mark.parametrize(
    "raw", [b'{"identifier":"ann","password":"\\ud800"}', b'{"identifier":"\\udfff","password":"a"}']
)
async def test_half_characters_are_refused(club: Club, raw: bytes) -> None:
    assert (await club.post("auth/local", raw)).status == 400


async def test_users_of_other_providers_have_no_password(club: Club) -> None:
    await write(club.database, "UPDATE up_users SET provider = 'github', password = NULL WHERE id = 1")
    assert (await club.log_in()).json == WRONG


async def test_addresses_take_precedence_over_names(club: Club) -> None:
    await write(club.database, "UPDATE up_users SET username = 'carol@example.org' WHERE id = 1")
    assert (await club.log_in("carol@example.org")).json["user"]["id"] == 3


@pytest.mark.parametrize(
    "key, value, expected",
    [
        ("grant", {"email": {"enabled": False}}, error(400, "ApplicationError", "This provider is disabled")),
        (
            "advanced",
            {"email_confirmation": True},
            error(400, "ApplicationError", "Your account email is not confirmed"),
        ),
    ],
)
async def test_stored_settings_of_logins(club: Club, key: str, value: Any, expected: Any) -> None:
    assert (await club.log_in("carol")).status == 200
    await club.store(key, value)
    assert (await club.log_in("carol")).json == expected


@pytest.mark.usefixtures("usual_password_cost")
async def test_register(club: Club) -> None:
    answer = await club.post("auth/local/register", {**NEW, "nickname": "D", "role": 2, "blocked": True, "nope": 1})
    assert answer.status == 200
    user = answer.json["user"]
    times = {name: user[name] for name in ("createdAt", "updatedAt")}
    expected = {**ANN, "id": 4, "username": "dora", "email": "dora@example.org", "nickname": "D", **times}
    assert user == expected
    assert (await club.ask("GET", "/api/users/me", token=answer.json["jwt"])).json == expected
    assert (await club.ask("GET", "/api/users/4?populate=role", token="full-token")).json["role"][
        "type"
    ] == "authenticated"
    assert (await club.column("password", "dora")).startswith("$2a$10$")
    assert (await club.log_in("dora", "dora-secret")).status == 200


@pytest.mark.parametrize("confirms", [False, True])
async def test_register_by_a_caller_who_can_find_roles_returns_the_role(new_club: OpenClub, confirms: bool) -> None:
    club = await new_club()
    await club.store("advanced", {"email_confirmation": confirms})
    await club.grant("public", "plugin::users-permissions.role.find")
    user = (await club.post("auth/local/register", NEW)).json["user"]
    assert list(user)[-1] == "role"
    assert (user["role"]["type"], "users" in user["role"]) == ("authenticated", False)


async def test_fields_allowed_in_registrations(new_club: OpenClub) -> None:
    club = await new_club(**NEVER, **ALLOW)
    more = {"nickname": "D", "pin": "1", "friend": 1, "role": 2, "confirmed": False, "blocked": True}
    user = (await club.post("auth/local/register", {**NEW, **more})).json["user"]
    assert [user[name] for name in ("nickname", "confirmed", "blocked")] == ["D", True, False]
    shown = await club.ask("GET", "/api/users/4?populate=*", token="full-token")
    assert (shown.json["friend"]["id"], shown.json["role"]["type"]) == (1, "authenticated")
    assert await club.column("pin", "dora") is None


@pytest.mark.parametrize(
    "body, expected",
    [
        ({}, problems(*((field.name, f"{field.name} is a required field") for field in REGISTER))),
        ({**NEW, "email": "bad"}, problems(("email", "email must be a valid email"))),
        ({**NEW, "email": "a" * 2000 + "@example.org"}, problems(("email", "email must be a valid email"))),
        ({**NEW, "username": "do"}, problems(("username", "username must be at least 3 characters"))),
        ({**NEW, "password": "short"}, problems(("password", "password must be at least 6 characters"))),
        ({**NEW, "password": "ü" * 37}, problems(("password", "password must be at most 72 bytes"))),
        ({**NEW, "username": "ann"}, TAKEN),
        ({**NEW, "username": "ann@example.org"}, TAKEN),
        ({**NEW, "email": "ANN@example.org"}, TAKEN),
    ],
)
async def test_refused_registrations(club: Club, body: Any, expected: Any) -> None:
    answer = await club.post("auth/local/register", body)
    assert (answer.status, answer.json) == (400, expected)
    assert await club.database.fetch_value("SELECT count(*) FROM up_users") == 3


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({"allow_register": False}, "Register action is currently disabled"),
        ({"default_role": "nobody"}, "Impossible to find the default role"),
    ],
)
async def test_stored_settings_of_registrations(club: Club, settings: Any, expected: str) -> None:
    await club.store("advanced", settings)
    assert (await club.post("auth/local/register", NEW)).json == error(400, "ApplicationError", expected)


@pytest.mark.parametrize("unique, status", [(True, 400), (False, 200)])
async def test_addresses_of_other_providers(club: Club, unique: bool, status: int) -> None:
    await club.store("advanced", {"unique_email": unique})
    await write(club.database, "UPDATE up_users SET provider = 'github' WHERE id = 1")
    assert (await club.post("auth/local/register", {**NEW, "email": "ann@example.org"})).status == status


@pytest.mark.parametrize("same", ["username", "email"])
async def test_one_of_many_simultaneous_registrations_succeeds(club: Club, same: str) -> None:
    def body(number: int) -> dict[str, str]:
        other = {"email": {"username": f"dora{number}"}, "username": {"email": f"dora{number}@example.org"}}
        return {**NEW, **other[same]}

    answers = await asyncio.gather(*(club.post("auth/local/register", body(number)) for number in range(24)))
    assert sorted(answer.status for answer in answers) == [200] + [400] * 23
    assert all(answer.json == TAKEN for answer in answers if answer.status == 400)


async def test_change_password(club: Club) -> None:
    token = await club.token_of()
    body = {"currentPassword": PASSWORD, "password": "new-secret", "passwordConfirmation": "new-secret"}
    answer = await club.post("auth/change-password", body, token)
    assert (answer.status, answer.json["user"]) == (200, ANN)
    assert (await club.log_in()).json == WRONG
    assert (await club.log_in(password="new-secret")).status == 200
    assert (await club.ask("GET", "/api/users/me", token=token)).status == 200  # as in v4


async def test_a_new_password_ends_older_sessions(new_club: OpenClub) -> None:
    club = await new_club(**NEVER, **SAFE)
    token = await club.token_of()
    body = {"currentPassword": PASSWORD, "password": "new-secret", "passwordConfirmation": "new-secret"}
    newer = (await club.post("auth/change-password", body, token)).json["jwt"]
    assert [(await club.ask("GET", "/api/users/me", token=each)).status for each in (token, newer)] == [401, 200]
    latest = await club.token_of(password="new-secret")
    assert (await club.ask("GET", "/api/users/me", token=latest)).status == 200


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"currentPassword": "wrong"}, error(400, "ValidationError", "The provided current password is invalid")),
        ({"passwordConfirmation": "other"}, problems(("passwordConfirmation", "Passwords do not match"))),
        (
            {"password": "a", "passwordConfirmation": "a"},
            problems(("password", "password must be at least 6 characters")),
        ),
        (
            {"password": PASSWORD, "passwordConfirmation": PASSWORD},
            error(400, "ValidationError", "Your new password must be different than your current password"),
        ),
    ],
)
async def test_refused_changes(club: Club, change: Any, expected: Any) -> None:
    body = {"currentPassword": PASSWORD, "password": "new-secret", "passwordConfirmation": "new-secret", **change}
    answer = await club.post("auth/change-password", body, await club.token_of())
    assert (answer.status, answer.json) == (400, expected)


async def test_forgotten_password(club: Club) -> None:
    answer = await club.post("auth/forgot-password", {"email": "Ann@example.org"})
    assert (answer.status, answer.json) == (200, {"ok": True})
    (mail,) = await club.mails()
    assert (mail["To"], mail["Subject"]) == ("ann@example.org", "Choose a new password")
    code, stored = code_in(mail, "code"), await club.column("reset_password_token")
    assert code not in stored
    assert (await club.post("auth/reset-password", reset(stored))).json == INCORRECT
    answer = await club.post("auth/reset-password", reset(code))
    assert (answer.status, answer.json["user"]["id"]) == (200, 1)
    assert (await club.ask("GET", "/api/users/me", token=answer.json["jwt"])).status == 200
    assert (await club.log_in(password="new-secret")).status == 200
    assert (await club.post("auth/reset-password", reset(code))).json == INCORRECT


async def test_a_code_works_once_for_simultaneous_requests(club: Club) -> None:
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    code = code_in((await club.mails())[0], "code")
    answers = await asyncio.gather(
        *(club.post("auth/reset-password", reset(code, f"new-secret-{number}")) for number in range(6))
    )
    assert sorted(answer.status for answer in answers) == [200, 400, 400, 400, 400, 400]


async def test_codes_end(club: Club) -> None:
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    code = code_in((await club.mails())[0], "code")
    mark, end, digest = (await club.column("reset_password_token")).split("$")
    assert 3500 < int(end) - time.time() <= 3600
    past = f"{mark}${int(time.time()) - 1}${digest}"
    await write(club.database, "UPDATE up_users SET reset_password_token = {v1} WHERE id = 1", past)
    assert (await club.post("auth/reset-password", reset(code))).json == INCORRECT


@pytest.mark.parametrize("settings, statuses", [({}, [200, 400]), (SAFE, [400, 400])])
async def test_codes_that_v4_has_issued(new_club: OpenClub, settings: dict[str, str], statuses: list[int]) -> None:
    club = await new_club(**NEVER, **settings)
    await write(club.database, "UPDATE up_users SET reset_password_token = 'ab12' WHERE id = 1")
    answers = [await club.post("auth/reset-password", reset("ab12")) for _ in range(2)]
    assert [answer.status for answer in answers] == statuses


@pytest.mark.parametrize("email", ["nobody@example.org", "mallory@example.org"])
async def test_responses_do_not_reveal_whether_an_account_exists(club: Club, email: str) -> None:
    assert (await club.post("auth/forgot-password", {"email": email})).json == {"ok": True}
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    assert [mail["To"] for mail in await club.mails()] == ["ann@example.org"]


async def test_an_address_is_confirmed(club: Club) -> None:
    await club.store(
        "advanced", {"email_confirmation": True, "email_confirmation_redirection": "https://a.example/ü?x"}
    )
    answer = await club.post("auth/local/register", NEW)
    assert (answer.status, list(answer.json), answer.json["user"]["confirmed"]) == (200, ["user"], False)
    (mail,) = await club.mails()
    code = code_in(mail, "confirmation")
    assert code not in await club.column("confirmation_token", "dora")
    target = f"/api/auth/email-confirmation?confirmation={code}"
    answer = await club.ask("GET", target)
    assert (answer.status, answer.headers["location"]) == (302, "https://a.example/%C3%BC?x")
    assert (await club.log_in("dora", "dora-secret")).json["user"]["confirmed"] is True
    assert (await club.ask("GET", target)).json == error(400, "ValidationError", "Invalid token")


@pytest.mark.parametrize("stored", ["javascript:alert(1)", "//evil.example", "data:text/html,x", {"a": 1}])
@pytest.mark.parametrize("settings", [{}, SAFE])
async def test_stored_links_that_are_not_urls_are_not_followed(
    new_club: OpenClub, settings: dict[str, str], stored: Any
) -> None:
    """They may come from v4, or from a user with access to the database."""
    club = await new_club(**NEVER, **settings)
    names = ("email_confirmation_redirection", "email_reset_password")
    await club.store("advanced", {"email_confirmation": True, **dict.fromkeys(names, stored)})
    await club.post("auth/local/register", NEW)
    (confirmation,) = await club.mails()
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    (reset_mail,) = (mail for mail in await club.mails(2) if mail["To"] == "ann@example.org")
    answer = await club.ask("GET", f"/api/auth/email-confirmation?confirmation={code_in(confirmation, 'confirmation')}")
    assert (answer.status, answer.headers["location"]) == (302, "/")
    assert str(stored) not in str(reset_mail)
    assert "/reset-password" in str(reset_mail)


@pytest.mark.parametrize(
    "email, v4, safe, mails",
    [
        ("carol@example.org", 200, 200, 1),
        ("nobody@example.org", 200, 200, 0),
        ("ann@example.org", "Already confirmed", 200, 0),
        ("mallory@example.org", "Already confirmed", 200, 0),
    ],
)
@pytest.mark.parametrize("profile", ["v4", "safe"])
async def test_another_confirmation(
    new_club: OpenClub, profile: str, email: str, v4: Any, safe: Any, mails: int
) -> None:
    club = await new_club(**NEVER, OCTAVO_API__COMPAT__PROFILE=profile)
    answer = await club.post("auth/send-email-confirmation", {"email": email})
    expected = {"v4": v4, "safe": safe}[profile]
    if expected == 200:
        assert (answer.status, answer.json) == (200, {"email": email, "sent": True})
    else:
        assert answer.json == error(400, "ApplicationError", expected)
    assert len(await club.mails(mails)) == mails


@pytest.mark.parametrize(
    "method, path, token, status, message",
    [
        ("POST", "auth/local/register", "ann", 403, "Forbidden"),
        ("POST", "auth/change-password", None, 403, "Forbidden"),
        ("POST", "auth/change-password", "full-token", 400, "You must be authenticated to reset your password"),
        ("POST", "auth/local", "garbage", 401, "Missing or invalid credentials"),
        ("POST", "auth/local", SOME, 403, "Forbidden"),
        ("GET", "connect/github", None, 400, "This provider is disabled"),
        ("GET", "auth/github/callback", None, 400, "This provider is disabled"),
    ],
)
async def test_permissions(club: Club, method: str, path: str, token: str | None, status: int, message: str) -> None:
    given = await club.token_of() if token == "ann" else token
    answer = await club.ask(method, f"/api/{path}", {} if method == "POST" else None, given)
    assert (answer.status, answer.json["error"]["message"]) == (status, message)


async def fail(club: Club, identifier: str, client: str = "192.0.2.1", path: str = "/api/auth/local") -> Answer:
    return await club.ask("POST", path, {"identifier": identifier, "password": "wrong"}, client=client)


async def test_attempts_are_limited_whatever_the_spelling(new_club: OpenClub) -> None:
    club = await new_club()
    spellings = ["ann", "ANN", " Ann ", "\uff41nn", "ann"]
    paths = ["/api/auth/local", "/api/auth/local/", "/API/Auth/Local", "/api/auth/local?x=1", "/api/auth/local"]
    for identifier, path in zip(spellings, paths, strict=True):
        assert (await fail(club, identifier, path=path)).status == 400
    for identifier in ("ann", "ANN"):
        assert ((await fail(club, identifier)).status, (await fail(club, identifier)).json) == (429, TOO_MANY)
    assert (await fail(club, "carol")).status == 400
    assert (await fail(club, "ann", client="192.0.2.2")).status == 400


async def test_name_and_address_are_one_account(new_club: OpenClub) -> None:
    club = await new_club()
    given = ["ann", "ann@example.org"] * 3
    assert [(await fail(club, identifier)).status for identifier in given] == [400] * 5 + [429]


async def test_each_address_has_its_own_limit(new_club: OpenClub) -> None:
    club = await new_club(OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__MAX_BY_ADDRESS="3")
    paths = ["local", "forgot-password", "reset-password", "local"]
    assert [(await club.post(f"auth/{path}", {})).status for path in paths] == [400, 400, 400, 429]
    forwarded = (("X-Forwarded-For", "203.0.113.9"),)
    assert (await club.ask("POST", "/api/auth/local", {}, headers=forwarded)).status == 429


async def test_forwarded_addresses_count_behind_trusted_proxies(new_club: OpenClub) -> None:
    club = await new_club(
        OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__MAX_BY_ADDRESS="1",
        OCTAVO_SERVER__TRUSTED_PROXIES="192.0.2.1",
    )
    given = [(("X-Forwarded-For", f"203.0.113.{number}"),) for number in (1, 2, 1)]
    statuses = [(await club.ask("POST", "/api/auth/local", {}, headers=headers)).status for headers in given]
    assert statuses == [400, 400, 429]


async def test_nodes_on_a_shared_database_count_together(new_club: OpenClub) -> None:
    club = await new_club()
    assert [(await fail(club, "nobody")).status for _ in range(2)] == [400] * 2
    tables = await found_tables(club.database, club.database.dialect)
    assert ("octavo_rate_limits" in tables) == club.database.dialect.is_shared
    if club.database.dialect.is_shared:
        assert await club.database.fetch_value("SELECT max(hits) FROM octavo_rate_limits") == 2


async def test_workers_count_together(new_club: OpenClub) -> None:
    club = await new_club(OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__STORE="database")
    assert [(await fail(club, "nobody")).status for _ in range(6)] == [400] * 5 + [429]
    assert await club.database.fetch_value("SELECT max(hits) FROM octavo_rate_limits") == 6
