"""Operations on text from requests with length limits: normalization, case folding, transliteration, comparison.

Each of these takes more than linear time, or produces longer text. So this is the only module that uses `unicodedata`,
`difflib`, `anyascii` and `str.casefold`, and each function first truncates the text to its limit, or returns early.
"""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

MAX_EMAIL: Final = 254
"""Characters of an email address (RFC 5321)."""
MAX_IDENTIFIER: Final = 1024
"""Characters of a user name or an email address at sign-in."""
MAX_LABEL: Final = 255
"""Characters of user names, role names and the like, and of codes: the size of their columns on PostgreSQL."""
MAX_SLUG_SOURCE: Final = 1024
"""Characters that a slug is generated from. The rest is ignored: columns of slugs hold 255."""
MAX_SUGGESTED: Final = 100
"""Characters of a name for which a similar one is suggested."""
MAX_CANDIDATES: Final = 1000
"""Number of names to compare for a suggestion."""
MAX_NUMBER: Final = 1100
"""Characters of a number: the length of the smallest double precision number without an exponent."""


def fold_identifier(text: str) -> str:
    """Return a canonical form for all spellings of a user name or an email address.

    >>> fold_identifier(" \N{FULLWIDTH LATIN CAPITAL LETTER A}nn ") == fold_identifier("ann")
    True
    """
    return unicodedata.normalize("NFKC", text[:MAX_IDENTIFIER]).casefold().strip()


def compose(text: str) -> str:
    """Return the beginning of a text for a slug, in Unicode normalization form C."""
    return unicodedata.normalize("NFC", text[:MAX_SLUG_SOURCE])


def transliterate(text: str) -> str:
    """Return the beginning of a text for a slug, in ASCII letters."""
    from anyascii import anyascii  # 18 ms, for the first slug

    return anyascii(text[:MAX_SLUG_SOURCE])


def base_letter(letter: str) -> str:
    """Return a letter without its accents."""
    return unicodedata.normalize("NFD", letter[:1])[:1]


def close_match(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that is most similar to a name, or None; always None for a long name.

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
