"""API tokens: created, listed, used and revoked."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from octavo.access.authentication.api_tokens import create_token, list_tokens, revoke_token
from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authentication.credentials import hash_api_token
from octavo.access.authorization.actor import SYSTEM
from octavo.access.authorization.permissions import EVERYTHING, READS, permission_set
from octavo.accounts.administrators.tokens import TokenManagement, api_tokens
from octavo.core.errors import ApplicationError, NotFoundError, UnauthorizedError
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.schema.registry import Registry
from tests.models.people import SECRETS

pytestmark = pytest.mark.anyio

SALT = SECRETS.api_token_salt
ACTIONS = ("api::tag.tag.update", "api::tag.tag.find")


async def test_tokens_are_created_used_and_revoked(empty: Database) -> None:
    authenticator = Authenticator(empty, SECRETS)
    made = {
        await create_token(empty, SALT, "reads", "read-only"): READS,
        await create_token(empty, SALT, "all", "full-access", lifespan=60): EVERYTHING,
        await create_token(empty, SALT, "some", "custom", ACTIONS): permission_set(ACTIONS),
    }
    for token, permissions in made.items():
        assert (len(token), len(bytes.fromhex(token))) == (256, 128)
        assert (await authenticator.authenticate(f"Bearer {token}")).ability is permissions
    await authenticator.drain()
    for name in ("some", "reads", "all"):
        await revoke_token(empty, name)
    authenticator.invalidate()
    for token in made:
        with pytest.raises(UnauthorizedError, match=r"^Missing or invalid credentials$"):
            await authenticator.authenticate(f"Bearer {token}")
    assert await list_tokens(empty) == []
    left = "SELECT (SELECT count(*) FROM strapi_api_token_permissions) + (SELECT count(*) FROM {}_token_links)"
    assert await empty.fetch_value(left.format("strapi_api_token_permissions")) == 0


async def test_only_the_hash_is_stored(empty: Database) -> None:
    token = await create_token(empty, SALT, "reads", "read-only")
    stored = await empty.fetch_row("SELECT access_key, name, description, type, lifespan FROM strapi_api_tokens")
    assert stored is not None
    assert tuple(stored) == (hash_api_token(token, SALT), "reads", "", "read-only", None)


async def test_list(empty: Database) -> None:
    await create_token(empty, SALT, "some", "custom", ACTIONS, lifespan=7 * 86400, description="For the site")
    (info,) = await list_tokens(empty)
    assert (info.id, info.name, info.description, info.type) == (1, "some", "For the site", "custom")
    assert (info.actions, info.last_used_at) == (ACTIONS, None)
    assert info.expires_at is not None
    assert info.created_at is not None
    assert info.expires_at - info.created_at == timedelta(days=7)
    assert await empty.fetch_value("SELECT lifespan FROM strapi_api_tokens") == 604_800_000
    orders = await empty.fetch_all(
        "SELECT api_token_permission_order FROM strapi_api_token_permissions_token_links ORDER BY id"
    )
    assert [row[0] for row in orders] == [1.0, 2.0]


@pytest.mark.parametrize(
    "name, token_type, actions, lifespan, message",
    [
        ("", "read-only", (), None, "The name of an API token must have 1 to 255 characters"),
        ("n" * 256, "read-only", (), None, "The name of an API token must have 1 to 255 characters"),
        ("reads", "read-only", (), None, "An API token named 'reads' already exists"),
        (
            "new",
            "admin",
            (),
            None,
            "Unknown API token type 'admin'; expected one of read-only, full-access, custom",
        ),
        ("new", "custom", (), None, "An API token of type custom needs permissions; other types take none"),
        ("new", "read-only", ACTIONS, None, "An API token of type custom needs permissions; other types take none"),
        ("new", "custom", ("find",), None, "'find' is not an action; expected one like api::article.article.find"),
        ("new", "read-only", (), 0, "The lifespan of an API token must be 1 to 3153600000 seconds, or unlimited"),
    ],
)
async def test_refused_requests(
    people: Database, name: str, token_type: str, actions: Sequence[str], lifespan: int | None, message: str
) -> None:
    before = await list_tokens(people)
    with pytest.raises(ApplicationError) as refusal:
        await create_token(people, SALT, name, token_type, actions, lifespan)
    assert refusal.value.message == message
    assert await list_tokens(people) == before


async def test_revoking_an_unknown_token(people: Database) -> None:
    before = await list_tokens(people)
    with pytest.raises(NotFoundError, match=r"^No API token is named 'new'$"):
        await revoke_token(people, "new")
    assert await list_tokens(people) == before


async def test_one_of_two_simultaneous_tokens_with_one_name_is_refused(empty: Database) -> None:
    """Both the command line and an administrator acquire the same lock."""
    pages = TokenManagement(empty, ChangeFeed(), api_tokens(Registry((), ()), SALT))
    body = {"name": "site", "type": "read-only", "lifespan": None}
    made = await asyncio.gather(
        create_token(empty, SALT, "site", "read-only"), pages.create(body, SYSTEM), return_exceptions=True
    )
    assert [type(one) for one in made].count(ApplicationError) == 1
    assert [token.name for token in await list_tokens(empty)] == ["site"]
