"""Regular expressions that RE2 cannot search: by backtracking, for a moment at most."""

import re
from collections.abc import Callable

import regex

MAX_SECONDS = 0.05


def backtracking(pattern: str) -> Callable[[str], bool] | None:
    """Whether a text contains a match, told no where that takes too long; None for a pattern that is none."""
    try:
        searched = regex.compile(_for_python(pattern))
    except regex.error:
        return None

    def search(text: str) -> bool:
        try:
            return searched.search(text, timeout=MAX_SECONDS) is not None
        except TimeoutError:
            return False

    return search


def _for_python(pattern: str) -> str:
    """A JavaScript pattern in the words of the `regex` library."""
    named = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    ended = re.sub(r"\\u\{([0-9A-Fa-f]+)\}", lambda found: re.escape(chr(int(found[1], 16))), named)
    return re.sub(r"(?<!\\)\$", r"\\Z", ended)
