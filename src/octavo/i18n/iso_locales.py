"""The locales that administrators choose from, as v4 lists them: codes of ISO 639 with regions, and English names."""

from functools import cache
from importlib.resources import files


@cache
def iso_locales() -> dict[str, str]:
    """Names by code, in v4's order."""
    text = files("octavo.i18n").joinpath("iso_locales.txt").read_text("utf-8")
    parts = (line.partition("\t") for line in text.split("\n") if line)
    return {code: name for code, _, name in parts}
