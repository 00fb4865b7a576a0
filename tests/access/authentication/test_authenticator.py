"""From header to actor, on both databases: the actor, its statements, and when changes are seen."""

import asyncio
import logging
from collections.abc import Iterable

import pytest

from octavo.access.authentication.authenticator import USE_INTERVAL, AccessOptions, Authenticator
from octavo.access.authentication.credentials import hash_api_token, read_user_token, sign_user_token
from octavo.access.authentication.user_token_versions import revoke_user_tokens, user_token_version
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import EVERYTHING, NOTHING, READS, permission_set
from octavo.access.authorization.role_grants import grant, revoke
from octavo.core.cache import CacheBudget
from octavo.core.errors import ServiceUnavailable, UnauthorizedError
from octavo.database.connection import Database
from tests.models.people import NOW, SECRETS, Hands, mint, write

pytestmark = pytest.mark.anyio

AUTHENTICATED = permission_set(["api::tag.tag.find", "api::tag.tag.findOne"])
EDITOR = permission_set(["api::tag.tag.find", "api::tag.tag.create"])
PUBLIC = permission_set(["api::tag.tag.find"])


def user_token(user_id: object, expires_at: object = NOW + 60) -> str:
    claims = {"id": user_id, "iat": NOW} | ({} if expires_at is None else {"exp": expires_at})
    return "Bearer " + mint(claims, secret=SECRETS.jwt_secret)


ACTORS: Iterable[tuple[str | None, Actor]] = [
    (None, Actor("anonymous", PUBLIC, role_id=2)),
    ("", Actor("anonymous", PUBLIC, role_id=2)),
    ("Basic YWxhZGRpbg==", Actor("anonymous", PUBLIC, role_id=2)),
    ("Bearer", Actor("anonymous", PUBLIC, role_id=2)),
    (user_token(1), Actor("user", AUTHENTICATED, 1, 1, "ann", "ann@example.org", "authenticated")),
    (user_token("1"), Actor("user", AUTHENTICATED, 1, 1, "ann", "ann@example.org", "authenticated")),
    (user_token(2), Actor("user", EDITOR, 2, 3, "ben", "ben@example.org", "editor")),
    (user_token(3), Actor("user", AUTHENTICATED, 3, 1, "carol", "carol@example.org", "authenticated")),
    (user_token(6), Actor("user", EDITOR, 6, 3, "two", "two@example.org", "editor")),
    ("Bearer reads", Actor("api-token", READS, 1)),
    ("bearer  reads", Actor("api-token", READS, 1)),
    ("Bearer all", Actor("api-token", EVERYTHING, 2)),
    ("Bearer some", Actor("api-token", permission_set(["api::tag.tag.find", "api::tag.tag.update"]), 3)),
    ("Bearer odd", Actor("api-token", NOTHING, 5)),
]

REFUSED = [
    (user_token(4), "Invalid credentials"),
    (user_token(5), "Missing or invalid credentials"),
    (user_token(99999), "Invalid credentials"),
    (user_token(2**40), "Invalid credentials"),
    (user_token(None), "Invalid credentials"),
    (user_token([1]), "Invalid credentials"),
    (user_token(None, None), "Invalid credentials"),
    (user_token(None, NOW), "Missing or invalid credentials"),
    (user_token(1, NOW), "Missing or invalid credentials"),
    (user_token(1, None), "Missing or invalid credentials"),
    (user_token(1, str(NOW + 60)), "Missing or invalid credentials"),
    ("Bearer " + mint({"id": 1, "exp": NOW + 60}, secret="another"), "Missing or invalid credentials"),
    ("Bearer over", "Token expired"),
    ("Bearer garbage", "Missing or invalid credentials"),
    ("Bearer a.b.c", "Missing or invalid credentials"),
    ("Bearer null", "Missing or invalid credentials"),
    ("Bearer reads x", "Missing or invalid credentials"),
    ("Bearer a b c", "Missing or invalid credentials"),
    ("Bearer \ud800", "Missing or invalid credentials"),
    ("Bearer \x00", "Missing or invalid credentials"),
]


async def refusal(authenticator: Authenticator, authorization: str) -> str:
    with pytest.raises(UnauthorizedError) as refused:
        await authenticator.authenticate(authorization)
    return refused.value.message


async def test_actors(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    for authorization, actor in ACTORS:
        assert await authenticator.authenticate(authorization) == actor, authorization
    await authenticator.drain()


async def test_refusals(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    messages = [(authorization, await refusal(authenticator, authorization)) for authorization, _ in REFUSED]
    assert messages == REFUSED


async def test_tokens_without_expiry_are_optional(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, AccessOptions(require_expiry=False), hands.clock)
    assert (await authenticator.authenticate(user_token(1, None))).username == "ann"
    assert await refusal(authenticator, user_token(None, None)) == "Invalid credentials"


async def test_no_roles_at_all(empty: Database) -> None:
    authenticator = Authenticator(empty, SECRETS)
    assert await authenticator.authenticate(None) == Actor("anonymous", NOTHING)
    assert await refusal(authenticator, "Bearer garbage") == "Missing or invalid credentials"


async def test_a_warm_cache_sends_nothing(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    headers = [authorization for authorization, _ in ACTORS]
    for authorization in headers:
        await authenticator.authenticate(authorization)
    await authenticator.drain()
    before = people.statements
    for authorization in headers:
        await authenticator.authenticate(authorization)
    assert people.statements == before


async def test_first_requests_share_their_statements(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    before = people.statements
    actors = await asyncio.gather(*(authenticator.authenticate(user_token(1)) for _ in range(50)))
    assert (len(set(actors)), people.statements - before) == (1, 2)


async def test_the_directory_is_refreshed_in_the_background(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(None)
    before = people.statements
    costs = []
    for hands.steady in (0.1, 0.49, 0.5, 0.6, 0.99, 1.0, 1.4, 1.6, 60.0):
        await authenticator.authenticate(None)
        await authenticator.drain()
        costs.append(people.statements - before)
    assert costs == [0, 0, 1, 1, 1, 2, 2, 3, 4]


async def test_tokens_just_created_by_other_processes_are_valid(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(None)
    text = "INSERT INTO strapi_api_tokens (name, type, access_key) VALUES ({v1}, {v2}, {v3})"
    await write(people, text, "young", "full-access", hash_api_token("ab12", SECRETS.api_token_salt))
    hands.steady = 0.06
    assert (await authenticator.authenticate("Bearer ab12")).ability is EVERYTHING


async def test_unknown_tokens_cause_few_statements(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(None)
    before = people.statements
    for hands.steady in (0.01, 0.04, 0.06, 0.07, 0.1, 0.12):
        with pytest.raises(UnauthorizedError):
            await authenticator.authenticate("Bearer abad1dea")
    assert people.statements - before == 2


CHANGES_BY_HAND = [
    ("UPDATE up_permissions SET action = 'api::tag.tag.delete' WHERE id = 3", None, ["api::tag.tag.delete"]),
    ("DELETE FROM up_permissions WHERE id = 3", None, []),
    ("DELETE FROM up_permissions_role_links WHERE id = 3", None, []),
    (
        "UPDATE up_permissions_role_links SET role_id = 2 WHERE id = 5",
        None,
        ["api::tag.tag.find", "api::tag.tag.create"],
    ),
    ("UPDATE up_roles SET type = CASE id WHEN 2 THEN 'old' ELSE 'public' END WHERE id > 1", None, EDITOR.actions),
    ("UPDATE strapi_api_tokens SET type = 'custom' WHERE name = 'reads'", "Bearer reads", []),
    ("UPDATE strapi_api_token_permissions SET action = 'a' WHERE id = 1", "Bearer some", ["a", "api::tag.tag.update"]),
    ("UPDATE up_users_role_links SET role_id = 3 WHERE user_id = 1", user_token(1), EDITOR.actions),
]


@pytest.mark.parametrize("change, authorization, actions", CHANGES_BY_HAND)
async def test_changes_by_others_are_seen_after_a_second(
    people: Database, hands: Hands, change: str, authorization: str | None, actions: Iterable[str]
) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    old = await authenticator.authenticate(authorization)
    await authenticator.drain()
    await write(people, change)
    assert await authenticator.authenticate(authorization) is old
    hands.steady = 1.0
    new = await authenticator.authenticate(authorization)
    assert new.ability is permission_set(actions)
    assert new.ability.key != old.ability.key


REVOCATIONS = [
    ("UPDATE up_users SET blocked = (1 = 1) WHERE id = 1", user_token(1), "Invalid credentials"),
    ("DELETE FROM up_users WHERE id = 1", user_token(1), "Invalid credentials"),
    ("DELETE FROM up_users_role_links WHERE user_id = 1", user_token(1), "Missing or invalid credentials"),
    ("DELETE FROM up_roles WHERE id = 1", user_token(1), "Missing or invalid credentials"),
    ("DELETE FROM strapi_api_tokens WHERE id = 1", "Bearer reads", "Missing or invalid credentials"),
    ("UPDATE strapi_api_tokens SET expires_at = {v1:instant} WHERE id = 1", "Bearer reads", "Token expired"),
]


@pytest.mark.parametrize("change, authorization, message", REVOCATIONS)
async def test_revocations_by_others_are_seen_after_a_second(
    people: Database, hands: Hands, change: str, authorization: str, message: str
) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(authorization)
    await authenticator.drain()
    await write(people, change, *([NOW * 1000] if "v1" in change else []))
    hands.steady = 1.0
    assert await refusal(authenticator, authorization) == message


async def test_an_outage_is_served_through_for_less_than_a_second(
    people: Database, hands: Hands, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    known = await authenticator.authenticate(user_token(1))
    await people.close()
    hands.steady = 0.5
    assert await authenticator.authenticate(user_token(1)) is known
    await authenticator.drain()
    hands.steady = 1.0
    with pytest.raises(ServiceUnavailable):
        await authenticator.authenticate(user_token(1))
    said = {
        record.getMessage() for record in caplog.records if record.name == "octavo.access.authentication.authenticator"
    }
    reported = "Reading the permissions of roles and API tokens failed: the database is"
    assert said in ({f"{reported} not open"}, {f"{reported} being closed"})


async def test_own_changes_are_seen_immediately(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(None)
    await grant(people, "public", ["api::tag.tag.update"])
    authenticator.invalidate()
    assert (await authenticator.authenticate(None)).ability.allows("api::tag.tag.update")
    await revoke(people, "public", ["api::tag.tag.update"])
    authenticator.invalidate()
    assert (await authenticator.authenticate(None)).ability is PUBLIC


async def test_results_older_than_a_change_are_not_cached(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    waiting = asyncio.create_task(authenticator.authenticate(user_token(1)))
    await asyncio.sleep(0)
    await write(people, "DELETE FROM up_users_role_links WHERE user_id = 1")
    authenticator.invalidate()
    await asyncio.gather(waiting, return_exceptions=True)
    assert await refusal(authenticator, user_token(1)) == "Missing or invalid credentials"


async def test_roles_created_after_the_directory_was_read(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(None)
    await write(people, "INSERT INTO up_roles (name, type) VALUES ('New', 'new')")
    await write(people, "INSERT INTO up_permissions_role_links (permission_id, role_id) VALUES (5, 4)")
    await write(people, "UPDATE up_users_role_links SET role_id = 4 WHERE user_id = 1")
    actor = await authenticator.authenticate(user_token(1))
    assert (actor.role_id, actor.ability) == (4, permission_set(["api::tag.tag.create"]))


async def test_cached_tokens_expire(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    await authenticator.authenticate(user_token(1))
    await authenticator.authenticate("Bearer all")
    hands.day = NOW + 60
    assert await refusal(authenticator, user_token(1)) == "Missing or invalid credentials"
    assert await refusal(authenticator, "Bearer all") == "Token expired"
    await authenticator.drain()


async def test_the_last_use_of_an_api_token_is_stored_once_an_hour(people: Database, hands: Hands) -> None:
    authenticator = Authenticator(people, SECRETS, clock=hands.clock)
    other = Authenticator(people, SECRETS, clock=hands.clock)
    noted = []
    for who, hands.steady, hands.day in (
        (authenticator, 0.0, NOW),
        (authenticator, USE_INTERVAL - 1, NOW + USE_INTERVAL - 1),
        (other, USE_INTERVAL - 1, NOW + USE_INTERVAL - 1),
        (authenticator, USE_INTERVAL, NOW + USE_INTERVAL + 0.25),
    ):
        await who.authenticate("Bearer reads")
        await who.drain()
        noted.append(await people.fetch_value(MOMENT[people.dialect.name]))
    assert noted == [NOW * 1000, NOW * 1000, NOW * 1000, (NOW + 3600) * 1000 + 250]


MOMENT = {
    "sqlite": "SELECT last_used_at FROM strapi_api_tokens WHERE id = 1",
    "postgresql": "SELECT (extract(epoch FROM last_used_at) * 1000)::bigint FROM strapi_api_tokens WHERE id = 1",
}


async def test_tokens_before_a_password_change(people: Database, hands: Hands) -> None:
    hands.day = 0
    strict = Authenticator(people, SECRETS, clock=hands.clock)
    old = sign_user_token(1, SECRETS.jwt_secret, 3600)
    assert (await strict.authenticate(f"Bearer {old}")).username == "ann"
    async with people.transaction() as transaction:
        version = await revoke_user_tokens(transaction, people.dialect, 1)
    strict.invalidate()
    new = sign_user_token(1, SECRETS.jwt_secret, 3600, await user_token_version(people, people.dialect, 1))
    assert read_user_token(new, SECRETS.jwt_secret).version == version
    assert await refusal(strict, f"Bearer {old}") == "Missing or invalid credentials"
    assert (await strict.authenticate(f"Bearer {new}")).username == "ann"
    assert (await strict.authenticate(user_token(2))).username == "ben"


async def test_cached_users_count_toward_the_budget(people: Database, hands: Hands) -> None:
    budget = CacheBudget(1_000_000)
    authenticator = Authenticator(people, SECRETS, clock=hands.clock, caches=budget)
    actor = await authenticator.authenticate(user_token(1))
    reports = {report.name: report for report in budget.reports()}
    assert reports["users"].entries == reports["users' tokens"].entries == 1
    assert reports["users"].size > len(str(actor.username))
    assert reports["users' tokens"].size > len(user_token(1))
    await authenticator.authenticate(user_token(1))
    assert {report.name: report.hits for report in budget.reports()} == {"users": 1, "users' tokens": 1}
    authenticator.invalidate()
    assert {report.name: report.entries for report in budget.reports()} == {"users": 0, "users' tokens": 1}
    await authenticator.drain()
