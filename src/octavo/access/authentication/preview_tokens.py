"""Preview tokens: read drafts of one content type, with the permissions of the administrator who opened the preview.

A token is valid for an hour at most. It ends with the administrator's session, so a sign-out, a block or a new password
revokes it, and a change of the administrator's roles applies to it.
"""

from collections.abc import Sequence
from typing import Final

from octavo.access.authentication.admin_sessions import AdminTokens
from octavo.access.authentication.credentials import MISSING, PreviewClaims, read_preview_token, sign_preview_token
from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.preview_ability import PreviewAbility
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import UnauthorizedError
from octavo.settings.accepted_keys import AcceptedKey

LIFESPAN: Final = 3600
"""Seconds that a token is valid."""

_MOST: Final = 1000
"""The number of abilities to cache. Beyond it, the cache starts over."""


class PreviewTokens:
    """Signs preview tokens and turns them into actors. `secret` signs the access tokens of administrators too."""

    def __init__(
        self,
        administrators: AdminTokens,
        secret: str,
        clock: Clock = SYSTEM_CLOCK,
        accepted: Sequence[AcceptedKey] = (),
    ) -> None:
        self._administrators = administrators
        self._secret = secret
        self._clock = clock
        self._accepted = accepted
        self._abilities: dict[tuple[str, str], PreviewAbility] = {}

    def sign(self, session: str, uid: str) -> tuple[str, float]:
        """Return a token for a session and a content type, and when it expires, in seconds since 1970."""
        until = float(int(self._clock.wall()) + LIFESPAN)
        return sign_preview_token(PreviewClaims(session, uid, until), self._secret), until

    def expires_at(self, token: str) -> float:
        """Return when a token expires, in seconds since 1970. Raises UnauthorizedError."""
        return self._read(token).until

    async def actor(self, token: str) -> Actor:
        """Return the actor of a token. Raises UnauthorizedError, also if the session has ended."""
        claims = self._read(token)
        if self._clock.wall() >= claims.until:
            raise UnauthorizedError(MISSING)
        editor = (await self._administrators.of_session(claims.session)).content_actor
        return Actor("administrator", self._ability(editor.ability, claims.uid), editor.id, email=editor.email)

    def forget(self) -> None:
        """Clear cached abilities."""
        self._abilities.clear()

    def _read(self, token: str) -> PreviewClaims:
        return read_preview_token(token, self._secret, self._accepted)

    def _ability(self, ability: Ability, uid: str) -> PreviewAbility:
        """Return the ability, which stays the same object while the administrator's does."""
        ability_of_type = self._abilities.get((uid, ability.key))
        if ability_of_type is None or ability_of_type.ability is not ability:
            if len(self._abilities) >= _MOST:
                self.forget()
            ability_of_type = self._abilities[uid, ability.key] = PreviewAbility(ability, uid)
        return ability_of_type
