"""One-time codes in mails: reset and confirmation codes of users, reset tokens and invitations of administrators.

A code contains its account's id, so the account is looked up by id and the code compared in constant time. The table
stores the expiry and a digest of the code, its purpose, the account, its email address and its password hash. Changing
any of these, with any software, invalidates the code without a write. v4's codes are stored in plain text and are
not bound to anything; they are accepted only if the rule `mailedCodes` allows it.
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
    """The account and purpose of a code. `password` is the hash of the account's password."""

    purpose: Purpose
    account: int
    address: str
    password: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A new code: `text` is mailed to its owner, `stored` is saved in the table."""

    text: str
    stored: str


def issue_user_code(subject: CodeSubject, now: float, lifetime: float) -> IssuedCode:
    """Issue a code to a user, valid for `lifetime` seconds."""
    return _issue(f"{subject.account}-{secrets.token_urlsafe(32)}", subject, now, lifetime)


def issue_administrator_code(subject: CodeSubject, now: float, lifetime: float) -> IssuedCode:
    """Issue a code to an administrator, 40 hexadecimal digits like those of v4, valid for `lifetime` seconds."""
    return _issue(f"{subject.account:08x}{secrets.token_hex(16)}", subject, now, lifetime)


def user_of(code: str) -> int | None:
    """Return the user id in a code that Octavo issued; None for any other text."""
    ours = _USERS.fullmatch(code)
    return _known_id(int(ours[1])) if ours else None


def administrator_of(code: str) -> int | None:
    """Return the administrator id in a code that Octavo issued; None for any other text.

    A v4 code looks the same, so its id may be arbitrary.
    """
    ours = _ADMINISTRATORS.fullmatch(code)
    return _known_id(int(ours[1], 16)) if ours else None


def may_be_plain(code: str) -> bool:
    """Return whether a text can be a v4 code. The stored form of an Octavo code is not one, though it looks alike."""
    return 0 < len(code) <= _LONGEST and not code.startswith(_MARK)


def is_valid(code: str, stored: str | None, subject: CodeSubject, now: float) -> bool:
    """Return whether a code matches the stored one, fits the subject's current data, and has not expired."""
    if stored is None or not stored.startswith(_MARK):
        return False
    end, _, sealed = stored.removeprefix(_MARK).partition("$")
    return hmac.compare_digest(_seal(code, subject), sealed) and end.isdecimal() and now < int(end)


def is_plain_match(code: str, stored: str | None) -> bool:
    """Return whether a code equals a stored v4 code."""
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
