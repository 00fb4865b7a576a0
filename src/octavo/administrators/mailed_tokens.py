"""Mailed tokens: what invites an administrator, or lets one choose another password. Good once, and for some time.

They look as v4's, 40 hexadecimal digits: the first eight tell their end, the rest nobody can guess. The table holds a
hash. Tokens that v4 has made are stored as they are, and without end; they are taken where the rule `mailedCodes` says.
"""

import re
import secrets
from typing import Final

from octavo.authentication.credentials import digest
from octavo.values import dataclass

_MARK: Final = "octavo$"
_LONGEST: Final = 255
_OURS: Final = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class MailedToken:
    """A new token: `text` is for its owner alone, `stored` for the table."""

    text: str
    stored: str


def issue(now: float, seconds: int) -> MailedToken:
    """A token that is good from `now`, in seconds since 1970, for so many seconds."""
    text = f"{int(now + seconds):08x}{secrets.token_hex(16)}"
    return MailedToken(text, _MARK + digest(text))


def stored_forms(token: str, now: float, *, takes_plain: bool) -> tuple[str, str]:
    """How a token may lie in the table: ours that is not over, v4's; an empty text where there is no such form."""
    ours = bool(_OURS.fullmatch(token)) and now < int(token[:8], 16)
    plain = takes_plain and len(token) <= _LONGEST and not token.startswith(_MARK)
    return _MARK + digest(token) if ours else "", token if plain else ""
