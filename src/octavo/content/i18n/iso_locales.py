"""The locales that administrators can add, as in v4: ISO 639 codes with regions, and English names."""

from functools import cache
from pathlib import Path


@cache
def iso_locales() -> dict[str, str]:
    """Return locale names by code, in v4's order."""
    text = Path(__file__).with_name("iso_locales.txt").read_text("utf-8")
    parts = (line.partition("\t") for line in text.split("\n") if line)
    return {code: name for code, _, name in parts}


def locale_name(code: str) -> str:
    """Return the English name of a locale, such as "German (de)"; its code if it has none."""
    return iso_locales().get(code, code)
