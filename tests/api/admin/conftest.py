"""Fixtures for tests with administrators: clubs with administrators, and a content type that shows its creators."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest

from octavo.accounts.administrators.role_setup import set_up_roles
from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub, club_copy, new_club
from tests.cli.projects import write_type
from tests.models.club import NEVER, PASSWORD, Club, hashed, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.people import write
from tests.models.site import mysql_variables, postgresql_variables
from tests.models.templates import Copy, copy_of
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, database_name

__all__ = ["club_copy", "new_club"]

COOKIE = "octavo_admin_refresh"
NOTE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "notes",
    "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
    "options": {"draftAndPublish": False, "populateCreatorFields": True},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {"title": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}}},
}
SHORT = "OCTAVO_API__COMPAT__ADMIN_TOKENS"
"""The compatibility rule that an office sets to `short`."""
PEOPLE = (
    ("ada", True, False, "strapi-super-admin"),
    ("edi", True, False, "strapi-editor"),
    ("ina", False, False, "strapi-super-admin"),
    ("blo", True, True, "strapi-super-admin"),
    ("new", True, False, None),
)
"""Ada (1) is a super administrator, Edi (2) an editor, Ina (3) is inactive, Blo (4) is blocked, New (5) has neither
role nor password.
"""


@dataclass(frozen=True)
class Office:
    """A club and its administrators."""

    club: Club

    async def post(self, path: str, body: Any = None, **options: Any) -> Answer:
        return await self.club.ask("POST", f"/admin/{path}", body, **options)

    async def log_in(self, name: str = "ada", password: str = PASSWORD, **options: Any) -> Answer:
        return await self.post("login", {"email": f"{name}@admin.example", "password": password}, **options)

    async def session(self, name: str = "ada") -> tuple[str, str]:
        """Sign in; return the access token and the value of the refresh cookie."""
        answer = await self.log_in(name)
        assert answer.status == 200, answer.body
        return answer.json["data"]["token"], SimpleCookie(answer.headers["set-cookie"])[COOKIE].value

    async def renew(self, cookie: str, *headers: tuple[str, str]) -> Answer:
        return await self.post("renew-token", headers=(("Cookie", f"theme=dark; {COOKIE}={cookie}"), *headers))

    async def change(self, name: str, column: str, value: Any) -> None:
        """Change an administrator's row as other software does, past the service's caches."""
        text = f"UPDATE admin_users SET {column} = {{v1}} WHERE email = {{v2}}"
        await write(self.club.database, text, value, f"{name}@admin.example")
        self.club.octavo.infrastructure.authenticator.administrators.forget()  # as if notes had existed from the start


async def write_administrators(club: Club) -> None:
    await club.database.execute("DELETE FROM admin_permissions")
    await set_up_roles(club.database, club.octavo.site.services.rights.catalogue)  # as where notes were from the start
    for user_id, (name, active, blocked, role) in enumerate(PEOPLE, 1):
        text = """INSERT INTO admin_users (firstname, email, password, is_active, blocked, created_at, updated_at)
            VALUES ({v1}, {v2}, {v3}, {v4}, {v5}, {v6:instant}, {v7:instant})"""
        secret = hashed() if role else None
        values = (name.title(), f"{name}@admin.example", secret, active, blocked, 1_700_000_000_123, 1_700_000_000_999)
        await write(club.database, text, *values)
        text = """INSERT INTO admin_users_roles_links (user_id, role_id)
            SELECT {v1}, id FROM admin_roles WHERE code = {v2}"""
        if role:
            await write(club.database, text, user_id, role)


@asynccontextmanager
async def _administered_club(folder: Path, variables: Mapping[str, str], *, filled: bool) -> AsyncIterator[Club]:
    """Open a club with a content type for notes. With `filled`, its database has users and administrators."""
    write_type(folder, NOTE)
    async with open_club(folder, variables, filled=filled) as club:
        if not filled:
            await write_administrators(club)
        yield club


@pytest.fixture(scope="session")
async def sqlite_office_template(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an office's SQLite database."""
    folder = tmp_path_factory.mktemp("office")
    async with _administered_club(folder, NEVER, filled=False):
        return folder / CLUB_DATABASE


@pytest.fixture(scope="session")
async def postgresql_office_template(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, postgresql_server: PostgresqlServer
) -> str:
    """Return the name of an office's PostgreSQL database."""
    url = postgresql_server.create_database()
    variables = {**postgresql_variables(url), **NEVER}
    async with _administered_club(tmp_path_factory.mktemp("office"), variables, filled=False):
        return database_name(url)


@pytest.fixture(scope="session")
async def mysql_office_template(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, mysql_server: MysqlServer
) -> str:
    """Return the name of an office's MySQL database."""
    name = mysql_server.create_database(collation=mysql_server.exact)
    variables = {**mysql_variables(mysql_server.url(name)), **NEVER}
    async with _administered_club(tmp_path_factory.mktemp("office"), variables, filled=False):
        return name


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def office_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    """Yield a copy of an office's database, on each database system in turn."""
    with copy_of(request, "office") as copy:
        yield copy


@pytest.fixture
async def open_office(anyio_backend: str, tmp_path: Path, office_copy: Copy) -> AsyncIterator[OpenClub]:
    """Return a function that opens an office with custom settings."""
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Any:
            office_copy.place(tmp_path / CLUB_DATABASE)
            variables = {**office_copy.variables, SHORT: "short", **settings}
            return Office(await stack.enter_async_context(_administered_club(tmp_path, variables, filled=True)))

        yield open_new


@pytest.fixture
async def office(open_office: Any) -> Office:
    """An office without limits on attempts."""
    made: Office = await open_office(**NEVER)
    return made
