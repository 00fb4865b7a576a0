"""The kinds of tokens, API and transfer, and the checks for creating them. Raises ValidationError, ForbiddenError."""

from collections.abc import Collection, Sequence
from typing import Final

from octavo.access.authentication.token_rows import API, TRANSFER, Token
from octavo.access.authorization.actions import list_actions
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import check_actions_within
from octavo.accounts.administrators.tokens import TokenData, TokenKind
from octavo.core.errors import ForbiddenError, ValidationError
from octavo.core.forms import REQUIRED, Items, Text, at_least
from octavo.schema.registry import Registry

_CUSTOM: Final = "custom"
_TRANSFER_SCOPES: Final = Text(one_of=("push", "pull"))


def api_tokens(registry: Registry, salt: str, own_actions: Collection[str] = ()) -> TokenKind:
    """Return the kind for API tokens. `own_actions` are those of the project's code."""
    known = frozenset(list_actions(registry, own_actions))

    def check(given: TokenData, before: Token | None, actor: Actor) -> Sequence[str] | None:
        kind = given.get("type") or (before.type if before else None)
        wanted, was_custom = given.get("permissions"), before is not None and before.type == _CUSTOM
        if kind != _CUSTOM and wanted:
            raise ValidationError("Non-custom tokens should not reference permissions")
        if kind == _CUSTOM and wanted is None and not was_custom:
            raise ValidationError("Missing permissions attribute for custom token")
        unknown = [action for action in wanted or () if action not in known]
        if unknown:
            raise ValidationError(f"Unknown permissions provided: {', '.join(unknown)}")
        kept = before.actions if before is not None else ()
        all_known = [action for action in known if kind == "full-access" or action.endswith((".find", ".findOne"))]
        check_actions_within(actor, (kept if wanted is None else wanted) if kind == _CUSTOM else all_known)
        return (wanted or ()) if kind != _CUSTOM or wanted is not None else None

    scopes = Items(Text(), nullable=True)
    return TokenKind(API, salt, scopes, scopes, "API Token not found", check)


def transfer_tokens(salt: str) -> TokenKind:
    """Return the kind for transfer tokens, which allow reading and replacing all data."""

    def check(given: TokenData, before: Token | None, actor: Actor) -> Sequence[str] | None:
        if not actor.ability.everything:
            raise ForbiddenError
        wanted: Sequence[str] | None = given.get("permissions")
        return wanted

    changed = Items(_TRANSFER_SCOPES, at_least(1), nullable=True)
    new = Items(_TRANSFER_SCOPES, at_least(1), REQUIRED)
    return TokenKind(TRANSFER, salt, changed, new, "Transfer token not found", check)
