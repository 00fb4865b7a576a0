"""Subscribers are notified of every change in a running service, once it is durable."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from octavo.access.authentication.api_tokens import create_token, revoke_token
from octavo.access.authorization.role_grants import grant, revoke
from octavo.accounts.administrators.provisioning import NewAdministrator, create_administrator, reset_password
from octavo.database.change_feed import DataChange
from octavo.database.synchronize import continue_ids
from octavo.query.request import By, Drafts, Form, ReadRequest
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.pictures import Arriving
from tests.models.site import Site

pytestmark = pytest.mark.anyio

USERS = "plugin::users-permissions"
FIND = "api::vault.vault.find"
USER = {"username": "nina", "email": "nina@example.org", "password": "secret-1", "role": 1}


@pytest.fixture(autouse=True)
async def _ids_go_on(own_bookshop: Site) -> None:
    """Advance the ids, as a start does: the rows were inserted with ids."""
    await continue_ids(own_bookshop.database, own_bookshop.octavo.site.registry)


class Ear:
    """Records all changes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._heard: list[DataChange] = []
        site.octavo.infrastructure.feed.subscribe(self._hear)

    def _hear(self, changes: Sequence[DataChange]) -> None:
        self._heard.extend(changes)

    def heard(self) -> list[tuple[str, str]]:
        """Return UID and kind of the changes since the last call."""
        heard = [(change.uid, str(change.kind)) for change in self._heard]
        self._heard.clear()
        return heard

    async def send(self, method: str, path: str, body: Any = None) -> Any:
        headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
        answer = await call(self._site.octavo.asgi, method, path, headers, [orjson.dumps(body)] if body else [])
        assert answer.status in (200, 201), answer.body
        return answer.json


async def test_entries_users_and_roles(own_bookshop: Site) -> None:
    ear = Ear(own_bookshop)
    author = (await ear.send("POST", "/api/authors", {"data": {"name": "Ann"}}))["data"]["id"]
    await ear.send("PUT", f"/api/authors/{author}", {"data": {"name": "Bea"}})
    await ear.send("DELETE", f"/api/authors/{author}")
    assert ear.heard() == [("api::author.author", kind) for kind in ("create", "update", "delete")]
    user = (await ear.send("POST", "/api/users", USER))["id"]
    await ear.send("PUT", f"/api/users/{user}", {"blocked": True})
    await ear.send("DELETE", f"/api/users/{user}")
    assert ear.heard() == [(f"{USERS}.user", kind) for kind in ("create", "update", "delete")]
    tree = {"api::author": {"controllers": {"author": {"find": {"enabled": True}}}}}
    role = {"name": "Editor", "description": "", "permissions": tree}
    await ear.send("POST", "/api/users-permissions/roles", role)
    assert ear.heard() == [(f"{USERS}.role", "create"), (f"{USERS}.permission", "create")]


async def test_files(own_bookshop: Site) -> None:
    ear, services = Ear(own_bookshop), own_bookshop.octavo.site.services
    file_type = services.controller.registry.content_types["plugin::upload.file"]
    request = ReadRequest(content_type=file_type, by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY)
    answer = services.controller.reads.prepare(request, None)
    files = services.files
    (shown,) = await files.add([Arriving("a.txt", b"a")], [], answer)
    assert ear.heard() == [("plugin::upload.folder", "create"), ("plugin::upload.file", "create")]
    await files.delete(orjson.loads(shown)["id"], answer)
    assert ear.heard() == [("plugin::upload.file", "delete")]


async def test_grants_tokens_and_administrators(own_bookshop: Site) -> None:
    ear, database, feed = Ear(own_bookshop), own_bookshop.database, own_bookshop.octavo.infrastructure.feed
    await grant(database, "public", [FIND, "api::vault.vault.findOne"], feed)
    await revoke(database, "public", [FIND], feed)
    assert ear.heard() == [(f"{USERS}.permission", kind) for kind in ("create", "create", "delete")]
    await create_token(database, "salt", "shop", "read-only", feed=feed)
    await revoke_token(database, "shop", feed)
    assert ear.heard() == [("admin::api-token", kind) for kind in ("create", "delete")]
    await create_administrator(database, NewAdministrator("ann@example.org", "Password1"), feed)
    assert ear.heard()[-1] == ("admin::user", "create")
    await reset_password(database, "ann@example.org", "Password2", feed)
    assert ear.heard() == [("admin::user", "update")]


async def test_a_change_of_permissions_applies_to_the_next_request(own_bookshop: Site) -> None:
    """Although cached permissions are fresh for a second."""
    feed = own_bookshop.octavo.infrastructure.feed
    assert (await own_bookshop.get("/api/vaults")).status == 403
    await grant(own_bookshop.database, "public", ["api::vault.vault.find"], feed)
    assert (await own_bookshop.get("/api/vaults")).status == 200
    await revoke(own_bookshop.database, "public", ["api::vault.vault.find"], feed)
    assert (await own_bookshop.get("/api/vaults")).status == 403
