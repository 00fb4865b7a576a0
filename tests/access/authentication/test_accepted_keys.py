"""Key rotation: signatures and hashes stay valid while their key is accepted."""

from dataclasses import replace

import pytest

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authentication.credentials import (
    hash_api_token,
    read_admin_token,
    read_v4_admin_token,
    sign_admin_token,
    sign_user_token,
)
from octavo.core.errors import UnauthorizedError
from octavo.database.connection import Database
from octavo.settings.accepted_keys import AcceptedKey
from tests.models.people import NOW, SECRETS, Hands, mint

pytestmark = pytest.mark.anyio

NEW = replace(SECRETS, jwt_secret="new-secret", api_token_salt="new-salt", admin_jwt_secret="new-admin")
ANN = "Bearer " + mint({"id": 1, "exp": NOW + 3600})
KEY = "SELECT access_key FROM strapi_api_tokens WHERE id = 1"


async def is_refused(authenticator: Authenticator, authorization: str) -> bool:
    with pytest.raises(UnauthorizedError):
        await authenticator.authenticate(authorization)
    return True


async def test_tokens_of_the_old_key_are_valid_until_its_end(people: Database, hands: Hands) -> None:
    old = AcceptedKey(SECRETS.jwt_secret, until=NOW + 60)
    who = Authenticator(people, replace(NEW, accepted_jwt=(old,)), clock=hands.clock)
    assert (await who.authenticate(ANN)).username == "ann"
    assert who.expires_at(ANN) == NOW + 60
    new = "Bearer " + mint({"id": 1, "exp": NOW + 3600}, secret="new-secret")
    assert (await who.authenticate(new)).username == "ann"
    assert await is_refused(who, "Bearer " + mint({"id": 1, "exp": NOW + 3600}, secret="another"))
    hands.day += 60
    assert await is_refused(who, ANN)
    assert (await who.authenticate(new)).username == "ann"
    assert await is_refused(Authenticator(people, NEW, clock=hands.clock), ANN)


async def test_api_tokens_are_rehashed_with_the_new_salt_when_used(people: Database, hands: Hands) -> None:
    old = AcceptedKey(SECRETS.api_token_salt)
    who = Authenticator(people, replace(NEW, accepted_salts=(old,)), clock=hands.clock)
    assert (await who.authenticate("Bearer reads")).kind == "api-token"
    await who.drain()
    assert await people.fetch_value(KEY) == hash_api_token("reads", "new-salt")
    later = Authenticator(people, NEW, clock=hands.clock)
    assert (await later.authenticate("Bearer reads")).kind == "api-token"
    assert await is_refused(later, "Bearer everything")  # no client has used it meanwhile
    await later.drain()


async def test_the_next_salt_does_not_change_stored_hashes(people: Database, hands: Hands) -> None:
    coming = AcceptedKey(SECRETS.api_token_salt, is_next=True)
    who = Authenticator(people, replace(NEW, accepted_salts=(coming,)), clock=hands.clock)
    assert (await who.authenticate("Bearer reads")).kind == "api-token"
    await who.drain()
    assert await people.fetch_value(KEY) == hash_api_token("reads", SECRETS.api_token_salt)
    over = AcceptedKey(SECRETS.api_token_salt, until=NOW)
    assert await is_refused(
        Authenticator(people, replace(NEW, accepted_salts=(over,)), clock=hands.clock), "Bearer reads"
    )


def test_administrators() -> None:
    token = sign_admin_token("session", "old", NOW, 600)
    accepted = (AcceptedKey("older"), AcceptedKey("old", until=NOW + 60))
    assert read_admin_token(token, "new", accepted) == ("session", NOW + 60)
    of_v4 = read_v4_admin_token(sign_user_token(3, "old", 600), "new", accepted)
    assert (of_v4.user_id, of_v4.until) == (3, NOW + 60)
    with pytest.raises(UnauthorizedError):
        read_admin_token(token, "", accepted)  # administrators are disabled
    with pytest.raises(UnauthorizedError):
        read_admin_token(token, "new", accepted[:1])
