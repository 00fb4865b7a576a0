"""One-time codes: what a reset or confirmation mail carries, and what is stored of it: a hash and an end.

A code names its user, so that it is found by id and compared in constant time. Codes that v4 has issued are stored as
they are; they are taken while the stored text is not one of ours (otherwise whoever reads the table could use it).
"""

import hmac
import re
import secrets
from typing import Final

from octavo.authentication.credentials import digest
from octavo.schema.scalar_types import LARGEST_ID
from octavo.values import dataclass

_MARK: Final = "octavo$"
_OURS: Final = re.compile(r"([1-9]\d{0,9})-[\w-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new code: `text` is for its user alone, `stored` for the table."""

    text: str
    stored: str


def issue_code(user_id: int, now: float, lifetime: float) -> IssuedCode:
    """A new code for a user, good for `lifetime` seconds."""
    text = f"{user_id}-{secrets.token_urlsafe(32)}"
    return IssuedCode(text, f"{_MARK}{int(now + lifetime)}${digest(text)}")


def user_of(code: str) -> int | None:
    """The user whom one of our codes is for; None for any other text."""
    ours = _OURS.fullmatch(code)
    return int(ours[1]) if ours and int(ours[1]) <= LARGEST_ID else None


def is_plain(code: str) -> bool:
    """Whether a text may be a code of v4, which is stored as it is."""
    return not code.startswith(_MARK)


def is_good(code: str, stored: str | None, now: float) -> bool:
    """Whether a code is the stored one, and still holds."""
    if stored is None:
        return False
    if not stored.startswith(_MARK):
        return hmac.compare_digest(code.encode("utf-8", "surrogatepass"), stored.encode())
    end, _, kept = stored.removeprefix(_MARK).partition("$")
    return hmac.compare_digest(digest(code), kept) and end.isdecimal() and now < int(end)
