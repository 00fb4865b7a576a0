"""One-time codes in mails: reset and confirmation codes of users, reset tokens and invitations of administrators.

A code names its account, so it is found by id and compared in constant time. The table holds its end and a digest of
the code together with the purpose, the account, its address and its password hash: changing any of these, with any
software, ends the code without a write. Codes of v4 are stored in plain text and bound to nothing; they are accepted
only where the rule `mailedCodes` allows it.
"""

import hmac
import json
import re
import secrets
from dataclasses import field
from typing import Final, Literal

from octavo.access.authentication.credentials import digest
from octavo.core.values import dataclass
from octavo.schema.scalar_types import LARGEST_ID

Purpose = Literal["user reset", "user confirmation", "administrator reset", "administrator invitation"]

_MARK: Final = "octavo$"
_LONGEST: Final = 255
_USERS: Final = re.compile(r"([1-9]\d{0,9})-[\w-]{43}", re.ASCII)
_ADMINISTRATORS: Final = re.compile("([0-9a-f]{8})[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class CodeSubject:
    """What a code stands for. `password` is the hash of the account's password."""

    purpose: Purpose
    account: int
    address: str
    password: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new code: `text` is for its owner alone, `stored` for the table."""

    text: str
    stored: str


def issue_user_code(subject: CodeSubject, now: float, lifetime: float) -> IssuedCode:
    """Issue a code to a user, valid for `lifetime` seconds."""
    return _issue(f"{subject.account}-{secrets.token_urlsafe(32)}", subject, now, lifetime)


def issue_administrator_code(subject: CodeSubject, now: float, lifetime: float) -> IssuedCode:
    """Issue a code to an administrator, 40 hexadecimal digits like those of v4, valid for `lifetime` seconds."""
    return _issue(f"{subject.account:08x}{secrets.token_hex(16)}", subject, now, lifetime)


def user_of(code: str) -> int | None:
    """Return the id of the user that one of our codes names; None for any other text."""
    ours = _USERS.fullmatch(code)
    return _known_id(int(ours[1])) if ours else None


def administrator_of(code: str) -> int | None:
    """Return the id of the administrator that one of our codes names; None for any other text.

    A code of v4 looks the same and may name anyone.
    """
    ours = _ADMINISTRATORS.fullmatch(code)
    return _known_id(int(ours[1], 16)) if ours else None


def may_be_plain(code: str) -> bool:
    """Return whether a text can be a code of v4: the stored form of one of ours is not, though it looks like one."""
    return 0 < len(code) <= _LONGEST and not code.startswith(_MARK)


def is_valid(code: str, stored: str | None, subject: CodeSubject, now: float) -> bool:
    """Return whether a code is the stored one, of the subject as it is now, and not expired."""
    if stored is None or not stored.startswith(_MARK):
        return False
    end, _, sealed = stored.removeprefix(_MARK).partition("$")
    return hmac.compare_digest(_seal(code, subject), sealed) and end.isdecimal() and now < int(end)


def is_plain_match(code: str, stored: str | None) -> bool:
    """Return whether a code is a stored one of v4."""
    if stored is None or not (may_be_plain(code) and may_be_plain(stored)):
        return False
    return hmac.compare_digest(code.encode("utf-8", "surrogatepass"), stored.encode())


def _issue(text: str, subject: CodeSubject, now: float, lifetime: float) -> IssuedCode:
    return IssuedCode(text, f"{_MARK}{int(now + lifetime)}${_seal(text, subject)}")


def _seal(text: str, subject: CodeSubject) -> str:
    bound = (text, subject.purpose, subject.account, subject.address, subject.password or "")
    return digest(json.dumps(bound))


def _known_id(number: int) -> int | None:
    return number if 0 < number <= LARGEST_ID else None
