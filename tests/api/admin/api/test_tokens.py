"""API tokens and transfer tokens over HTTP on both databases."""

from typing import Any

import pytest

from octavo.access.authentication.credentials import hash_api_token
from tests.api.admin.client import allow, sign_in
from tests.api.admin.conftest import Office
from tests.models.club import NEVER, SECRETS, error

pytestmark = pytest.mark.anyio

FORBIDDEN = error(403, "ForbiddenError", "You cannot grant permissions that you do not have")
UNKNOWN = error(404, "NotFoundError", "API Token not found")
WEEK = 604_800_000
FIND, CREATE = "api::note.note.find", "api::note.note.create"


@pytest.fixture
async def bureau(open_office: Any) -> Office:
    made: Office = await open_office(**NEVER, TRANSFER_TOKEN_SALT="transfer-salt")
    return made


async def test_the_life_of_an_api_token(bureau: Office) -> None:
    ada, ask = await sign_in(bureau), bureau.club.ask
    body = {"name": " notes ", "description": None, "type": "custom", "permissions": [FIND, FIND]}
    made = await ada.ask("POST", "api-tokens", {**body, "accessKey": "mine", "id": 77})
    token = made.json["data"]
    assert (made.status, token["name"], token["description"], token["permissions"]) == (201, "notes", "", [FIND])
    secret = token.pop("accessKey")
    assert len(secret) == 256
    stored = await bureau.club.database.fetch_value("SELECT access_key FROM strapi_api_tokens WHERE name = 'notes'")
    assert stored == hash_api_token(secret, SECRETS["API_TOKEN_SALT"])
    path = f"api-tokens/{token['id']}"
    assert (await ada.ask("GET", path)).json == {"data": token}
    assert (await ask("GET", "/api/notes", token=secret)).status == 200
    assert (await ask("POST", "/api/notes", {"data": {}}, token=secret)).status == 403
    changed = await ada.ask("PUT", path, {"permissions": [CREATE]})
    assert changed.json["data"]["permissions"] == [CREATE]
    assert (await ask("GET", "/api/notes", token=secret)).status == 403
    assert (await ada.ask("PUT", path, {"type": "read-only"})).json["data"]["permissions"] == []
    assert (await ask("GET", "/api/notes", token=secret)).status == 200
    again = await ada.ask("POST", f"{path}/regenerate")
    assert (again.status, again.json["data"].keys()) == (201, {"id", "accessKey"})
    assert (await ask("GET", "/api/notes", token=secret)).status == 401
    assert (await ask("GET", "/api/notes", token=again.json["data"]["accessKey"])).status == 200
    assert (await ada.ask("DELETE", path)).json["data"]["id"] == token["id"]
    assert (await ada.ask("DELETE", path)).json == {"data": None}
    assert (await ada.ask("GET", path)).json == UNKNOWN
    assert await bureau.club.database.fetch_value("SELECT count(*) FROM strapi_api_token_permissions") == 2, (
        "the club's"
    )


async def test_lists_are_sorted_by_name_and_lifespans_are_validated(bureau: Office) -> None:
    ada = await sign_in(bureau)
    made = await ada.ask("POST", "api-tokens", {"name": "a week", "type": "full-access", "lifespan": WEEK})
    assert (made.json["data"]["lifespan"], made.json["data"]["expiresAt"] is None) == (str(WEEK), False)
    listed = (await ada.ask("GET", "api-tokens")).json["data"]
    assert [token["name"] for token in listed] == ["a week", "full-token", "some-token"]
    assert all("accessKey" not in token for token in listed)


WRONG: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("POST", "", {"name": "x", "type": "read-only", "lifespan": 5}, "lifespan must be one of the following values"),
    ("POST", "", {"name": "full-token", "type": "read-only"}, "Name already taken"),
    ("POST", "", {"name": "x", "type": "custom"}, "Missing permissions attribute for custom token"),
    ("POST", "", {"name": "x", "type": "custom", "permissions": ["no", FIND]}, "Unknown permissions provided: no"),
    ("POST", "", {"name": "x", "type": "read-only", "permissions": [FIND]}, "Non-custom tokens should not reference"),
    ("POST", "", {"name": "x" * 256, "type": "read-only"}, "name must be at most 255 characters"),
    ("POST", "", {}, "3 errors occurred"),
    ("PUT", "/1", {"lifespan": WEEK}, "this field has unspecified keys: lifespan"),
    ("PUT", "/1", {"name": "some-token"}, "Name already taken"),
    ("PUT", "/1", {"permissions": [FIND]}, "Non-custom tokens should not reference permissions"),
    ("PUT", "/1", {"type": "custom"}, "Missing permissions attribute for custom token"),
    ("PUT", "/99", {"name": "full-token"}, "API Token not found"),
)


async def test_refused_requests(bureau: Office) -> None:
    ada = await sign_in(bureau)
    for method, path, body, message in WRONG:
        answer = await ada.ask(method, f"api-tokens{path}", body)
        assert answer.status in (400, 404)
        assert answer.json["error"]["message"].startswith(message)


def custom(*permissions: list[str]) -> list[dict[str, Any]]:
    return [{"type": "custom", "permissions": some} for some in permissions]


async def test_tokens_cannot_have_more_permissions_than_their_creator(bureau: Office) -> None:
    await allow(bureau, *(f"admin::api-tokens.{name}" for name in ("create", "update", "regenerate")))
    await allow(bureau, "admin::transfer.tokens.create")
    edi = await sign_in(bureau, "edi")
    users = "plugin::users-permissions.user.find"
    for body in ({"type": "full-access"}, {"type": "read-only"}, *custom([FIND, users], [f"{users}One"])):
        assert (await edi.ask("POST", "api-tokens", {"name": "x", **body})).json == FORBIDDEN
    assert (await edi.ask("POST", "api-tokens/1/regenerate")).json == FORBIDDEN, "a token with full access"
    assert (await edi.ask("PUT", "api-tokens/1", {"name": "mine"})).json == FORBIDDEN
    assert (await edi.ask("POST", "api-tokens", {"name": "y", **custom([FIND])[0]})).json == FORBIDDEN, (
        "not all locales"
    )
    made = await edi.ask("POST", "api-tokens", {"name": "x", **custom(["plugin::upload.content-api.find"])[0]})
    assert made.status == 201, "editors see all files"
    transfer = {"name": "t", "permissions": ["pull"]}
    assert (await edi.ask("POST", "transfer/tokens", transfer)).status == 403


async def test_transfer_tokens(bureau: Office) -> None:
    ada = await sign_in(bureau)
    made = await ada.ask("POST", "transfer/tokens", {"name": "t", "permissions": ["pull", "push"], "lifespan": WEEK})
    token = made.json["data"]
    assert (made.status, token["permissions"], token["lifespan"]) == (201, ["pull", "push"], str(WEEK))
    stored = await bureau.club.database.fetch_value("SELECT access_key FROM strapi_transfer_tokens")
    assert stored == hash_api_token(token["accessKey"], "transfer-salt")
    path = f"transfer/tokens/{token['id']}"
    assert (await ada.ask("PUT", path, {"permissions": ["push"]})).json["data"]["permissions"] == ["push"]
    wrong = await ada.ask("PUT", path, {"permissions": ["steal"]})
    assert wrong.json["error"]["message"] == "permissions[0] must be one of the following values: push, pull"
    (scope,) = (await ada.ask("DELETE", path)).json["data"]["permissions"]
    assert scope["action"] == "push"
    assert (await ada.ask("GET", path)).json == error(404, "NotFoundError", "Transfer token not found")
