"""A snapshot of all roles and API tokens with their permissions, read with one query.

The tables are small and change rarely, so they are read completely. Comparing the JSON text with the previous one
detects every change, by any software, without a version counter that a writer could forget to increment.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

import orjson

from octavo.access.authorization.actor import ANONYMOUS, Actor
from octavo.access.authorization.permissions import (
    EVERYTHING,
    NOTHING,
    READS,
    PermissionSet,
    permission_set,
)
from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import Dialect

RULED_TYPES: Mapping[str, PermissionSet] = {"full-access": EVERYTHING, "read-only": READS}
"""The API token types with a fixed rule instead of a list of permissions."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A stored API token: its actor and its expiry (milliseconds since 1970)."""

    actor: Actor
    expires_at: float | None

    def holds_at(self, now: float) -> bool:
        """Return whether the token is valid at `now`, in seconds since 1970."""
        return self.expires_at is None or now * 1000 < self.expires_at


@dataclass(frozen=True, slots=True)
class GrantsSnapshot:
    """The public actor, permissions and types by role id, and API tokens by access key (a keyed hash)."""

    anonymous: Actor = ANONYMOUS
    roles: Mapping[int, PermissionSet] = field(default_factory=dict)
    role_types: Mapping[int, str | None] = field(default_factory=dict)
    tokens: Mapping[str, ApiToken] = field(default_factory=dict)


def grants_statement(dialect: Dialect) -> str:
    """Return the SQL that reads roles with grants and API tokens with scopes as one JSON text."""
    expires_at = dialect.milliseconds("expires_at")
    members = {
        "roles": dialect.json_rows(("id", "type"), "FROM up_roles"),
        "grants": dialect.json_rows(
            ("l.role_id", "p.action"),
            "FROM up_permissions_role_links l JOIN up_permissions p ON p.id = l.permission_id",
        ),
        "tokens": dialect.json_rows(("id", "type", "access_key", expires_at), "FROM strapi_api_tokens"),
        "scopes": dialect.json_rows(
            ("l.api_token_id", "p.action"),
            "FROM strapi_api_token_permissions_token_links l"
            " JOIN strapi_api_token_permissions p ON p.id = l.api_token_permission_id",
        ),
    }
    return f"SELECT {dialect.json_object(members)}"


def read_grants(text: bytes) -> GrantsSnapshot:
    """Parse the JSON that `grants_statement` returns."""
    found = orjson.loads(text)
    grants = _group(found["grants"])
    scopes = _group(found["scopes"])
    role_rows = sorted(found["roles"] or ())
    roles = {role_id: permission_set(grants[role_id]) for role_id, _ in role_rows}
    public = next((role_id for role_id, role_type in role_rows if role_type == "public"), None)
    return GrantsSnapshot(
        anonymous=Actor("anonymous", NOTHING if public is None else roles[public], role_id=public),
        roles=roles,
        role_types=dict(role_rows),
        tokens={row[2]: _read_token(row, scopes) for row in found["tokens"] or () if row[2]},
    )


def _group(rows: Iterable[tuple[int, str | None]] | None) -> defaultdict[int, set[str]]:
    """Group actions by the id they are granted to."""
    grouped: defaultdict[int, set[str]] = defaultdict(set)
    for owner_id, action in rows or ():
        if action is not None:
            grouped[owner_id].add(action)
    return grouped


def _read_token(row: tuple[int, str, str, Any], scopes: Mapping[int, set[str]]) -> ApiToken:
    token_id, token_type, _, expires_at = row
    permissions = RULED_TYPES.get(token_type) or permission_set(scopes.get(token_id, ()))
    # An expiry that is not a number was edited by hand: treat the token as expired.
    known = expires_at is None or isinstance(expires_at, int | float)
    return ApiToken(Actor("api-token", permissions, id=token_id), expires_at if known else 0)
