"""Actors: the callers on whose behalf code runs, and the permission check. Raises `ForbiddenError`."""

from typing import Literal

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.denials import denials
from octavo.access.authorization.permissions import EVERYTHING, NOTHING
from octavo.core.errors import ForbiddenError
from octavo.core.values import dataclass

ActorKind = Literal["anonymous", "user", "api-token", "administrator", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller, with its permissions."""

    kind: ActorKind
    ability: Ability
    id: int | None = None
    role_id: int | None = None
    username: str | None = None
    email: str | None = None
    role: str | None = None

    @property
    def creator_id(self) -> int | None:
        """The id to store as the creator of new entries; None unless the actor is an administrator."""
        return self.id if self.kind == "administrator" else None

    def may(self, action: str) -> bool:
        """Return whether the caller has the permission for an action, such as `api::talk.talk.find`."""
        return self.ability.allows(action)


ANONYMOUS = Actor("anonymous", NOTHING)
"""An anonymous caller without permissions, for projects without a public role."""

SYSTEM = Actor("system", EVERYTHING)
"""Octavo itself: commands, seeds, hooks."""


def check_authenticated(actor: Actor) -> None:
    """Raise `ForbiddenError` unless the actor is a signed-in user or a token with full access."""
    if actor.kind != "user" and not actor.ability.everything:
        raise ForbiddenError


def check_super_admin(actor: Actor) -> None:
    """Raise `ForbiddenError` unless the actor is a super admin."""
    if actor.kind != "administrator" or not actor.ability.everything:
        raise ForbiddenError


def check(actor: Actor, *actions: str) -> None:
    """Raise `ForbiddenError` unless the actor has permission for all of these actions."""
    for action in actions:
        if not actor.ability.allows(action):
            _report(actor, *(each for each in actions if not actor.ability.allows(each)))
            raise ForbiddenError


def _report(actor: Actor, *actions: str) -> None:
    """Log the permissions that a caller of the content API lacks. Administrators are left out."""
    if actor.kind == "api-token" and actor.id is not None:
        denials.report_token(actor.id, *actions)
    elif actor.kind == "anonymous":
        denials.report_role("public", *actions)
    elif actor.kind == "user" and actor.role is not None:
        denials.report_role(actor.role, *actions)
