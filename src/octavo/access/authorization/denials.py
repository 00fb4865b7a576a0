"""Log denied permissions on a development server, with the command that grants them.

Clients only get a 403 without a reason. Each combination of role and permission is logged once.
"""

import logging
import shlex
from pathlib import Path
from typing import Final

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
