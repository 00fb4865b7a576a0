"""Sessions of administrators over HTTP on both databases: sign-in, renewal, sign-out, and access of their tokens."""

import base64
import time
from typing import Any

import bcrypt
import jwt
import pytest

from octavo.access.authentication.credentials import sign_admin_token, sign_user_token
from octavo.accounts.administrators.row_writes import ROLES
from tests.api.admin.conftest import COOKIE, Office
from tests.models.club import FULL, NEVER, PASSWORD, SECRETS, error, hashed
from tests.models.people import mint, write

pytestmark = pytest.mark.anyio

ADA = {
    "id": 1,
    "firstname": "Ada",
    "lastname": None,
    "username": None,
    "email": "ada@admin.example",
    "isActive": True,
    "blocked": False,
    "preferedLanguage": None,
    "createdAt": "2023-11-14T22:13:20.123Z",
    "updatedAt": "2023-11-14T22:13:20.999Z",
}
WRONG = error(400, "ApplicationError", "Invalid credentials")
REFUSED = error(401, "UnauthorizedError", "Missing or invalid credentials")
FORBIDDEN = error(403, "ForbiddenError", "Forbidden")
ADMIN_HEAD = base64.urlsafe_b64decode(sign_admin_token("x", "y", 0, 1).partition(".")[0] + "==")
"""The header of every administrator's token."""

LATER = 4_000_000_000
TOO_MANY = error(429, "RateLimitError", "Too many requests, please try again later.")


async def test_login(office: Office) -> None:
    answer = await office.post("login", {"email": "ADA@admin.example", "password": PASSWORD})
    assert (answer.status, answer.json["data"]["user"]) == (200, ADA)
    assert answer.headers["cache-control"] == "no-store"
    token = answer.json["data"]["token"]
    claims = jwt.decode(token, SECRETS["ADMIN_JWT_SECRET"], algorithms=["HS256"], audience="octavo:admin")
    assert claims.keys() == {"session", "aud", "iat", "exp"}
    assert claims["exp"] - claims["iat"] == 1800
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert cookie.startswith(f"{COOKIE}={claims['session']}.")
    assert attributes == ["Max-Age=1209600", "Path=/admin", "HttpOnly", "SameSite=Strict"]
    me = await office.club.ask("GET", "/admin/users/me", token=token)
    name, description = ROLES["strapi-super-admin"]
    role = {"id": 1, "name": name, "description": description, "code": "strapi-super-admin"}
    assert me.json == {"data": {**ADA, "roles": [role]}}


async def test_the_cookie_is_secure_if_configured(open_office: Any) -> None:
    office = await open_office(**NEVER, OCTAVO_ADMIN__AUTH__SECURE_COOKIE="always")
    assert (await office.log_in()).headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize(
    "body, refusal",
    [
        ({"email": "ada@admin.example", "password": "wrong"}, WRONG),
        ({"email": "nobody@admin.example", "password": PASSWORD}, WRONG),
        ({"email": "new@admin.example", "password": PASSWORD}, WRONG),
        ({"email": "ina@admin.example", "password": "wrong"}, WRONG),
        ({"email": "ina@admin.example", "password": PASSWORD}, error(400, "ApplicationError", "User not active")),
        ({"email": "blo@admin.example", "password": PASSWORD}, error(400, "ApplicationError", "User blocked")),
        ({"email": "ada@admin.example", "password": "a" * 73}, WRONG),
        ({"email": "a" * 300, "password": "x"}, WRONG),
        ({"email": "\0", "password": "\0"}, WRONG),
        ({"email": 5, "password": "x"}, error(400, "ApplicationError", "Missing credentials")),
        ({"email": "ada@admin.example", "password": {"$ne": ""}}, WRONG),
        ({"email": ["ada@admin.example"], "password": PASSWORD}, error(400, "ApplicationError", "Missing credentials")),
        ({"email": "ada@admin.example"}, error(400, "ApplicationError", "Missing credentials")),
        ({"email": "", "password": ""}, error(400, "ApplicationError", "Missing credentials")),
        ([], error(400, "ApplicationError", "Missing credentials")),
    ],
)
async def test_refused_logins(office: Office, body: Any, refusal: dict[str, Any]) -> None:
    answer = await office.post("login", body)
    assert (answer.status, answer.json) == (400, refusal)
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "email", ["ada@admin.example", "nobody@admin.example", "new@admin.example", "ina@admin.example", "\0", "a" * 300]
)
async def test_every_refusal_takes_as_long_as_one_comparison(
    office: Office, email: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bytes] = []
    compare = bcrypt.checkpw

    def counting(password: bytes, hashed_password: bytes) -> bool:
        compared.append(password)
        return compare(password, hashed_password)

    monkeypatch.setattr(bcrypt, "checkpw", counting)
    assert (await office.post("login", {"email": email, "password": "wrong"})).json == WRONG
    assert compared == [b"wrong"]


async def test_a_login_accepts_only_json(office: Office) -> None:
    form = f"email=ada@admin.example&password={PASSWORD}".encode()
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"):
        answer = await office.post("login", form, headers=(("Content-Type", kind),))
        assert answer.status == 415
    reply = await office.club.ask("POST", "/admin/login", b'{"email":"\\ud800","password":"x"}')
    assert reply.status == 400


async def test_attempts_are_counted_whatever_the_spelling(open_office: Any) -> None:
    office = await open_office()
    for name in ("ada", "ADA", "Ada", "aDa", "adA"):
        assert (await office.log_in(name, "wrong")).json == WRONG
    assert (await office.log_in()).json == TOO_MANY
    assert (await office.log_in("edi")).status == 200
    elsewhere = await office.log_in(client="192.0.2.2")
    assert elsewhere.status == 200


async def test_attempts_by_one_address_are_counted_for_all_accounts_together(open_office: Any) -> None:
    office = await open_office(OCTAVO_ADMIN__RATE_LIMIT__MAX_BY_ADDRESS="3")
    for name in ("a", "b", "c"):
        await office.log_in(name, "wrong")
    assert (await office.log_in()).json == TOO_MANY


async def test_renewal(office: Office) -> None:
    _, cookie = await office.session()
    answer = await office.renew(cookie)
    assert (answer.status, answer.json.keys()) == (200, {"data"})
    token = answer.json["data"]["token"]
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 200


async def test_a_wrong_cookie_renews_nothing(office: Office) -> None:
    token, cookie = await office.session()
    other_token, other = await office.session("edi")
    name, _, secret = cookie.partition(".")
    wrong = (
        "",
        ".",
        name,
        f"{name}.",
        f"{name}.{secret}x",
        f"{name}.{other.partition('.')[2]}",
        f".{secret}",
        "\xe9.x",
    )
    for text in (*wrong, token, other_token, f"{name}{'.x' * 500}", "' OR 1=1 --.x"):
        answer = await office.renew(text)
        assert (answer.status, answer.json["error"]["name"]) == (401, "UnauthorizedError")
    assert (await office.post("renew-token")).status == 401
    assert (await office.post("renew-token", {"token": token})).status == 401


async def test_guessed_cookies_are_counted(open_office: Any) -> None:
    office = await open_office()
    _, cookie = await office.session()
    for _ in range(5):
        assert (await office.renew("a.b")).status == 401
    assert (await office.renew("a.b")).status == 429
    assert [(await office.renew(cookie)).status for _ in range(8)] == [200] * 8


async def test_nothing_of_a_session_is_stored_in_the_clear(office: Office) -> None:
    _, cookie = await office.session()
    rows = await office.club.database.fetch_all("SELECT * FROM octavo_admin_sessions")
    assert len(rows) == 1
    assert cookie.partition(".")[2] not in str(rows)
    assert hashed() not in str(rows)


async def test_logout_by_cookie_ends_cookie_and_token(office: Office) -> None:
    token, cookie = await office.session()
    _, other = await office.session()
    answer = await office.post("logout", headers=(("Cookie", f"{COOKIE}={cookie}"),))
    assert (answer.status, answer.json) == (200, {"data": {}})
    dropped, *attributes = answer.headers["set-cookie"].split("; ")
    assert dropped == f"{COOKIE}="
    assert {"Max-Age=0", "Path=/admin", "HttpOnly", "SameSite=Strict"} < set(attributes)
    assert (await office.renew(cookie)).status == 401
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).json == REFUSED
    assert (await office.club.ask("GET", "/api/notes", token=token)).json == REFUSED
    assert (await office.renew(other)).status == 200


async def test_logout_by_token(office: Office) -> None:
    token, cookie = await office.session()
    assert (await office.post("logout", token=token)).status == 200
    assert (await office.renew(cookie)).status == 401
    assert (await office.post("logout", token=token)).status == 401
    assert (await office.post("logout")).status == 401


@pytest.mark.parametrize(
    "column, value", [("blocked", True), ("is_active", False), ("password", "another"), ("password", None)]
)
async def test_blocking_or_a_new_password_ends_the_session(office: Office, column: str, value: Any) -> None:
    token, cookie = await office.session()
    assert (await office.club.ask("GET", "/api/notes", token=token)).status == 200
    await office.change("ada", column, hashed(value) if value == "another" else value)
    assert (await office.club.ask("GET", "/api/notes", token=token)).json == REFUSED
    assert (await office.renew(cookie)).status == 401


async def test_a_deleted_administrator_is_out(office: Office) -> None:
    token, cookie = await office.session("edi")
    await write(office.club.database, "DELETE FROM admin_users WHERE id = 2")
    office.club.octavo.infrastructure.authenticator.administrators.forget()
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).json == REFUSED
    assert (await office.renew(cookie)).status == 401


async def test_sessions_and_tokens_have_an_end(office: Office) -> None:
    _, cookie = await office.session()
    over = sign_admin_token(cookie.partition(".")[0], SECRETS["ADMIN_JWT_SECRET"], time.time() - 1801, 1800)
    assert (await office.club.ask("GET", "/admin/users/me", token=over)).json == REFUSED
    await write(office.club.database, "UPDATE octavo_admin_sessions SET expires_at = 1")
    assert (await office.renew(cookie)).status == 401
    await office.session()
    assert await office.club.database.fetch_value("SELECT count(*) FROM octavo_admin_sessions") == 1


SAME_SECRET = {**NEVER, "ADMIN_JWT_SECRET": SECRETS["JWT_SECRET"]}


@pytest.mark.parametrize("settings", [NEVER, SAME_SECRET], ids=["two secrets", "one secret"])
async def test_tokens_of_users_and_administrators_are_not_interchangeable(
    open_office: Any, settings: dict[str, str]
) -> None:
    office: Office = await open_office(**settings)
    ask, secret = office.club.ask, settings.get("ADMIN_JWT_SECRET", SECRETS["ADMIN_JWT_SECRET"])
    users, (admins, cookie) = await office.club.token_of(), await office.session()
    for token in (users, FULL, sign_user_token(1, secret, 600)):
        assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 401
        assert (await office.post("logout", token=token)).status == 401
    assert (await office.club.ask("GET", "/api/users/me", token=admins)).status == 401
    head, claims, proof = admins.split(".")
    user_head = users.partition(".")[0]
    for forged in (f"{user_head}.{claims}.{proof}", f"{head}.{users.partition('.')[2]}", f"{head}.{claims}."):
        assert (await office.club.ask("GET", "/api/notes", token=forged)).json == REFUSED
    # v4's own tokens, which no sign-out could end
    theirs = mint({"id": 1, "iat": 1, "exp": LATER}, secret=secret)
    assert (await office.club.ask("GET", "/admin/users/me", token=theirs)).status == 401
    said = {"session": cookie.partition(".")[0], "aud": "octavo:admin", "iat": 1, "exp": LATER}
    stolen = mint(said, ADMIN_HEAD, "another secret")
    assert (await ask("GET", "/api/notes", token=mint(said, ADMIN_HEAD, secret))).status == 200
    for wrong in ({"aud": "x"}, {"aud": None}, {"exp": None}, {"exp": "never"}, {"exp": 1}, {"session": 1}):
        forged = mint({**said, **wrong}, ADMIN_HEAD, secret)
        assert (await ask("GET", "/api/notes", token=forged)).json == REFUSED, wrong
    assert (await office.club.ask("GET", "/api/notes", token=stolen)).json == REFUSED


ELSEWHERE = [
    (("Origin", "https://evil.example"),),
    (("Origin", "null"),),
    (("Sec-Fetch-Site", "cross-site"),),
    (("Sec-Fetch-Site", "same-site"),),
    (("Origin", "http://club.example"), ("Host", "club.example"), ("Sec-Fetch-Site", "cross-site")),
]
HERE = [
    (),
    (("Origin", "http://club.example"), ("Host", "club.example"), ("Sec-Fetch-Site", "same-origin")),
    (("Origin", "https://office.example"), ("Sec-Fetch-Site", "cross-site")),
    (("Origin", "https://cms.example"), ("Host", "10.0.0.1:1337"), ("Sec-Fetch-Site", "same-origin")),
]


async def test_pages_of_other_origins_are_refused(open_office: Any) -> None:
    office: Office = await open_office(
        **NEVER, PUBLIC_URL="https://cms.example", OCTAVO_MIDDLEWARES__CORS__ORIGINS="*,https://office.example"
    )
    _, cookie = await office.session()
    for headers in ELSEWHERE:
        assert (await office.log_in(headers=headers)).json == FORBIDDEN, headers
        assert (await office.renew(cookie, *headers)).json == FORBIDDEN, headers
        assert (await office.post("logout", headers=(("Cookie", f"{COOKIE}={cookie}"), *headers))).json == FORBIDDEN
    for headers in HERE:
        assert (await office.log_in(headers=headers)).status == 200, headers
        assert (await office.renew(cookie, *headers)).status == 200, headers


# Access of an administrator's token


async def creators(office: Office, note_id: int) -> tuple[Any, Any]:
    text = f"SELECT created_by_id, updated_by_id FROM notes WHERE id = {note_id}"
    row = await office.club.database.fetch_row(text)
    assert row is not None
    return row[0], row[1]


async def test_a_super_administrator_has_all_permissions_and_is_stored_as_creator(office: Office) -> None:
    ask = office.club.ask
    token, _ = await office.session()
    made = await ask("POST", "/api/notes?populate=*", {"data": {"title": "a", "createdBy": 2}}, token)
    shown = made.json["data"]["attributes"]
    assert (made.status, shown["createdBy"]["data"]["id"], shown["updatedBy"]["data"]["id"]) == (200, 1, 1)
    assert "email" not in shown["createdBy"]["data"]["attributes"]
    await ask("POST", "/api/notes", {"data": {"title": "b"}}, FULL)
    assert [await creators(office, 1), await creators(office, 2)] == [(1, 1), (None, None)]
    assert (await ask("PUT", "/api/notes/2", {"data": {"title": "c"}}, token)).status == 200
    assert (await ask("PUT", "/api/notes/1", {"data": {"title": "d"}}, FULL)).status == 200
    assert [await creators(office, 1), await creators(office, 2)] == [(1, 1), (None, 1)]
    assert (await ask("GET", "/api/users", token=token)).status == 200
    assert (await ask("DELETE", "/api/notes/1", token=token)).status == 200


async def test_localizations_and_users_have_creators_too(office: Office) -> None:
    ask = office.club.ask
    token, _ = await office.session()
    await write(office.club.database, "INSERT INTO i18n_locale (name, code) VALUES ('Deutsch', 'de')")
    await ask("POST", "/api/notes", {"data": {"title": "a"}}, FULL)
    added = await ask("POST", "/api/notes/1/localizations", {"locale": "de", "title": "b"}, token)
    assert (added.status, await creators(office, added.json["id"])) == (200, (1, 1))
    body = {"username": "dora", "email": "dora@example.org", "password": "secret1", "role": 1}
    assert (await ask("POST", "/api/users", body, token)).status == 201
    assert await office.club.column("created_by_id", "dora") == 1


async def test_files_too(office: Office) -> None:
    token, _ = await office.session()
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'
    kind = (("Content-Type", "multipart/form-data; boundary=x"),)
    for who in (token, FULL):
        answer = await office.club.ask("POST", "/api/upload", body, who, headers=kind)
        assert answer.status == 200, answer.body
    rows = await office.club.database.fetch_all("SELECT created_by_id, updated_by_id FROM files ORDER BY id")
    assert [tuple(row) for row in rows] == [(1, 1), (None, None)]


async def test_graphql_too(office: Office) -> None:
    token, _ = await office.session()
    operation = {"query": 'mutation { createNote(data: {title: "a"}) { data { id } } }'}
    answer = await office.club.ask("POST", "/graphql", operation, token)
    assert answer.json == {"data": {"createNote": {"data": {"id": "1"}}}}
    assert await creators(office, 1) == (1, 1)


async def test_other_administrators_have_the_permissions_of_their_roles(office: Office) -> None:
    token, _ = await office.session("edi")
    await office.club.grant("public", "api::note.note.find", "plugin::users-permissions.user.find")
    for path in ("notes", "upload/files"):
        assert (await office.club.ask("GET", f"/api/{path}", token=token)).status == 200
    for path in ("users", "users/me", "users-permissions/roles"):
        answer = await office.club.ask("GET", f"/api/{path}", token=token)
        assert (answer.status, answer.json) == (403, FORBIDDEN)


@pytest.mark.usefixtures("still")
async def test_a_known_session_costs_no_statement(office: Office) -> None:
    token, _ = await office.session()
    await office.club.ask("GET", "/api/notes", token=token)
    before = office.club.database.statements
    await office.club.ask("GET", "/api/users/me", token=token)
    assert office.club.database.statements == before


# The first administrator


FIRST = {"OCTAVO_ADMIN__FIRST__EMAIL": "First@Admin.Example", "OCTAVO_ADMIN__FIRST__PASSWORD": "First-Passw0rd"}


async def test_the_first_administrator_comes_from_the_settings(new_club: Any) -> None:
    office = Office(await new_club(**NEVER, **FIRST))
    answer = await office.log_in("first", "First-Passw0rd")
    assert (answer.status, answer.json["data"]["user"]["firstname"]) == (200, "first")
    me = await office.club.ask("GET", "/admin/users/me", token=answer.json["data"]["token"])
    assert [role["code"] for role in me.json["data"]["roles"]] == ["strapi-super-admin"]
    roles = await office.club.database.fetch_all("SELECT code FROM admin_roles ORDER BY id")
    assert [row[0] for row in roles] == ["strapi-super-admin", "strapi-editor", "strapi-author"]


async def test_without_a_secret_tokens_are_refused(open_office: Any) -> None:
    office = await open_office(**NEVER, ADMIN_JWT_SECRET="")
    assert (await office.log_in()).status == 405
    anybodys = mint({"session": "x", "aud": "octavo:admin", "exp": LATER}, ADMIN_HEAD, "")
    assert (await office.club.ask("GET", "/api/notes", token=anybodys)).json == REFUSED
