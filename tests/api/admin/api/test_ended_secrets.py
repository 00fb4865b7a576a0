"""Administrators' sessions, reset codes and invitations, and all events that end them, through every API."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from octavo.accounts.administrators.provisioning import reset_password
from octavo.core.clock import move
from octavo.operations.runtime.infrastructure import open_account_guard
from octavo.schema.content_types import ADMIN_USER
from tests.api.admin.api.test_registration import GOOD, mailed
from tests.api.admin.conftest import Office
from tests.models.club import NEVER, PASSWORD, SECRETS
from tests.models.people import mint, write

pytestmark = pytest.mark.anyio

EDI: Final = 2
INVITED: Final = {"firstname": "Nina", "lastname": "N", "email": "nina@admin.example", "roles": [2]}
ALL: Final = frozenset({"access", "session", "reset", "invitation"})
CODES: Final = frozenset({"reset", "invitation"})


@dataclass
class Secrets:
    """The secrets of Edi (2), and the invitation of Nina, who is not active yet."""

    office: Office
    boss: str = ""
    access: str = ""
    cookie: str = ""
    reset: str = ""
    invitation: str = ""
    nina: int = 0

    async def collect(self) -> None:
        self.boss, _ = await self.office.session()
        self.access, self.cookie = await self.office.session("edi")
        await self.office.post("forgot-password", {"email": "edi@admin.example"})
        self.reset = await mailed(self.office)
        answer = await self.office.post("users", INVITED, token=self.boss)
        self.nina, self.invitation = (answer.json["data"][name] for name in ("id", "registrationToken"))

    async def put(self, user: int, data: dict[str, Any]) -> None:
        answer = await self.office.club.ask("PUT", f"/admin/users/{user}", data, self.boss)
        assert answer.status == 200, answer.body

    async def ended(self) -> set[str]:
        """Use all secrets; return the names of those that are refused."""
        self.office.club.octavo.infrastructure.authenticator.invalidate()  # as after a second
        statuses = {
            "access": (await self.office.club.ask("GET", "/admin/users/me", token=self.access)).status,
            "session": (await self.office.renew(self.cookie)).status,
            "reset": (await self.use_reset()).status,
            "invitation": (await self.use_invitation()).status,
        }
        assert set(statuses.values()) <= {200, 400, 401}, statuses
        return {name for name, status in statuses.items() if status >= 400}

    async def use_reset(self) -> Any:
        return await self.office.post("reset-password", {"resetPasswordToken": self.reset, "password": GOOD})

    async def use_invitation(self) -> Any:
        info = {"firstname": "Nina", "password": GOOD}
        return await self.office.post("register", {"registrationToken": self.invitation, "userInfo": info})


@pytest.fixture
async def secrets(office: Office) -> Secrets:
    made = Secrets(office)
    await made.collect()
    return made


async def by_api(secrets: Secrets, user: int, data: dict[str, Any]) -> None:
    await secrets.put(user, data)


async def by_project_code(secrets: Secrets, user: int, data: dict[str, Any]) -> None:
    await secrets.office.club.octavo.site.extending.app.entries(ADMIN_USER).update(user, data)


async def by_sql(secrets: Secrets, user: int, data: dict[str, Any]) -> None:
    name = {2: "edi", secrets.nina: "nina"}[user]
    columns = {"isActive": "is_active"}
    for attribute, value in data.items():
        await secrets.office.change(name, columns.get(attribute, attribute), value)


Change = Callable[[Secrets, int, dict[str, Any]], Awaitable[None]]
WAYS: Final = (by_api, by_project_code, by_sql)


async def test_all_secrets_are_valid_at_first(secrets: Secrets) -> None:
    assert await secrets.ended() == set()
    assert await secrets.ended() == {"access", "session", "reset", "invitation"}, (
        "each works once; a reset ends sessions"
    )


@pytest.mark.parametrize("change", WAYS)
async def test_a_new_address_ends_codes(secrets: Secrets, change: Change) -> None:
    for user in (EDI, secrets.nina):
        await change(secrets, user, {"email": f"{user}@moved.example"})
    assert await secrets.ended() == CODES


@pytest.mark.parametrize("change", WAYS)
async def test_a_new_password_ends_everything(secrets: Secrets, change: Change) -> None:
    hashed = "$2a$10$89V7Uczp5K8.61Qr2w02qOdnTsldtcxUzdq3gwScUg2SaRUmqRfZK"
    for user in (EDI, secrets.nina):
        await change(secrets, user, {"password": hashed if change is by_sql else GOOD})
    assert await secrets.ended() == ALL


async def test_a_new_password_by_a_command_ends_everything(secrets: Secrets) -> None:
    await reset_password(secrets.office.club.database, "edi@admin.example", GOOD)
    await reset_password(secrets.office.club.database, "nina@admin.example", GOOD)
    assert await secrets.ended() == ALL


async def test_changing_the_own_password_keeps_the_session(secrets: Secrets) -> None:
    body = {"currentPassword": PASSWORD, "password": GOOD}
    answer = await secrets.office.club.ask("PUT", "/admin/users/me", body, secrets.access)
    assert answer.status == 200, answer.body
    assert await secrets.ended() == {"reset"}


@pytest.mark.parametrize("change", WAYS[:-1])
async def test_deactivating_ends_everything_permanently(secrets: Secrets, change: Change) -> None:
    """It also withdraws an invitation."""
    for active in (False, True):
        for user in (EDI, secrets.nina):
            await change(secrets, user, {"isActive": active})
    assert await secrets.ended() == ALL


@pytest.mark.parametrize("change", WAYS[1:])
async def test_a_block_ends_everything_permanently(secrets: Secrets, change: Change) -> None:
    for user in (EDI, secrets.nina):
        await change(secrets, user, {"blocked": True})
    assert await secrets.ended() == ALL
    for user in (EDI, secrets.nina):
        await change(secrets, user, {"blocked": False})
    assert await secrets.ended() == ALL


@pytest.mark.parametrize("column, value", [("blocked", True), ("is_active", False)])
async def test_changes_found_by_background_checks(secrets: Secrets, column: str, value: bool) -> None:
    club = secrets.office.club
    await secrets.office.change("edi", column, value)
    await open_account_guard(club.octavo.settings, club.database.dialect).end_of_blocked(club.database)
    await secrets.office.change("edi", column, not value)
    assert await secrets.ended() == ALL - {"invitation"}


async def test_activated_administrators_can_use_their_invitation(secrets: Secrets) -> None:
    await secrets.put(secrets.nina, {"isActive": True, "firstname": "Nora"})
    assert (await secrets.use_invitation()).status == 200


async def test_a_new_name_ends_no_session(secrets: Secrets) -> None:
    for user in (EDI, secrets.nina):
        await secrets.put(user, {"firstname": "Other", "username": f"other{user}"})
    assert await secrets.ended() == set()


async def test_secrets_of_deleted_administrators_are_refused_for_new_ones(secrets: Secrets) -> None:
    body = {"ids": [EDI, secrets.nina]}
    assert (await secrets.office.post("users/batch-delete", body, token=secrets.boss)).status == 200
    for invited in (INVITED, {**INVITED, "email": "edi@admin.example"}):
        await secrets.office.post("users", invited, token=secrets.boss)
    assert await secrets.ended() == ALL


async def test_a_newer_code_ends_the_one_before(secrets: Secrets) -> None:
    await secrets.office.post("forgot-password", {"email": "edi@admin.example"})
    newer = await mailed(secrets.office, 2)
    assert (await secrets.use_reset()).status == 400
    secrets.reset = newer
    assert (await secrets.use_reset()).status == 200


async def test_codes_expire(secrets: Secrets) -> None:
    try:
        move(7 * 86400 + 1)
        assert await secrets.ended() & CODES == CODES
    finally:
        move(0)


async def test_simultaneous_uses_of_a_code_succeed_once(secrets: Secrets) -> None:
    answers = await asyncio.gather(
        *(use() for use in (secrets.use_reset, secrets.use_invitation) for _ in range(4)),
    )
    assert sorted(one.status for one in answers) == [200, 200, *[400] * 6]


async def test_a_code_is_for_one_purpose(secrets: Secrets) -> None:
    text = "SELECT reset_password_token FROM admin_users WHERE id = 2"
    stored = await secrets.office.club.database.fetch_value(text)
    await secrets.office.change("edi", "registration_token", stored)
    secrets.invitation = secrets.reset
    assert (await secrets.use_invitation()).status == 400


@pytest.mark.parametrize(
    "data, status", [({}, 200), ({"isActive": False}, 400), ({"email": "moved@admin.example"}, 400)]
)
async def test_invitations_of_v4(open_office: Any, data: dict[str, Any], status: int) -> None:
    secrets = Secrets(await open_office(**NEVER))
    await secrets.collect()
    await secrets.office.change("nina", "registration_token", "a1b2")
    secrets.invitation = "a1b2"
    if data:
        await secrets.put(secrets.nina, data)
    assert (await secrets.use_invitation()).status == status


async def test_tokens_that_v4_has_signed_end_with_a_block(open_office: Any) -> None:
    office: Office = await open_office(**NEVER, OCTAVO_API__COMPAT__ADMIN_TOKENS="long")
    token = mint({"id": EDI, "iat": int(time.time()) - 60}, secret=SECRETS["ADMIN_JWT_SECRET"])
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 200
    await office.change("edi", "blocked", True)
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 401
    await office.change("edi", "blocked", False)
    assert (await office.club.ask("GET", "/admin/users/me", token=token)).status == 401


@pytest.mark.parametrize("column, value", [("blocked", True), ("is_active", False)])
@pytest.mark.parametrize("use", ["access", "session", "reset"])
async def test_secrets_used_while_other_software_disables_the_account_end(
    secrets: Secrets, column: str, value: bool, use: str
) -> None:
    """They are refused meanwhile, and stay refused if used before a background check notices the change."""
    await secrets.office.change("edi", column, value)
    if column == "blocked":
        await secrets.office.change("nina", column, value)
    refused = await secrets.ended()
    await secrets.office.club.octavo.infrastructure.authenticator.drain()
    await secrets.office.change("edi", column, not value)
    assert refused >= ALL - {"invitation"}
    assert use in await secrets.ended()
    if column == "blocked":
        await secrets.office.change("nina", column, not value)
        assert "invitation" in refused & await secrets.ended()


@pytest.mark.parametrize("statement", ["registration_token = NULL", "blocked = TRUE", "email = 'x@moved.example'"])
async def test_an_invitation_that_other_software_withdraws_is_refused(secrets: Secrets, statement: str) -> None:
    text = f"UPDATE admin_users SET {statement} WHERE id = {{v1}}"
    await write(secrets.office.club.database, text, secrets.nina)
    assert (await secrets.use_invitation()).status == 400
    assert not await secrets.office.club.database.fetch_value(
        f"SELECT count(*) FROM admin_users WHERE id = {secrets.nina} AND is_active"
    )


@pytest.mark.parametrize("column", ["reset_password_token", "registration_token"])
async def test_a_code_that_other_software_deletes_is_refused(secrets: Secrets, column: str) -> None:
    await write(
        secrets.office.club.database, f"UPDATE admin_users SET {column} = NULL WHERE id IN (2, {{v1}})", secrets.nina
    )
    name = "reset" if column.startswith("reset") else "invitation"
    assert await secrets.ended() == {name}
