"""Text that callers send: measured first, then normalized, folded, transliterated or compared.

Each of these operations costs more than the length of a text, or makes a longer text of it. So this is the only module
that uses `unicodedata`, `difflib`, `anyascii` and `str.casefold`, and each function cuts a text to its limit, or does
without it, before anything else.
"""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

MAX_EMAIL: Final = 254
"""Characters of an e-mail address (RFC 5321)."""
MAX_IDENTIFIER: Final = 1024
"""Characters of what names an account at login: a user name or an e-mail address."""
MAX_LABEL: Final = 255
"""Characters of user names, names of roles and the like, and of codes: what their columns hold on PostgreSQL."""
MAX_SLUG_SOURCE: Final = 1024
"""Characters that a slug is made of. What follows does not count: columns of slugs hold 255."""
MAX_SUGGESTED: Final = 100
"""Characters of a name that another one is suggested for."""
MAX_CANDIDATES: Final = 1000
"""Names that one is compared with."""
MAX_NUMBER: Final = 1100
"""Characters of a number: as many as the smallest number of double precision has when it is written in full."""


def fold_identifier(text: str) -> str:
    """Return the same text for every spelling of a user name or an e-mail address.

    >>> fold_identifier(" \N{FULLWIDTH LATIN CAPITAL LETTER A}nn ") == fold_identifier("ann")
    True
    """
    return unicodedata.normalize("NFKC", text[:MAX_IDENTIFIER]).casefold().strip()


def compose(text: str) -> str:
    """Return the beginning of a text that a slug is made of, accents joined with their letters (NFC)."""
    return unicodedata.normalize("NFC", text[:MAX_SLUG_SOURCE])


def transliterate(text: str) -> str:
    """Return the beginning of a text that a slug is made of, in plain ASCII letters."""
    from anyascii import anyascii  # 18 ms, for the first slug

    return anyascii(text[:MAX_SLUG_SOURCE])


def base_letter(letter: str) -> str:
    """Return the letter below the accents of a single one."""
    return unicodedata.normalize("NFD", letter[:1])[:1]


def close_match(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that is most like a name, if one is; never for a long name.

    >>> close_match("titel", ["title", "body"]), close_match("x" * 1000, ["x" * 999])
    ('title', None)
    """
    if len(name) > MAX_SUGGESTED:
        return None
    near = get_close_matches(name, list(islice(known, MAX_CANDIDATES)), n=1, cutoff=cutoff)
    return near[0] if near else None


def may_be_number(text: str) -> bool:
    """Return whether a text is short enough to be read as a number."""
    return len(text) <= MAX_NUMBER
