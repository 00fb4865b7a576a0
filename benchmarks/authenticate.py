"""Stage: an `Authorization` header becomes an actor."""

from collections.abc import Iterator
from functools import partial

import jwt

from benchmarks.harness import Bench
from benchmarks.world import World, authenticator_of
from octavo.access.authentication.credentials import hash_api_token, read_user_token
from tests.models.bookshop import FULL_TOKEN, SECRETS

USER_TOKEN = jwt.encode({"id": 1, "iat": 1_600_000_000}, SECRETS["JWT_SECRET"] * 2)


def benches(world: World) -> Iterator[Bench]:
    authenticate = authenticator_of(world.sites["sqlite"]).authenticate
    yield Bench("authenticate", "nobody", partial(authenticate, None))
    yield Bench("authenticate", "API token", partial(authenticate, f"Bearer {FULL_TOKEN}"))
    yield Bench("authenticate", "API token's hash", partial(hash_api_token, FULL_TOKEN, SECRETS["API_TOKEN_SALT"]))
    yield Bench(
        "authenticate", "user token's signature", partial(read_user_token, USER_TOKEN, SECRETS["JWT_SECRET"] * 2)
    )
