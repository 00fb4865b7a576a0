"""Sign-ins by providers on both databases, over HTTP with a real OpenID Connect server."""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import jwt
import pytest

from octavo.settings import SettingsError, load_settings
from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub
from tests.models.club import NEVER, SAFE, SECRETS, Club, error
from tests.models.people import write
from tests.openid_server import CLIENT, SECRET, OpenIdServer

pytestmark = pytest.mark.anyio

FRONT = "https://front.example/connect/company/redirect?from=octavo"
OTHER_FRONT = "https://other.example/back"
CONFIG = "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__"
LOST = error(
    400,
    "ValidationError",
    "This sign-in was started in another browser, was completed, or expired. Start again",
)
SPENT = error(400, "ApplicationError", "This access_token is unknown, used or expired; sign in again")


def refused(message: str) -> dict[str, Any]:
    return error(400, "ApplicationError", message)


@dataclass
class Browser:
    """Keeps cookies, and follows redirects to the provider and back."""

    club: Club
    server: OpenIdServer
    provider: str = "company"
    cookie: str = ""

    async def connect(self, query: str = "") -> Answer:
        answer = await self.club.ask("GET", f"/api/connect/{self.provider}{query}")
        if answer.status == 302:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    async def at_provider(self, address: str) -> str:
        """Return the callback to which the provider redirects, as path and query."""
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.get(address)
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["location"])
        assert f"{back.scheme}://{back.netloc}" == "http://127.0.0.1:1337"
        return f"{back.path}?{back.query}"

    async def come_back(self, target: str, cookie: str | None = None) -> Answer:
        return await self.club.ask("GET", target, headers=(("Cookie", self.cookie if cookie is None else cookie),))

    async def to_front_end(self) -> dict[str, str]:
        """Return the parameters that the front end receives in its URL."""
        answer = await self.come_back(await self.at_provider((await self.connect()).headers["location"]))
        assert answer.status == 302, answer.body
        return params_of(answer, FRONT)

    async def session(self, ticket: str) -> Answer:
        return await self.club.ask("GET", f"/api/auth/{self.provider}/callback?access_token={ticket}")

    async def sign_in(self) -> Answer:
        """Sign in completely, as a front end of v4 does."""
        reported = await self.to_front_end()
        assert reported.keys() == {"from", "access_token"}, reported
        return await self.session(reported["access_token"])


def params_of(answer: Answer, front: str) -> dict[str, str]:
    location = answer.headers["location"]
    assert location.startswith(front.partition("?")[0] + "?")
    return dict(parse_qsl(urlsplit(location).query))


def variables(server: OpenIdServer, **given: Any) -> dict[str, str]:
    company = {"key": CLIENT, "secret": SECRET, "issuer": server.issuer, "callback": FRONT, **given}
    server.redirect_uris = {"http://127.0.0.1:1337/api/connect/company/callback"}
    return {
        f"{CONFIG}PROVIDERS": json.dumps({"company": company}),
        f"{CONFIG}PRIVATE_HOSTS": server.host,
        **NEVER,
    }


@pytest.fixture
async def browser(new_club: OpenClub, openid_server: OpenIdServer) -> Browser:
    return Browser(await new_club(**variables(openid_server, callbacks=[OTHER_FRONT])), openid_server)


async def test_a_new_user_signs_in_twice(browser: Browser) -> None:
    answer = await browser.sign_in()
    user = answer.json["user"]
    assert (answer.status, user) == (
        200,
        {
            "id": 4,
            "username": "Dora",
            "email": "dora@example.org",
            "provider": "company",
            "confirmed": True,
            "blocked": False,
            "nickname": None,
            "createdAt": user["createdAt"],
            "updatedAt": user["updatedAt"],
        },
    )
    assert answer.headers["cache-control"] == "no-store"
    assert jwt.decode(answer.json["jwt"], SECRETS["JWT_SECRET"], algorithms=["HS256"])["id"] == 4
    assert (await browser.club.ask("GET", "/api/users/me", token=answer.json["jwt"])).json == user
    assert (await browser.sign_in()).json["user"] == user
    role = "SELECT r.type FROM up_users_role_links l JOIN up_roles r ON r.id = l.role_id WHERE l.user_id = 4"
    assert await browser.club.database.fetch_value(role) == "authenticated"
    assert await browser.club.column("password", "Dora") is None


async def test_users_sign_in_while_the_service_is_read_only(browser: Browser) -> None:
    user = (await browser.sign_in()).json["user"]
    browser.club.database.read_only_message = "Back at 6 pm"
    assert (await browser.sign_in()).json["user"] == user


async def test_the_request_to_the_provider(browser: Browser) -> None:
    answer = await browser.connect()
    parts = urlsplit(answer.headers["location"])
    asked = parse_qs(parts.query)
    assert parts.netloc == browser.server.host
    assert {name: asked[name] for name in ("client_id", "response_type", "redirect_uri", "scope")} == {
        "client_id": [CLIENT],
        "response_type": ["code"],
        "redirect_uri": ["http://127.0.0.1:1337/api/connect/company/callback"],
        "scope": ["openid email profile"],
    }
    assert asked["code_challenge_method"] == ["S256"]
    assert all(len(asked[name][0]) >= 43 for name in ("state", "nonce", "code_challenge"))
    again = parse_qs(urlsplit((await browser.connect()).headers["location"]).query)
    assert all(asked[name] != again[name] for name in ("state", "nonce", "code_challenge"))
    cookie = answer.headers["set-cookie"]
    assert cookie.endswith("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["", "/cms"])
async def test_cookies_require_https(new_club: OpenClub, openid_server: OpenIdServer, path: str) -> None:
    """Browsers reject the prefix `__Host-` for paths other than `/`."""
    club = await new_club(**variables(openid_server), PUBLIC_URL=f"https://api.example{path}")
    answer = await club.ask("GET", "/api/connect/company")
    assert answer.headers["set-cookie"].startswith("__Host-octavo-sign-in-")
    assert answer.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["redirect_uri"] == [f"https://api.example{path}/api/connect/company/callback"]


async def test_tokens_of_the_provider_and_secrets_are_neither_returned_nor_stored(browser: Browser) -> None:
    reported = await browser.to_front_end()
    assert reported["access_token"] not in browser.server.people
    names = await browser.club.database.fetch_all("SELECT name, content FROM octavo_one_time_secrets")
    everything = json.dumps([list(row) for row in names])
    assert reported["access_token"] not in everything
    assert not any(token in everything for token in browser.server.people)


async def test_a_state_is_valid_once(browser: Browser) -> None:
    back = await browser.at_provider((await browser.connect()).headers["location"])
    first = await browser.come_back(back)
    assert first.status == 302
    assert "Max-Age=0" in first.headers["set-cookie"]
    again = await browser.come_back(back)
    assert (again.status, again.json) == (400, LOST)


async def test_a_state_is_valid_once_for_simultaneous_requests(browser: Browser) -> None:
    back = await browser.at_provider((await browser.connect()).headers["location"])
    answers = await asyncio.gather(*(browser.come_back(back) for _ in range(4)))
    assert sorted(answer.status for answer in answers) == [302, 400, 400, 400]


async def test_a_state_belongs_to_one_browser(browser: Browser) -> None:
    back = await browser.at_provider((await browser.connect()).headers["location"])
    name = browser.cookie.partition("=")[0]
    for cookie in ("", f"{name}=", f"{name}=somebody-elses", "other=1"):
        answer = await browser.come_back(back, cookie)
        assert (answer.status, answer.json) == (400, LOST)


async def test_forged_states_are_refused(browser: Browser) -> None:
    await browser.connect()
    for state in ("", "x", "x" * 43, "x" * 5000, "%00", "%ED%A0%80", "%C4%80", "%FF"):
        answer = await browser.come_back(f"/api/connect/company/callback?code=abc&state={state}")
        assert (answer.status, answer.json) == (400, LOST)
        assert "/token" not in browser.server.asked


async def test_a_state_is_valid_for_one_provider(new_club: OpenClub, openid_server: OpenIdServer) -> None:
    given = variables(openid_server)
    company = json.loads(given[f"{CONFIG}PROVIDERS"])["company"]
    club = await new_club(**given | {f"{CONFIG}PROVIDERS": json.dumps({"company": company, "second": company})})
    browser = Browser(club, openid_server)
    back = await browser.at_provider((await browser.connect()).headers["location"])
    answer = await browser.come_back(back.replace("/company/", "/second/"))
    assert (answer.status, answer.json) == (400, LOST)


async def test_a_state_is_valid_for_ten_minutes(browser: Browser) -> None:
    back = await browser.at_provider((await browser.connect()).headers["location"])
    seconds = await browser.club.database.fetch_value("SELECT max(expires_at) FROM octavo_one_time_secrets")
    assert abs(seconds - time.time() - 600) < 120
    await write(browser.club.database, "UPDATE octavo_one_time_secrets SET expires_at = {v1}", int(time.time()) - 1)
    assert (await browser.come_back(back)).json == LOST


async def test_a_ticket_is_valid_once_for_one_provider_and_two_minutes(browser: Browser) -> None:
    ticket = (await browser.to_front_end())["access_token"]
    seconds = await browser.club.database.fetch_value("SELECT max(expires_at) FROM octavo_one_time_secrets")
    assert abs(seconds - time.time() - 120) < 60
    assert (await browser.session(ticket)).status == 200
    assert (await browser.session(ticket)).json == SPENT
    late = (await browser.to_front_end())["access_token"]
    await write(browser.club.database, "UPDATE octavo_one_time_secrets SET expires_at = {v1}", int(time.time()) - 1)
    assert (await browser.session(late)).json == SPENT


async def test_invalid_tickets_are_refused(browser: Browser) -> None:
    for ticket in ("x", "x" * 43, "x" * 4000, "%00", "%ED%A0%80"):
        answer = await browser.session(ticket)
        assert (answer.status, answer.json) == (400, SPENT)


async def test_access_tokens_of_the_provider_are_refused(browser: Browser) -> None:
    """A user may have it from another application; v4 would accept it."""
    await browser.sign_in()
    for token in browser.server.people:
        assert (await browser.session(token)).json == SPENT


async def test_without_a_ticket(browser: Browser) -> None:
    for query in ("", "?access_token=", "?error=access_denied", "?id_token=x", "?code=x"):
        answer = await browser.club.ask("GET", f"/api/auth/company/callback{query}")
        assert (answer.status, answer.json) == (400, refused("No access_token."))


async def test_users_who_deny_access_return_to_the_front_end(browser: Browser) -> None:
    browser.server.denies = True
    assert await browser.to_front_end() == {"from": "octavo", "error": "access_denied"}


async def test_other_errors_are_not_passed_on(browser: Browser) -> None:
    for query in ("error=%3Cscript%3E", "", "error=server_error&code=x"):
        state = parse_qs(urlsplit((await browser.connect()).headers["location"]).query)["state"][0]
        answer = await browser.come_back(f"/api/connect/company/callback?state={state}&{query}")
        assert params_of(answer, FRONT) == {"from": "octavo", "error": "provider_error"}


WRONG_CLAIMS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"nonce": "another"}, "nonce"),
    ({"nonce": None}, "nonce"),
    ({"iss": "https://another.example"}, "iss"),
    ({"iss": None}, "iss"),
    ({"aud": "another-client"}, "aud"),
    ({"aud": ["another-client"]}, "aud"),
    ({"aud": [CLIENT, "another-client"]}, "azp"),
    ({"aud": None}, "aud"),
    ({"azp": "another-client"}, "azp"),
    ({"exp": 1_700_000_000}, "expired"),
    ({"exp": None}, "exp"),
    ({"exp": "tomorrow"}, "exp"),
    ({"iat": None}, "iat"),
    ({"nbf": 40_000_000_000}, "not yet valid"),
    ({"sub": None}, "sub"),
    ({"sub": ""}, "did not identify"),
    ({"sub": "x" * 256}, "did not identify"),
    ({"at_hash": "another"}, "at_hash"),
)


async def test_invalid_id_tokens_are_refused(browser: Browser, caplog: pytest.LogCaptureFixture) -> None:
    for wrong, reason in WRONG_CLAIMS:
        browser.server.claims = wrong
        caplog.clear()
        assert await browser.to_front_end() == {"from": "octavo", "error": "provider_error"}, wrong
        [reported] = [record.getMessage() for record in caplog.records if record.name.startswith("octavo")]
        assert reason in reported, wrong
    browser.server.claims = {}
    assert (await browser.sign_in()).status == 200


async def test_id_tokens_with_another_algorithm_are_refused(browser: Browser, caplog: pytest.LogCaptureFixture) -> None:
    for how, reason in (
        ("none", "nsupported"),
        ("HS256 with the client's secret", "nsupported"),
        ("HS256 with the public key", "nsupported"),
        ("another key", "BadSignature"),
    ):
        browser.server.sign_with = how
        caplog.clear()
        assert await browser.to_front_end() == {"from": "octavo", "error": "provider_error"}, how
        [reported] = [record.getMessage() for record in caplog.records if record.name.startswith("octavo")]
        assert reason in reported, (how, reported)


async def test_a_code_is_valid_once(browser: Browser) -> None:
    address = (await browser.connect()).headers["location"]
    back = await browser.at_provider(address)
    browser.server.codes.clear()
    assert params_of(await browser.come_back(back), FRONT)["error"] == "provider_error"


async def test_responses_of_another_issuer_are_refused(browser: Browser) -> None:
    back = await browser.at_provider((await browser.connect()).headers["location"])
    answer = await browser.come_back(f"{back}&iss=https%3A%2F%2Fanother.example")
    assert params_of(answer, FRONT)["error"] == "provider_error"
    back = await browser.at_provider((await browser.connect()).headers["location"])
    answer = await browser.come_back(f"{back}&iss={browser.server.issuer}")
    assert "access_token" in params_of(answer, FRONT)


@pytest.mark.parametrize(
    "document", [{"issuer": "https://another.example"}, {"authorization_endpoint": "javascript:alert(1)"}]
)
async def test_an_issuer_without_discovery_document_is_an_error(browser: Browser, document: dict[str, str]) -> None:
    browser.server.document = document
    answer = await browser.connect()
    assert (answer.status, answer.json) == (400, refused("The provider cannot be reached"))


async def test_an_address_from_the_user_information(browser: Browser) -> None:
    browser.server.claims = {"email": None}
    assert (await browser.sign_in()).json["user"]["email"] == "dora@example.org"
    browser.server.userinfo = {"sub": "s-2"}
    assert (await browser.to_front_end())["error"] == "provider_error"


async def test_an_account_requires_an_address(browser: Browser) -> None:
    for email in (None, "", "no-address", "a@" + "b" * 300 + ".org"):
        browser.server.person["email"] = email
        answer = await browser.sign_in()
        assert (answer.status, answer.json) == (400, refused("Email was not available."))


async def test_addresses_of_users_with_a_password_are_refused(browser: Browser) -> None:
    browser.server.person["email"] = "ann@example.org"
    answer = await browser.sign_in()
    assert (answer.status, answer.json) == (400, refused("Email is already taken."))


async def test_addresses_can_repeat_if_configured(browser: Browser) -> None:
    await browser.club.store("advanced", {"unique_email": False})
    browser.server.person |= {"email": "ann@example.org", "preferred_username": "ann"}
    user = (await browser.sign_in()).json["user"]
    assert (user["id"], user["email"], user["provider"]) == (4, "ann@example.org", "company")
    assert user["username"].startswith("ann-")


async def test_each_user_gets_a_name(browser: Browser) -> None:
    for number, name in enumerate(("", "x", "ann", "\n", "ein sehr langer Name " * 20)):
        browser.server.person |= {"sub": f"n-{number}", "email": f"n{number}@example.org"}
        browser.server.person["preferred_username"] = name
        answer = await browser.sign_in()
        assert answer.status == 200, answer.body
        assert len(answer.json["user"]["username"]) >= 3


async def test_with_registration_disabled_existing_users_can_sign_in(browser: Browser) -> None:
    await browser.sign_in()
    await browser.club.store("advanced", {"allow_register": False})
    assert (await browser.sign_in()).status == 200
    browser.server.person |= {"sub": "s-2", "email": "new@example.org"}
    answer = await browser.sign_in()
    assert (answer.status, answer.json) == (400, refused("Register action is actually not available."))


async def test_the_default_role_is_the_one_that_is_set(browser: Browser) -> None:
    await browser.club.store("advanced", {"default_role": "public"})
    await browser.sign_in()
    role = "SELECT r.type FROM up_users_role_links l JOIN up_roles r ON r.id = l.role_id WHERE l.user_id = 4"
    assert await browser.club.database.fetch_value(role) == "public"
    await write(browser.club.database, 'UPDATE strapi_core_store_settings SET value = \'{"default_role": "none"}\'')
    browser.server.person |= {"sub": "s-2", "email": "new@example.org"}
    assert (await browser.sign_in()).json == refused("Impossible to find the default role")


async def test_blocked_users_are_refused(browser: Browser) -> None:
    await browser.sign_in()
    await write(browser.club.database, "UPDATE up_users SET blocked = {v1} WHERE id = 4", True)
    answer = await browser.sign_in()
    assert (answer.status, answer.json) == (400, refused("Your account has been blocked by an administrator"))


async def test_users_created_by_v4_are_found(browser: Browser) -> None:
    text = "UPDATE up_users SET provider = 'company', password = NULL, email = 'dora@example.org' WHERE id = 1"
    await write(browser.club.database, text)
    assert (await browser.sign_in()).json["user"]["id"] == 1
    browser.server.person["email"] = "married@example.org"
    assert (await browser.sign_in()).json["user"]["id"] == 1


async def test_a_new_owner_of_an_address_does_not_get_the_account(browser: Browser) -> None:
    await browser.sign_in()
    browser.server.person["sub"] = "s-2"
    answer = await browser.sign_in()
    assert (answer.status, answer.json) == (400, refused("Email is already taken."))


async def test_a_deleted_user_can_sign_in_as_a_new_one(browser: Browser) -> None:
    await browser.sign_in()
    await write(browser.club.database, "DELETE FROM up_users_role_links WHERE user_id = 4")
    await write(browser.club.database, "DELETE FROM up_users WHERE id = 4")
    assert (await browser.sign_in()).status == 200


async def test_simultaneous_sign_ins_create_one_user(browser: Browser) -> None:
    tickets = [(await browser.to_front_end())["access_token"] for _ in range(4)]
    answers = await asyncio.gather(*map(browser.session, tickets))
    assert [answer.json["user"]["id"] for answer in answers] == [4] * 4


@pytest.mark.parametrize("verified", [False, "false", None])
async def test_an_unverified_address(new_club: OpenClub, openid_server: OpenIdServer, verified: Any) -> None:
    openid_server.person["email_verified"] = verified
    club = await new_club(**variables(openid_server), **SAFE)
    answer = await Browser(club, openid_server).sign_in()
    assert (answer.status, answer.json) == (400, refused("Email is not verified by the provider."))


async def test_unverified_addresses_are_accepted_under_v4(browser: Browser) -> None:
    browser.server.person["email_verified"] = False
    assert (await browser.sign_in()).status == 200


@pytest.mark.parametrize("callback", [OTHER_FRONT, FRONT])
async def test_another_address_of_the_front_end(browser: Browser, callback: str) -> None:
    address = (await browser.connect(f"?callback={callback.replace('?', '%3F')}")).headers["location"]
    answer = await browser.come_back(await browser.at_provider(address))
    assert "access_token" in params_of(answer, callback)


@pytest.mark.parametrize(
    "callback", ["https://evil.example/", f"{FRONT}&x=1", "https://front.example.evil.example/", "//evil.example", ""]
)
async def test_unlisted_callback_urls_are_refused(browser: Browser, callback: str) -> None:
    answer = await browser.club.ask("GET", f"/api/connect/company?callback={callback.replace('&', '%26')}")
    expected = error(400, "ValidationError", "Invalid callback URL provided", callback=callback)
    assert (answer.status, answer.json) == (400, expected)


async def test_redirects_do_not_use_the_host_header(browser: Browser) -> None:
    answer = await browser.club.ask("GET", "/api/connect/company", headers=(("Host", "evil.example"),))
    assert "evil" not in answer.headers["location"]


async def stored(browser: Browser, name: str, **given: Any) -> None:
    await browser.club.store("grant", {name: {"icon": "", "enabled": True, "key": CLIENT, "secret": SECRET, **given}})
    browser.server.redirect_uris = {f"http://127.0.0.1:1337/api/connect/{name}/callback"}
    browser.provider = name


async def test_a_provider_that_v4_has_stored(browser: Browser) -> None:
    await stored(
        browser,
        "github",
        callback="",
        callbackUrl="api/auth/github/callback",
        scope=["user", "user:email"],
        authorizeUrl=f"{browser.server.issuer}/authorize",
        accessUrl=f"{browser.server.issuer}/token",
        profileUrl=f"{browser.server.issuer}/userinfo",
    )
    browser.server.person = {"id": 77, "login": "octodora", "email": None}
    browser.server.emails = [
        {"email": "old@example.org", "primary": False, "verified": True},
        {"email": "dora@example.org", "primary": True, "verified": True},
    ]
    address = (await browser.connect()).headers["location"]
    asked = parse_qs(urlsplit(address).query)
    assert asked["scope"] == ["user user:email"]
    assert "nonce" not in asked
    answer = await browser.come_back(await browser.at_provider(address))
    reported = params_of(answer, "http://127.0.0.1:1337/api/auth/github/callback")
    user = (await browser.session(reported["access_token"])).json["user"]
    assert (user["username"], user["email"], user["provider"]) == ("octodora", "dora@example.org", "github")


async def test_settings_take_precedence_over_stored_providers(browser: Browser) -> None:
    await browser.club.store("grant", {"company": {"enabled": False, "key": "x", "subdomain": "x"}})
    assert (await browser.sign_in()).status == 200


@pytest.mark.parametrize(
    "given",
    [
        {"enabled": False},
        {"key": ""},
        {"subdomain": ""},
        {"enabled": "yes"},
    ],
)
async def test_a_stored_provider_that_is_not_ready(browser: Browser, given: dict[str, Any]) -> None:
    await stored(browser, "keycloak", **{"subdomain": "keycloak.example/realms/x", **given})
    for path in ("connect/keycloak", "connect/keycloak/callback", "auth/keycloak/callback?access_token=x"):
        answer = await browser.club.ask("GET", f"/api/{path}")
        assert (answer.status, answer.json) == (400, refused("This provider is disabled"))


async def test_unknown_providers(browser: Browser) -> None:
    await browser.club.store("grant", {"email": {"enabled": True}, "twitter": {"enabled": True, "key": "x"}})
    for name in ("nope", "email", "twitter", "__proto__", "%F0%9F%90%99", "x" * 500):
        for path in (f"connect/{name}", f"auth/{name}/callback"):
            assert (await browser.club.ask("GET", f"/api/{path}")).json == refused("This provider is disabled")


@pytest.mark.parametrize("text", ["", "[]", "{", "5", '{"company": []}'])
async def test_unreadable_stored_settings_are_ignored(browser: Browser, text: str) -> None:
    insert = "INSERT INTO strapi_core_store_settings (key, value) VALUES ('plugin_users-permissions_grant', {v1})"
    await write(browser.club.database, insert, text)
    assert (await browser.connect()).status == 302


async def test_connecting_requires_permission(browser: Browser) -> None:
    await write(browser.club.database, "DELETE FROM up_permissions_role_links")
    browser.club.octavo.infrastructure.authenticator.invalidate()
    for path in ("connect/company", "connect/company/callback", "auth/company/callback"):
        assert (await browser.club.ask("GET", f"/api/{path}")).status == 403


async def test_private_addresses_are_requested_only_if_configured(
    new_club: OpenClub, openid_server: OpenIdServer
) -> None:
    club = await new_club(**variables(openid_server) | {f"{CONFIG}PRIVATE_HOSTS": "localhost"})
    answer = await club.ask("GET", "/api/connect/company")
    assert (answer.status, answer.json) == (400, refused("The provider cannot be reached"))
    assert openid_server.asked == []


async def test_beginnings_are_counted(new_club: OpenClub, openid_server: OpenIdServer) -> None:
    limits = {f"{CONFIG}RATELIMIT__ENABLED": "true", f"{CONFIG}RATELIMIT__MAX_BY_ADDRESS": "3"}
    club = await new_club(**variables(openid_server) | limits)
    answers = [await club.ask("GET", "/api/connect/company") for _ in range(4)]
    assert [answer.status for answer in answers] == [302, 302, 302, 429]


@pytest.mark.parametrize(
    "given, path, message",
    [
        ({"issuer": 5.5}, "company.issuer", "expected a string"),
        ({"scope": "email"}, "company.scope", "expected a list of strings"),
        ({"enabled": "maybe"}, "company.enabled", "expected true or false"),
        ({"clientId": "x"}, "company.clientId", "unknown key; expected enabled, key, secret, "),
    ],
)
def test_wrong_settings_stop_the_start(tmp_path: Any, given: dict[str, Any], path: str, message: str) -> None:
    environment = {**SECRETS, f"{CONFIG}PROVIDERS": json.dumps({"company": {"secret": "hidden", **given}})}
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path, environment, mode="development")
    [problem] = caught.value.problems
    assert problem.key == f"plugins.users-permissions.config.providers.{path}"
    assert problem.message.startswith(message)
    assert "hidden" not in str(problem)


def test_the_libraries_are_loaded_by_the_first_sign_in() -> None:
    """They need time and memory, and most projects never use them."""
    libraries = ("authlib", "httpx2", "joserfc")
    code = f"import sys, octavo.operations.runtime.site; print([name for name in {libraries} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
