"""Actors: the callers on whose behalf code runs, and the permission check. Raises `ForbiddenError`.

Development servers log denied permissions, with the command that grants them.
"""

import logging
import shlex
from pathlib import Path
from typing import Final, Literal

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.permissions import EVERYTHING, NOTHING
from octavo.core.errors import ForbiddenError
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)

_MOST: Final = 1_000
"""The number of combinations to remember. Beyond it, the log starts over."""


class DenialLog:
    """Logs denied permissions while it is open."""

    def __init__(self) -> None:
        self._project: Path | None = None
        self._logged: set[tuple[str, ...]] = set()

    def open(self, project: Path) -> None:
        """Start logging for the project in this folder; nothing counts as logged yet."""
        self._project = project
        self._logged.clear()

    def close(self) -> None:
        """Stop logging."""
        self._project = None

    def report_role(self, role: str, *actions: str) -> None:
        """Log the actions that a role, given by its type (`public`), has no permission for."""
        if new := self._new(role, actions):
            command = f"octavo permissions grant {_words(role, *new)}{self._option()}"
            logger.warning("403: the role %s lacks the permission %s. To grant it: %s", role, ", ".join(new), command)

    def report_token(self, token: int, *actions: str) -> None:
        """Log the actions that the API token with the id `token` has no permission for."""
        if new := self._new(f"API token {token}", actions):
            allowed = " ".join(f"--allow {action}" for action in map(shlex.quote, new))
            command = f"octavo tokens create NAME --type custom {allowed}{self._option()}"
            text = "403: the API token %d lacks the permission %s. Change it at /admin, or create another: %s"
            logger.warning(text, token, ", ".join(new), command)

    def _new(self, who: str, actions: tuple[str, ...]) -> list[str]:
        """Return the actions that are not logged yet, and remember them."""
        if self._project is None:
            return []
        new = [action for action in actions if (who, action) not in self._logged]
        if len(self._logged) + len(new) > _MOST:
            self._logged.clear()
        self._logged.update((who, action) for action in new)
        return new

    def _option(self) -> str:
        """Return the `--project` option that commands need when run from the current folder."""
        if self._project is None or self._project == Path.cwd():
            return ""
        return f" --project {shlex.quote(str(self._project))}"


def _words(*words: str) -> str:
    return " ".join(map(shlex.quote, words))


denials: Final = DenialLog()
"""The log of this process."""


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
