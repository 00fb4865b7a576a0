"""The locales that administrators choose from, as v4 lists them: codes of ISO 639 with regions, and English names."""

from functools import cache
from pathlib import Path


@cache
def iso_locales() -> dict[str, str]:
    """Names by code, in v4's order."""
    text = Path(__file__).with_name("iso_locales.txt").read_text("utf-8")
    parts = (line.partition("\t") for line in text.split("\n") if line)
    return {code: name for code, _, name in parts}


def locale_name(code: str) -> str:
    """Return the English name of a locale, such as "German (de)"; its code if it has none."""
    return iso_locales().get(code, code)
