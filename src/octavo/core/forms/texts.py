"""Checks on texts: characters that every database stores, email addresses, and links in settings.

Every check takes time proportional to the length of the text, whatever the text.
"""

import re
import string
from typing import Any, Final


def is_storable(text: str) -> bool:
    """Return whether every database can store a text: without NUL and lone surrogates."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_ATOM_SIGNS = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-/=?^_`{|}~")
_LETTERS = frozenset(string.ascii_letters)
_DIGITS = frozenset(string.digits)
_INSIDE_SIGNS = frozenset("-._~")


def _is_foreign(sign: str) -> bool:
    return "\u00a0" <= sign <= "\ud7ff" or "\uf900" <= sign <= "\ufdcf" or "\ufdf0" <= sign <= "\uffef"


def _is_letter(sign: str) -> bool:
    return sign in _LETTERS or _is_foreign(sign)


def _is_word(sign: str) -> bool:
    return sign in _DIGITS or _is_letter(sign)


def _is_local_part(text: str) -> bool:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return not any(sign in '"\\\r\n' for sign in text[1:-1])
    return all(atom and all(sign in _ATOM_SIGNS or _is_foreign(sign) for sign in atom) for atom in text.split("."))


def _is_domain(text: str) -> bool:
    """Return whether a text is labels separated by dots; the last one starts and ends with a letter, the others with a
    letter or a digit."""
    if not text or not _is_word(text[0]) or not _is_letter(text[-1]):
        return False
    if not all(_is_word(sign) or sign in _INSIDE_SIGNS for sign in text):
        return False
    return any(
        sign == "." and index and _is_word(text[index - 1]) and _is_letter(text[index + 1])
        for index, sign in enumerate(text[:-1])
    )


def is_email(text: str) -> bool:
    """Return whether a text looks like an email address."""
    local, at, domain = text.rpartition("@")
    return bool(at) and _is_local_part(local) and _is_domain(domain)


_WEB: Final = re.compile(r"https?://[^\s/?#\\@<>\"'\x00-\x1f\x7f]+(?:[/?#][^\s\\<>\"\x00-\x1f\x7f]*)?", re.IGNORECASE)
_PATH: Final = re.compile(r"/(?:[^\s/\\<>\"\x00-\x1f\x7f][^\s\\<>\"\x00-\x1f\x7f]*)?")
_NOT_TEXT: Final = re.compile(r".*[\\\x00-\x1f\x7f]|\s*//|[^/?#]*:", re.DOTALL)
_LONGEST: Final = 2_000

EXPECTED: Final = "a URL that begins with http:// or https://, or a path that begins with a single /"


def is_web_link(value: Any) -> bool:
    """Return whether a value is a web URL or a path on this server.

    Browsers take `//host` and `/\\host` as other servers, and also the host after an `@`.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    return _WEB.fullmatch(value) is not None or _PATH.fullmatch(value) is not None


def is_harmless(value: Any) -> bool:
    """Return whether a value is a web URL, or a text that browsers take neither for a script nor for another server.

    v4 stores such texts ("not a url") as settings; they are not opened.
    """
    return is_web_link(value) or (isinstance(value, str) and len(value) <= _LONGEST and _NOT_TEXT.match(value) is None)
