"""Grants in a text file, also after a user has edited it."""

import orjson

from octavo.access.authorization.actor import ANONYMOUS, Actor
from octavo.access.authorization.permissions import EVERYTHING, NOTHING, READS, permission_set
from octavo.access.authorization.role_grants import ApiToken, GrantsSnapshot, read_grants


def test_nothing_stored() -> None:
    for nothing in (b"null", b"[]"):
        text = b'{"roles": %b, "grants": %b, "tokens": %b, "scopes": %b}' % ((nothing,) * 4)
        assert read_grants(text) == GrantsSnapshot(ANONYMOUS)


def test_everything_stored() -> None:
    text = orjson.dumps(
        {
            "roles": [[9, "public"], [3, None], [2, "public"], [1, "authenticated"]],
            "grants": [[1, "a"], [2, "b"], [2, "c"], [2, "b"], [2, None], [77, "d"]],
            "tokens": [
                [1, "read-only", "k1", None],
                [2, "full-access", "k2", 1500.5],
                [3, "custom", "k3", "2030-01-01"],
                [4, None, "k4", 0],
                [5, "full-access", None, None],
                [6, "full-access", "", None],
            ],
            "scopes": [[3, "e"], [1, "f"]],
        }
    )
    assert read_grants(text) == GrantsSnapshot(
        anonymous=Actor("anonymous", permission_set(["b", "c"]), role_id=2),
        roles={1: permission_set(["a"]), 2: permission_set(["b", "c"]), 3: NOTHING, 9: NOTHING},
        role_types={1: "authenticated", 2: "public", 3: None, 9: "public"},
        tokens={
            "k1": ApiToken(Actor("api-token", READS, id=1), None),
            "k2": ApiToken(Actor("api-token", EVERYTHING, id=2), 1500.5),
            "k3": ApiToken(Actor("api-token", permission_set(["e"]), id=3), 0),
            "k4": ApiToken(Actor("api-token", NOTHING, id=4), 0),
        },
    )


def test_expiry() -> None:
    token = ApiToken(ANONYMOUS, 2000.0)
    assert [token.is_valid_at(now) for now in (1.9, 2.0, 2.1)] == [True, False, False]
