"""Transliterate text for URLs and file names, with the same results as v4."""

import re
from typing import Final

from octavo.core.text_limits import compose, transliterate

_OTHERWISE: Final = {
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "ẞ": "SS",
    "Æ": "AE",
    "Þ": "TH",
    "ĸ": "k",
    "Ŋ": "N",
    "ŋ": "n",
    "ſ": "ss",
    "Β": "B",
    "Θ": "TH",
    "Ξ": "KS",
    "Χ": "X",
    "Ψ": "PS",
    "ξ": "ks",
    "χ": "x",
    "Ё": "Yo",
    "Є": "Ye",
    "Ї": "Yi",
    "Ќ": "Kj",
    "Й": "J",
    "Х": "H",
    "Ц": "Cz",
    "Щ": "Shh",
    "ё": "yo",
    "є": "ye",
    "ї": "yi",
    "ќ": "kj",
    "й": "j",
    "х": "h",
    "ц": "cz",
    "щ": "shh",
    "&": " and ",
    "♥": " love ",
    "🦄": " unicorn ",
}
"""Letters that v4 transliterates differently from the library."""
_ALPHABETS_END: Final = "\u1100"
_MORE_LETTERS: Final = ("\u1e00", "\u1fff")
_CASE_CHANGE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z0-9])")
_NO_WORD: Final = re.compile(r"[^A-Za-z0-9]+")


def slug(text: str, between: str) -> str:
    """Return the words of a text in ASCII letters, joined by `between`. Other characters separate words.

    >>> slug("Été & co", "_"), slug("fooBar BazQux", "-"), slug("Größe.tar", "-"), slug("♪ 日本", "-")
    ('Ete_and_co', 'foo-Bar-Baz-Qux', 'Groesse-tar', '')
    """
    plain = "".join(map(_plain, compose(text)))
    return _NO_WORD.sub(between, _CASE_CHANGE.sub(" ", plain).strip()).strip(between or None)


def slugify(text: str, between: str = "-") -> str:
    """Return the words of a text in lower-case ASCII letters, for a URL.

    >>> slugify("Größe & Maß: Été 2"), slugify("Дверь"), slugify("iPhone 15")
    ('groesse-and-mass-ete-2', 'dver', 'iphone-15')
    """
    plain = "".join(map(_plain, compose(text)))
    return _NO_WORD.sub(between, plain).strip(between or None).lower()


def _plain(sign: str) -> str:
    if sign in _OTHERWISE:
        return _OTHERWISE[sign]
    if sign.isascii():
        return sign
    is_letter = sign < _ALPHABETS_END or _MORE_LETTERS[0] <= sign <= _MORE_LETTERS[1]
    return transliterate(sign).replace("'", "") if is_letter and (sign.isalpha() or sign.isdecimal()) else " "
