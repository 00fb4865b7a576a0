"""Texts as names of plain letters, such as stand in addresses and names of files."""

import re
import unicodedata
from typing import Final

from anyascii import anyascii

_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z0-9])")
_GERMAN: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ẞ": "SS", "Æ": "AE"})
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


def slug(text: str, between: str) -> str:
    """The words of a text in plain letters, joined by a sign; umlauts as German writes them.

    >>> slug("Été & co", "_"), slug("fooBar BazQux", "-"), slug("Größe.tar", "-"), slug("♪", "-")
    ('Ete_and_co', 'foo-Bar-Baz-Qux', 'Groesse-tar', '')
    """
    german = unicodedata.normalize("NFC", text.replace("&", " and ")).translate(_GERMAN)
    return _NO_WORD.sub(between, _CASE_CHANGE.sub(" ", anyascii(german))).strip(between)
