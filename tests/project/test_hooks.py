"""Hooks of a project over HTTP, on each database: the caller, the response, rollbacks and callbacks."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authentication.api_tokens import create_token, list_tokens, revoke_token
from octavo.core.errors import ApplicationError
from octavo.operations.runtime.process import build
from octavo.project import InvalidCode
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import DEFINITIONS, FILE, FULL_TOKEN, GENRE, SECRETS, VAULT
from tests.models.site import Site
from tests.project.hooked_site import app_of, kept, query, send

pytestmark = pytest.mark.anyio

PATIENCE = 120


@pytest.fixture
def site(hooked_site: Site) -> Site:
    return hooked_site


@pytest.fixture
def heard(site: Site) -> list[Any]:
    found = kept(site, "HEARD")
    found.clear()
    return found


@pytest.fixture
def recorded(site: Site) -> list[Any]:
    found = kept(site, "TOLD")
    found.clear()
    return found


async def create(site: Site, code: str) -> Answer:
    return await send(site, "POST", "/api/vaults", {"data": {"code": code}})


async def mutate(site: Site, code: str) -> Any:
    text = "mutation ($code: String) { createVault(data: {code: $code}) { data { attributes { code } } } }"
    return await query(site, text, code=code)


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_a_hook_knows_the_caller_and_the_api(site: Site, heard: list[Any]) -> None:
    await create(site, "origin")
    await mutate(site, "origin")
    await app_of(site).entries(VAULT).create({"code": "origin"})
    assert heard == [("rest", "api-token"), ("graphql", "api-token"), ("code", "system")]


async def test_changes_by_a_hook_are_in_responses_of_rest_and_graphql(site: Site) -> None:
    assert (await create(site, "upper")).json["data"]["attributes"]["code"] == "UPPER"
    assert (await mutate(site, "upper"))["data"]["createVault"]["data"]["attributes"]["code"] == "UPPER"


async def test_a_hook_sees_unknown_attributes(site: Site) -> None:
    """It is not stored."""
    made = "2020-02-02T10:00:00.000Z"
    body = {"data": {"code": "aside", "note": "rush", "made": made, "createdBy": 1}}
    answer = await send(site, "POST", "/api/vaults", body)
    assert answer.status == 200, answer.body
    shown = answer.json["data"]["attributes"]
    assert (shown["code"], shown["createdAt"]) == ("aside rush", made)
    assert "note" not in shown


async def test_errors_for_callers_are_returned_by_rest_and_graphql(site: Site) -> None:
    answer = await create(site, "refuse")
    assert answer.status == 400
    assert answer.json["error"] == {
        "status": 400,
        "name": "ValidationError",
        "message": "no vaults today",
        "details": {"why": "closed"},
    }
    [error] = (await mutate(site, "refuse"))["errors"]
    assert (error["message"], error["extensions"]["code"]) == ("no vaults today", "BAD_USER_INPUT")
    assert error["extensions"]["error"]["details"] == {"why": "closed"}


@pytest.mark.parametrize(
    "code, says",
    [
        ("fail", "LookupError: secret words"),
        ("hang", "before_create of api::vault.vault took more than 1 s"),
        (
            "again",
            "hooks call each other more than 8 levels deep: src/api/vault/content-types/vault/lifecycles.py:",
        ),
    ],
)
async def test_other_errors_are_logged_with_their_location_and_not_returned(
    site: Site, caplog: pytest.LogCaptureFixture, code: str, says: str
) -> None:
    answer = await create(site, code)
    assert answer.status == 500
    assert answer.json["error"] == {"status": 500, "name": "InternalServerError", "message": "Internal Server Error"}
    assert answer.headers["x-request-id"] in caplog.text
    assert "src/api/vault/content-types/vault/lifecycles.py" in caplog.text
    assert says in caplog.text
    [error] = (await mutate(site, code))["errors"]
    assert error["message"] == "Internal Server Error"
    assert says not in json.dumps(error)
    app = app_of(site)
    assert await app.entries(GENRE).count(filters={"name": "undone"}) == 0
    assert await app.entries(VAULT).count(filters={"code": code}) == 0


async def test_writes_of_a_hook_belong_to_the_same_transaction(site: Site, heard: list[Any]) -> None:
    made = (await create(site, "genre")).json["data"]["id"]
    assert heard == [("code", "api-token"), f"of vault {made}"]
    assert (await create(site, "late")).status == 400
    assert await app_of(site).entries(VAULT).count(filters={"code": "late"}) == 0


async def test_a_hook_may_catch_errors_of_another_hook(site: Site) -> None:
    assert (await create(site, "catch")).json["data"]["attributes"]["code"] == "caught no vaults today"
    assert await app_of(site).entries(VAULT).count(filters={"code": "refuse"}) == 0


async def test_hooks_after_the_commit_run_in_order(site: Site, recorded: list[Any]) -> None:
    await create(site, "late")
    made = (await create(site, "one")).json["data"]["id"]
    await send(site, "PUT", f"/api/vaults/{made}", {"data": {"code": "two"}})
    await send(site, "DELETE", f"/api/vaults/{made}")
    await until(lambda: any("delete" in item[0] for item in recorded))
    assert [item for item in recorded if item[1] == made] == [
        ("after_commit_create", made, "one", "rest", "api-token", {"code": "one"}),
        ("after_commit_update", made, "two", "rest", "api-token", {}),
        ("after_commit_delete", made, "two", "rest", "api-token", {}),
    ]
    assert all(item[2] != "late" for item in recorded)


async def upload(site: Site, name: str) -> Answer:
    part = f'--b\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\nabc\r\n--b--\r\n'
    headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "multipart/form-data; boundary=b")]
    return await call(site.octavo.asgi, "POST", "/api/upload", headers, [part.encode()])


async def test_files_have_hooks(site: Site, heard: list[Any]) -> None:
    [made] = (await upload(site, "one.txt")).json
    assert made["name"] == "hooked one.txt"
    files = app_of(site).settings.project / "public/uploads"
    before = set(files.iterdir())
    assert (await upload(site, "refused.txt")).status == 400
    assert set(files.iterdir()) == before
    await send(site, "DELETE", f"/api/upload/files/{made['id']}")
    assert [item for item in heard if item[1] == FILE] == [
        ("before_create", FILE, None, {"name": "one.txt"}),
        ("after_create", FILE, made["id"], made["id"]),
        ("before_create", FILE, None, {"name": "refused.txt"}),
        ("before_delete", FILE, made["id"], {}),
        ("after_delete", FILE, made["id"], made["id"]),
    ]


async def test_users_roles_and_grants_have_hooks(site: Site, heard: list[Any]) -> None:
    granted = {"api::vault": {"controllers": {"vault": {"find": {"enabled": True}}}}}
    role = {"name": "Editors", "description": "x", "permissions": granted}
    assert (await send(site, "POST", "/api/users-permissions/roles", role)).status == 200
    body = {"username": "hooked", "email": "hooked@example.org", "password": "long-enough", "role": 1}
    made = (await send(site, "POST", "/api/users", body)).json
    await send(site, "PUT", f"/api/users/{made['id']}", {"username": "rehooked"})
    await send(site, "DELETE", f"/api/users/{made['id']}")
    moments = [(action, uid.rpartition(".")[2], data) for action, uid, _, data in heard if action.startswith("before")]
    assert moments == [
        ("before_create", "role", {"name": "Editors"}),
        ("before_create", "permission", {}),
        ("before_create", "user", {"username": "hooked"}),
        ("before_update", "user", {"username": "rehooked"}),
        ("before_delete", "user", {}),
    ]
    assert len([item for item in heard if item[0].startswith("after")]) == len(moments)


async def test_tokens_and_administrators_have_hooks(site: Site, heard: list[Any]) -> None:
    database, feed = site.database, site.octavo.infrastructure.feed
    await create_token(database, "salt", "hooked", "read-only", feed=feed)
    await revoke_token(database, "hooked", feed)
    with pytest.raises(ApplicationError, match="not this one"):
        await create_token(database, "salt", "refused", "read-only", feed=feed)
    assert "hooked" not in [token.name for token in await list_tokens(database)]
    assert [(item[0], item[3]) for item in heard if item[0].startswith("before")] == [
        ("before_create", {"name": "hooked"}),
        ("before_delete", {}),
        ("before_create", {"name": "refused"}),
    ]


async def test_hooks_are_those_of_the_site_in_force(site: Site, heard: list[Any]) -> None:
    before = site.octavo.site
    await site.octavo.reload()
    assert site.octavo.site is not before
    await create(site, "origin")
    assert (heard, kept(site, "HEARD")) == ([], [("rest", "api-token")])


@pytest.mark.parametrize(
    "path, text, says",
    [
        (
            "api/vault/content-types/vault",
            "def before_creat(event): pass",
            "unknown event 'before_creat'; did you",
        ),
        ("api/vault/content-types/vault", "def beforeCreate(event): pass", "did you mean before_create?"),
        ("api/vault/content-types/vault", "def before_create(event, other): pass", "must accept the arguments"),
        ("api/vault/content-types/vault", "x = 1", "has no function like `before_create`"),
        ("api/vault/content-types/nothing", "x =", "SyntaxError"),
        (
            "extensions/upload/content-types/fil",
            "def before_create(event): pass",
            "unknown content type plugin::upload.fil;",
        ),
    ],
)
def test_errors_stop_the_start_with_their_location(tmp_path: Path, path: str, text: str, says: str) -> None:
    shutil.copytree(DEFINITIONS / "src", tmp_path / "src")
    file = tmp_path / "src" / path / "lifecycles.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")
    with pytest.raises(InvalidCode) as caught:
        build(load_settings(tmp_path, SECRETS, mode="production"))
    assert f"src/{path}/lifecycles.py" in str(caught.value)
    assert says in str(caught.value)
