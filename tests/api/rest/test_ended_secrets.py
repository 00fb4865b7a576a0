"""Users' one-time codes, refresh tokens and access tokens, and all events that end them, through every API."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from octavo.core.clock import move
from octavo.operations.runtime.infrastructure import open_account_guard
from octavo.schema.content_types import USER
from tests.api.admin.conftest import Office, write_administrators
from tests.api.http.asgi import Answer
from tests.api.rest.conftest import OpenClub
from tests.api.rest.test_sessions import REFRESH
from tests.models.club import FULL, NEVER, PASSWORD, SAFE, Club
from tests.models.people import write

pytestmark = pytest.mark.anyio

ANN, CAROL = 1, 3
OTHER: Final = "other-secret"
NEW_ADDRESS: Final = "moved@example.org"
ALL: Final = frozenset({"reset", "confirmation", "refresh", "access"})
CODES: Final = frozenset({"reset", "confirmation"})
MUTATION: Final = """mutation ($d: UsersPermissionsUserInput!, $i: ID!) {
  updateUsersPermissionsUser(id: $i, data: $d) { data { id } }
}"""


async def codes(club: Club, name: str, count: int) -> list[str]:
    found = []
    for mail in await club.mails(count):
        body = mail.get_body(("plain",))
        assert body is not None
        code = re.search(rf"{name}=(\S+)", body.get_content())
        if code:
            found.append(code[1])
    return found


def reset(code: str) -> dict[str, str]:
    return {"code": code, "password": "late-secret", "passwordConfirmation": "late-secret"}


@dataclass
class Secrets:
    """The secrets of Ann (1), whose address is confirmed, and the confirmation code of Carol (3)."""

    club: Club
    access: str = ""
    refresh: str = ""
    reset: str = ""
    confirmation: str = ""

    async def collect(self) -> None:
        session = (await self.club.log_in()).json
        self.access, self.refresh = session["jwt"], session["refreshToken"]
        await self.club.post("auth/forgot-password", {"email": "ann@example.org"})
        (self.reset,) = await codes(self.club, "code", 1)
        await self.club.post("auth/send-email-confirmation", {"email": "carol@example.org"})
        (self.confirmation,) = await codes(self.club, "confirmation", 2)

    async def ended(self) -> set[str]:
        """Use all secrets; return the names of those that are refused."""
        self.club.octavo.infrastructure.authenticator.invalidate()  # as after a second
        statuses = {
            "access": (await self.club.ask("GET", "/api/users/me", token=self.access)).status,
            "refresh": (await self.club.post("auth/refresh", {"refreshToken": self.refresh})).status,
            "reset": (await self.club.post("auth/reset-password", reset(self.reset))).status,
            "confirmation": (await self.confirm()).status,
        }
        assert set(statuses.values()) <= {200, 302, 400, 401}, statuses
        return {name for name, status in statuses.items() if status >= 400}

    async def ended_for_graphql(self) -> set[str]:
        """Use codes and the access token over GraphQL; return the names of those that are refused."""
        self.club.octavo.infrastructure.authenticator.invalidate()
        asked = {
            "access": "{ me { id } }",
            "reset": f"""mutation {{ resetPassword(
                code: "{self.reset}", password: "late-secret", passwordConfirmation: "late-secret") {{ jwt }} }}""",
            "confirmation": f'mutation {{ emailConfirmation(confirmation: "{self.confirmation}") {{ jwt }} }}',
        }
        refused = set()
        for name, query in asked.items():
            token = self.access if name == "access" else None
            answer = await self.club.ask("POST", "/graphql", {"query": query}, token)
            assert answer.status in (200, 401), answer.body
            if answer.status == 401 or "errors" in answer.json or answer.json["data"].get("me", {}) is None:
                refused.add(name)
        return refused

    async def confirm(self) -> Answer:
        return await self.club.ask("GET", f"/api/auth/email-confirmation?confirmation={self.confirmation}")


@pytest.fixture
async def open_secrets(new_club: OpenClub) -> Any:
    async def open_new(**settings: str) -> Secrets:
        club = await new_club(**REFRESH, **settings)
        await club.store("advanced", {"email_confirmation": True})
        secrets = Secrets(club)
        await secrets.collect()
        return secrets

    return open_new


async def by_rest(club: Club, user: int, data: dict[str, Any]) -> None:
    answer = await club.ask("PUT", f"/api/users/{user}", data, FULL)
    assert answer.status == 200, answer.body


async def by_graphql(club: Club, user: int, data: dict[str, Any]) -> None:
    body = {"query": MUTATION, "variables": {"i": str(user), "d": data}}
    answer = await club.ask("POST", "/graphql", body, FULL)
    assert "errors" not in answer.json, answer.body


async def by_content_manager(club: Club, user: int, data: dict[str, Any]) -> None:
    if not await club.database.fetch_value("SELECT count(*) FROM admin_users"):
        await write_administrators(club)
    token, _ = await Office(club).session()
    answer = await club.ask("PUT", f"/content-manager/collection-types/{USER}/{user}", data, token)
    assert answer.status == 200, answer.body


async def by_project_code(club: Club, user: int, data: dict[str, Any]) -> None:
    await club.octavo.site.extending.app.entries(USER).update(user, data)


async def by_project_code_of_many(club: Club, user: int, data: dict[str, Any]) -> None:
    await club.octavo.site.extending.app.entries(USER).update_many(data, filters={"id": user})


async def by_sql(club: Club, user: int, data: dict[str, Any]) -> None:
    """Change a user as other software does, and run the background check that notices it."""
    for name, value in data.items():
        await write(club.database, f"UPDATE up_users SET {name} = {{v1}} WHERE id = {{v2}}", value, user)
    await open_account_guard(club.octavo.settings, club.database.dialect).end_of_blocked(club.database)


Change = Callable[[Club, int, dict[str, Any]], Awaitable[None]]
WAYS: Final = (by_rest, by_graphql, by_content_manager, by_project_code, by_project_code_of_many, by_sql)


async def change_both(club: Club, change: Change, **data: Any) -> None:
    for user in (ANN, CAROL):
        own = {name: f"{user}-{value}" if name == "email" else value for name, value in data.items()}
        await change(club, user, own)


@pytest.mark.parametrize("change", WAYS)
async def test_a_new_address_ends_codes_but_no_session(open_secrets: Any, change: Change) -> None:
    secrets = await open_secrets()
    await change_both(secrets.club, change, email=NEW_ADDRESS)
    confirmed = await secrets.club.column("confirmed")
    assert bool(confirmed) is (change is by_sql), "the old address is the confirmed one"
    assert await secrets.ended() == CODES | (set() if confirmed else {"refresh"})
    assert not await secrets.club.column("confirmed", "carol")


@pytest.mark.parametrize("change", WAYS[:-1])
async def test_an_administrator_can_confirm_the_new_address(open_secrets: Any, change: Change) -> None:
    club = (await open_secrets()).club
    await change(club, ANN, {"email": NEW_ADDRESS, "confirmed": True})
    assert await club.column("confirmed")
    await change(club, ANN, {"email": NEW_ADDRESS, "username": "ann"})
    assert await club.column("confirmed"), "the same address"


async def test_a_new_address_stays_confirmed_without_confirmations(new_club: OpenClub) -> None:
    club = await new_club(**NEVER)
    await by_rest(club, ANN, {"email": NEW_ADDRESS})
    assert await club.column("confirmed")


@pytest.mark.parametrize("change", WAYS)
async def test_a_block_ends_everything_permanently(open_secrets: Any, change: Change) -> None:
    secrets = await open_secrets()
    await change_both(secrets.club, change, blocked=True)
    assert await secrets.club.database.fetch_value("SELECT count(*) FROM octavo_user_sessions") == 0
    await change_both(secrets.club, change, blocked=False)
    assert await secrets.ended() == ALL
    assert (await secrets.club.log_in()).status == 200


async def test_all_secrets_are_valid_over_graphql(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    assert await secrets.ended_for_graphql() == set()
    assert await secrets.ended_for_graphql() == CODES, "each works once"


@pytest.mark.parametrize("change", WAYS)
@pytest.mark.parametrize(
    "data, ended",
    [
        ({"email": NEW_ADDRESS}, CODES),
        ({"password": OTHER}, CODES),
        ({"blocked": True}, CODES | {"access"}),
    ],
    ids=["address", "password", "block"],
)
async def test_ended_secrets_are_refused_by_graphql(
    open_secrets: Any, change: Change, data: dict[str, Any], ended: set[str]
) -> None:
    secrets: Secrets = await open_secrets()
    await change_both(secrets.club, change, **data)
    assert await secrets.ended_for_graphql() == ended


@pytest.mark.parametrize("change", WAYS[:-1])
async def test_a_new_address_ends_codes_even_when_changed_back(open_secrets: Any, change: Change) -> None:
    secrets: Secrets = await open_secrets()
    await change_both(secrets.club, change, email=NEW_ADDRESS)
    for user, name in ((ANN, "ann"), (CAROL, "carol")):
        await change(secrets.club, user, {"email": f"{name}@example.org"})
    assert await secrets.ended() & CODES == CODES


@pytest.mark.parametrize("use", ["access", "refresh", "reset", "confirmation"])
async def test_secrets_used_while_other_software_blocks_the_user_end(open_secrets: Any, use: str) -> None:
    """They stay refused, even if used before a background check notices the block."""
    secrets: Secrets = await open_secrets()
    club, text = secrets.club, "UPDATE up_users SET blocked = {v1} WHERE id IN (1, 3)"
    await write(club.database, text, True)
    used = await secrets.ended()
    await club.octavo.infrastructure.authenticator.drain()
    await write(club.database, text, False)
    assert used == ALL
    assert use in await secrets.ended()


@pytest.mark.parametrize("profile, access", [({}, set()), (SAFE, {"access"})])
@pytest.mark.parametrize("change", WAYS[:-1])
async def test_a_new_password_ends_codes_and_sessions(
    open_secrets: Any, change: Change, profile: dict[str, str], access: set[str]
) -> None:
    secrets = await open_secrets(**profile)
    await change_both(secrets.club, change, password=OTHER)
    assert await secrets.ended() == ALL - {"access"} | access


async def test_a_new_password_by_other_software_ends_codes_and_sessions(open_secrets: Any) -> None:
    secrets = await open_secrets()
    await change_both(secrets.club, by_sql, password="$2a$10$89V7Uczp5K8.61Qr2w02qOdnTsldtcxUzdq3gwScUg2SaRUmqRfZK")
    assert await secrets.ended() == ALL - {"access"}


async def test_changing_the_own_password_ends_codes_and_sessions(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    body = {"currentPassword": PASSWORD, "password": OTHER, "passwordConfirmation": OTHER}
    assert (await secrets.club.post("auth/change-password", body, secrets.access)).status == 200
    assert await secrets.ended() == {"reset", "refresh"}


async def test_a_new_name_or_role_ends_no_secret(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    await secrets.club.grant(
        "public", "plugin::users-permissions.user.me", "plugin::users-permissions.auth.resetPassword"
    )
    await by_rest(secrets.club, ANN, {"username": "anna", "role": 2, "blocked": False, "email": "ann@example.org"})
    assert await secrets.ended() == set()


async def test_secrets_of_deleted_users_are_refused_for_new_users(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    club = secrets.club
    for user, name in ((ANN, "ann"), (CAROL, "carol")):
        assert (await club.ask("DELETE", f"/api/users/{user}", token=FULL)).status == 200
        again = {"username": name, "email": f"{name}@example.org", "password": PASSWORD, "role": 1}
        assert (await club.ask("POST", "/api/users", again, FULL)).status == 201
    assert await secrets.ended() == ALL


async def test_a_newer_code_ends_the_one_before(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    club, older = secrets.club, (secrets.reset, secrets.confirmation)
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    await club.post("auth/send-email-confirmation", {"email": "carol@example.org"})
    (secrets.reset,) = set(await codes(club, "code", 4)) - set(older)
    (newer,) = set(await codes(club, "confirmation", 4)) - set(older)
    assert (await club.post("auth/reset-password", reset(older[0]))).status == 400
    assert (await secrets.confirm()).status == 400
    secrets.confirmation = newer
    assert await secrets.ended() & CODES == set()


async def test_codes_expire(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    try:
        move(7 * 86400 + 1)
        assert await secrets.ended() & CODES == CODES
    finally:
        move(0)


async def test_simultaneous_uses_of_a_code_succeed_once(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    resets = [secrets.club.post("auth/reset-password", reset(secrets.reset)) for _ in range(4)]
    confirmations = [secrets.confirm() for _ in range(4)]
    answers = await asyncio.gather(*resets, *confirmations)
    assert sorted(one.status for one in answers) == [200, 302, *[400] * 6]


async def test_a_code_is_for_one_purpose(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    await by_sql(secrets.club, ANN, {"confirmation_token": await secrets.club.column("reset_password_token")})
    secrets.confirmation = secrets.reset
    assert (await secrets.confirm()).status == 400


async def test_a_confirmation_during_a_change_of_address(open_secrets: Any) -> None:
    """In either order, the new address is not confirmed."""
    secrets: Secrets = await open_secrets()
    await asyncio.gather(secrets.confirm(), by_rest(secrets.club, CAROL, {"email": NEW_ADDRESS}))
    assert await secrets.club.column("email", "carol") == NEW_ADDRESS
    assert not await secrets.club.column("confirmed", "carol")


@pytest.mark.parametrize("codes_of_v4, status", [("plain", 200), ("hashed", 400)])
@pytest.mark.parametrize(
    "data, is_ended",
    [({}, False), ({"email": NEW_ADDRESS}, True), ({"password": OTHER}, True), ({"blocked": True}, True)],
)
async def test_codes_that_v4_has_mailed(
    new_club: OpenClub, codes_of_v4: str, status: int, data: dict[str, Any], is_ended: bool
) -> None:
    club = await new_club(**NEVER, OCTAVO_API__COMPAT__MAILED_CODES=codes_of_v4)
    await by_sql(club, ANN, {"reset_password_token": "a1b2c3"})
    if data:
        await by_rest(club, ANN, data)
        await by_rest(club, ANN, {"blocked": False})
    answer = await club.post("auth/reset-password", reset("a1b2c3"))
    assert answer.status == (400 if is_ended else status)


async def test_graphql_does_not_confirm_blocked_users(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    await write(secrets.club.database, "UPDATE up_users SET blocked = {v1} WHERE id = 3", True)
    query = f'mutation {{ emailConfirmation(confirmation: "{secrets.confirmation}") {{ jwt user {{ id }} }} }}'
    answer = await secrets.club.ask("POST", "/graphql", {"query": query})
    assert answer.json["data"] == {"emailConfirmation": None}
    assert answer.json["errors"][0]["message"] == "Invalid token"
    assert not await secrets.club.column("confirmed", "carol")


async def test_unconfirmed_users_get_no_token(open_secrets: Any) -> None:
    secrets: Secrets = await open_secrets()
    club = secrets.club
    await write(club.database, "UPDATE up_users SET confirmed = {v1} WHERE id = 1", False)
    assert (await club.log_in()).status == 400
    assert (await club.post("auth/refresh", {"refreshToken": secrets.refresh})).status == 401
    body = {"currentPassword": PASSWORD, "password": OTHER, "passwordConfirmation": OTHER}
    changed = await club.post("auth/change-password", body, secrets.access)
    assert (changed.status, changed.json.keys()) == (200, {"user"})
    await club.post("auth/forgot-password", {"email": "ann@example.org"})
    (code,) = set(await codes(club, "code", 3)) - {secrets.reset}
    answer = await club.post("auth/reset-password", reset(code))
    assert (answer.status, answer.json.keys()) == (200, {"user"})


@pytest.mark.parametrize("column, name", [("reset_password_token", "reset"), ("confirmation_token", "confirmation")])
async def test_a_code_that_other_software_deletes_is_refused(open_secrets: Any, column: str, name: str) -> None:
    secrets: Secrets = await open_secrets()
    await change_both(secrets.club, by_sql, **{column: None})
    assert await secrets.ended() == {name}
