"""Sign-in, codes and unique values on MariaDB, whose default collation treats different texts as equal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.accounts.users.providers.catalogue import ProviderProfile
from octavo.accounts.users.providers.links import ProviderAccounts
from octavo.accounts.users.user_rows import AccountRows
from octavo.core.errors import ApplicationError, ValidationError
from octavo.database.ambient import outside
from octavo.schema.content_types import USER
from tests.api.rest.conftest import OpenClub
from tests.models.club import NEVER, PASSWORD, Club, open_club
from tests.models.people import write
from tests.models.site import mysql_variables
from tests.mysql_server import MysqlServer

pytestmark = pytest.mark.anyio

GOOD = "New-Passw0rd-of-Edi"
FEW = {
    "OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__MAX": "3",
    "OCTAVO_ADMIN__RATE_LIMIT__MAX": "3",
}
SPELLINGS = ("ann", "ánn", "ànn", "ânn", "änn", "ãnn")


@pytest.fixture
async def new_club(
    anyio_backend: str, tmp_path: Path, mysql_server: MysqlServer, mysql_name: str
) -> AsyncIterator[OpenClub]:
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Club:
            variables = {**mysql_variables(mysql_server.url(mysql_name)), **settings}
            return await stack.enter_async_context(open_club(tmp_path, variables))

        yield open_new


@pytest.fixture
async def club(new_club: OpenClub) -> Club:
    return await new_club(**NEVER)


async def write_administrator(club: Club) -> None:
    text = """INSERT INTO admin_users (email, password, is_active, blocked, reset_password_token)
        VALUES ('ann@admin.example', {v1}, {v2}, {v3}, {v4})"""
    await write(club.database, text, None, True, False, "octavo$9999999999$sealed")


def sign_in(club: Club, email: str, subject: str) -> Any:
    content = club.octavo.site.services.controller
    accounts = ProviderAccounts(AccountRows(content.reader), content.writer, refuse_unverified=False)
    return accounts.account("company", ProviderProfile(subject, email, verified=True, username=f"name {subject}"))


@pytest.mark.parametrize("email", ["victim@exämple.org", "Víctim@example.org", "victim@example.örg"])
async def test_a_provider_account_is_not_linked_to_a_similar_address(club: Club, email: str) -> None:
    text = "UPDATE up_users SET provider = 'company', email = 'Victim@example.org' WHERE id = 1"
    await write(club.database, text)
    with pytest.raises(ApplicationError, match=r"Email is already taken|Email was not available"):
        await sign_in(club, email, "s-1")
    assert await club.database.fetch_value("SELECT count(*) FROM octavo_provider_accounts") == 0
    assert (await sign_in(club, "victim@EXAMPLE.org", "s-2")).account.id == 1
    assert (await sign_in(club, "other@example.org", "S-2 ")).account.id != 1


async def test_the_stored_form_of_a_code_is_refused(club: Club) -> None:
    await write_administrator(club)
    for code in ("octavo$9999999999$sealed", "OCTAVO$9999999999$sealed", "öctavo$9999999999$sealed"):
        answer = await club.ask("POST", "/admin/reset-password", {"resetPasswordToken": code, "password": GOOD})
        assert answer.status == 400, code
    await write(club.database, "UPDATE admin_users SET reset_password_token = 'a1b2'")
    for code, status in (("A1B2", 400), ("a1b2 ", 400), ("a1b2", 200)):
        answer = await club.ask("POST", "/admin/reset-password", {"resetPasswordToken": code, "password": GOOD})
        assert answer.status == status, code


async def test_attempts_are_limited_for_all_spellings_together(new_club: OpenClub) -> None:
    club = await new_club(**FEW)
    await write_administrator(club)
    for path, key in (("/api/auth/local", "identifier"), ("/admin/login", "email")):
        bodies = [{key: f"{name}@{'admin.example' if key == 'email' else 'example.org'}"} for name in SPELLINGS]
        found = [(await club.ask("POST", path, {**body, "password": "wrong"})).status for body in bodies]
        assert found == [400] * 3 + [429] * 3, path
    for path, host in (
        ("/api/auth/forgot-password", "example.org"),
        ("/api/auth/send-email-confirmation", "example.org"),
        ("/admin/forgot-password", "admin.example"),
    ):
        statuses = [(await club.ask("POST", path, {"email": f"{name}@{host}"})).status for name in SPELLINGS]
        assert 429 not in statuses[:3], path
        assert statuses[3:] == [429] * 3, path


async def test_simultaneous_writes_of_equal_values(club: Club) -> None:
    """The second writer waits for the first one, and then finds the value."""
    writer = club.octavo.site.services.controller.writer
    user = writer.registry.content_types[USER]

    def body(name: str) -> dict[str, Any]:
        return {"username": name, "email": f"{name.encode().hex()}@example.org"}

    for first, second in (("zoe one", "Zoë One"), ("zoe two", "zoe twó"), ("zoe six", "ZOE SIX")):

        async def create_both(unit: Any, first: str = first, second: str = second) -> asyncio.Task[int]:
            await unit.create(user, body(first))
            work = writer.run(lambda other: other.create(user, body(second)))
            task = asyncio.create_task(work, context=outside())
            await asyncio.wait([task], timeout=0.3)
            return task

        waiting = await writer.run(create_both)
        with pytest.raises(ValidationError, match="unique"):
            await waiting


async def test_simultaneous_registrations_of_equal_names(club: Club) -> None:
    names = ("zoe", "Zoë", "ZOE", "zoé", "zöe")
    bodies = [
        {"username": name, "email": f"z{number}@example.org", "password": PASSWORD} for number, name in enumerate(names)
    ]
    await club.grant("public", "plugin::users-permissions.auth.register")
    found = await asyncio.gather(*(club.post("auth/local/register", body) for body in bodies))
    assert sorted(answer.status for answer in found) == [200, 400, 400, 400, 400]
