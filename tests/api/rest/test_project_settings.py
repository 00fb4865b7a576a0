"""Settings that affect a whole project: private attributes, unlimited pages, the location of its files."""

from collections.abc import AsyncIterator

import pytest

from octavo.operations.runtime import options
from tests.models.club import FULL, NEVER, Club, open_club

pytestmark = pytest.mark.anyio

SETTINGS = {
    "OCTAVO_API__RESPONSES__PRIVATE_ATTRIBUTES": "nickname,createdAt,id",
    "OCTAVO_API__REST__MAX_LIMIT": "-1",
    "OCTAVO_SERVER__PUBLIC_FOLDER": "site",
    "OCTAVO_MIDDLEWARES__PUBLIC__MAX_AGE": "1m",
    "OCTAVO_MIDDLEWARES__PUBLIC__UPLOADS_MAX_AGE": "90",
    "OCTAVO_MIDDLEWARES__HEADERS__X_FRAME_OPTIONS": "",
    "OCTAVO_MIDDLEWARES__SECURITY__CONTENT_SECURITY_POLICY": "default-src 'self'",
}


@pytest.fixture(scope="module")
async def club(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Club]:
    folder = tmp_path_factory.mktemp("club")
    for name in ("site/a.txt", "site/uploads/b.txt", "public/c.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    async with open_club(folder, {**NEVER, **SETTINGS}) as opened:
        yield opened


async def test_private_attributes_are_shown_nowhere(club: Club) -> None:
    user = (await club.ask("GET", "/api/users/1", token=FULL)).json
    assert user["id"] == 1
    assert not {"nickname", "createdAt"} & set(user)
    for asked in ("filters[nickname]=x", "sort=createdAt"):
        assert (await club.ask("GET", f"/api/users?{asked}", token=FULL)).status == 400
    query = {"query": "{ usersPermissionsUsers { data { id attributes { nickname } } } }"}
    assert (await club.ask("POST", "/graphql", query, token=FULL)).status == 400


async def test_pages_without_a_bound(club: Club) -> None:
    assert options.page_limits(club.octavo.settings).max_limit is None


@pytest.mark.parametrize(
    "path, status, age", [("/a.txt", 200, "max-age=60"), ("/uploads/b.txt", 200, "max-age=90"), ("/c.txt", 404, None)]
)
async def test_the_public_folder_has_a_path_and_a_cache_lifetime(
    club: Club, path: str, status: int, age: str | None
) -> None:
    answer = await club.ask("GET", path)
    assert (answer.status, answer.headers.get("cache-control")) == (status, age)
    assert answer.headers["content-security-policy"] == "default-src 'self'"
    assert "x-frame-options" not in answer.headers


async def test_files_are_stored_in_the_public_folder(club: Club) -> None:
    assert club.octavo.infrastructure.storage.workspace.folder == club.folder / "site/uploads"
