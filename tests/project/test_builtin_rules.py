"""Entries of built-in types keep their own rules: files leave the storage, tokens end, users of roles are moved."""

import io
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from octavo.content.media.processing import FileInfo
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ROLE
from octavo.sdk.app import App
from tests.models.bookshop import FILE, USER
from tests.models.site import Site, under_safe
from tests.project.test_many_entries import undone

pytestmark = pytest.mark.anyio
NAMES = itertools.count()


def texts_in(site: Site) -> list[str]:
    return sorted(file.name for file in Path(site.octavo.settings.project / "public/uploads").rglob("*.txt"))


async def upload(site: Site) -> int:
    services = site.octavo.site.services
    file_type = site.octavo.site.registry.content_types[FILE]
    request = ReadRequest(content_type=file_type, by=By.ID, projection=Form.ID, drafts=Drafts.ANY)
    sent = SimpleNamespace(filename="a.txt", content_type="text/plain", file=io.BytesIO(b"some text"))
    [shown] = await services.files.add([sent], [FileInfo()], services.controller.reads.prepare(request, None))
    return int(shown.strip(b'"'))


async def new_user(app: App, **data: Any) -> int:
    name = f"user {next(NAMES)}"
    given = {"username": name, "email": f"{name.replace(' ', '')}@example.org", "password": "secret-1", **data}
    return (await app.entries(USER).create(given)).id


async def test_files_leave_the_storage_once_the_transaction_is_over(app: App, code_site: Site) -> None:
    before = texts_in(code_site)
    one, two, three = [await upload(code_site) for _ in range(3)]
    async with undone(app):
        await app.entries(FILE).delete(one)
        assert await app.entries(FILE).find_one(one) is None
    assert len(texts_in(code_site)) == len(before) + 3
    assert (await app.entries(FILE).delete(one)).id == one
    assert len(texts_in(code_site)) == len(before) + 2
    assert await app.entries(FILE).delete_many(filters={"id": [two, three]}) == 2
    assert texts_in(code_site) == before
    with pytest.raises(NotFoundError):
        await app.entries(FILE).delete(one)


async def test_users_of_a_deleted_role_get_the_public_role(app: App) -> None:
    async with undone(app):
        role = await app.entries(ROLE).create({"name": "Guest", "type": "guest"})
        user = await new_user(app, role=role.id)
        assert (await app.entries(ROLE).delete(role.id))["name"] == "Guest"
        shown = await app.entries(USER).find_one(user, populate="role")
        assert shown is not None
        assert shown["role"]["type"] == "public"
        with pytest.raises(ApplicationError, match="public role"):
            await app.entries(ROLE).delete(shown["role"]["id"])
        with pytest.raises(NotFoundError):
            await app.entries(ROLE).delete(99_999)


async def test_tokens_end_with_a_password_a_block_and_a_user(code_site: Site) -> None:
    async with under_safe(code_site) as site:
        app = site.octavo.site.extending.app
        assert isinstance(app, App)

        async def version(user: int) -> int:
            find = f"SELECT coalesce(max(version), 0) FROM octavo_token_versions WHERE user_id = {user}"
            return int(await site.database.fetch_value(find))

        one, two = await new_user(app), await new_user(app)
        await app.entries(USER).update(one, {"username": f"another {one}"})
        assert await version(one) == 0
        shown = await app.entries(USER).update(one, {"password": "secret-2"})
        assert (shown.id, await version(one), "password" in shown) == (one, 1, False)
        assert await app.entries(USER).update_many({"blocked": True}, filters={"id": [one, two]}) == 2
        assert [await version(one), await version(two)] == [2, 1]
        assert await app.entries(USER).delete_many(filters={"id": [one, two]}) == 2
        assert [await version(one), await version(two)] == [3, 2]
        with pytest.raises(NotFoundError):
            await app.entries(USER).update(one, {"password": "secret-3"})
        with pytest.raises(NotFoundError):
            await app.entries(USER).delete(one)
        assert await version(one) == 3
