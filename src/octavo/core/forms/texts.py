"""Checks on texts: characters that every database stores, and email addresses.

Every check takes time proportional to the length of the text, whatever the text.
"""

import string


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
