"""One-time codes for previews: an administrator's page gets a code, and the front end exchanges it for a token.

The code is in the URL of the front end, where histories and logs can keep it. So it works once, within two minutes, and
only while the administrator is signed in and can read the entry. Two exchanges at once return one token.
"""

from typing import Any, Final

from octavo.access.authentication.admin_sessions import AdminTokens
from octavo.access.authentication.one_time_secrets import OneTimeSecrets
from octavo.access.authentication.preview_tokens import PreviewTokens
from octavo.access.authorization.actor import Actor
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import ForbiddenError, NotFoundError, UnauthorizedError
from octavo.core.values import dataclass

LIFESPAN: Final = 120
"""Seconds that a code is valid."""

_KIND: Final = "preview"


@dataclass(frozen=True, slots=True)
class PreviewGrant:
    """A preview token for an entry, and when it expires, in seconds since 1970."""

    token: str
    expires_at: float
    uid: str
    entry_id: int


class PreviewCodes:
    """Issues codes and exchanges them."""

    def __init__(
        self, entries: ManagedEntries, stored: OneTimeSecrets, administrators: AdminTokens, tokens: PreviewTokens
    ) -> None:
        self._entries = entries
        self._stored = stored
        self._administrators = administrators
        self._tokens = tokens

    async def issue(self, uid: str, entry_id: int, actor: Actor, session: str) -> str:
        """Return a new code. Raises ForbiddenError and NotFoundError if the actor cannot read the entry."""
        await self._check(uid, entry_id, actor)
        return await self._stored.keep(_KIND, {"session": session, "uid": uid, "id": entry_id}, LIFESPAN)

    async def exchange(self, code: str) -> PreviewGrant | None:
        """Return the token for a code and end the code; None if it is unknown, expired, used or no longer allowed."""
        grant = await self._stored.take(_KIND, code)
        return None if grant is None else await self._grant(grant)

    async def _grant(self, found: dict[str, Any]) -> PreviewGrant | None:
        session, uid, entry_id = found["session"], found["uid"], found["id"]
        try:
            await self._check(uid, entry_id, (await self._administrators.of_session(session)).actor)
        except (UnauthorizedError, ForbiddenError, NotFoundError):
            return None
        token, expires_at = self._tokens.sign(session, uid)
        return PreviewGrant(token, expires_at, uid, entry_id)

    async def _check(self, uid: str, entry_id: int, actor: Actor) -> None:
        await self._entries.one(managed_type(self._entries.registry, uid, actor), entry_id, actor)
