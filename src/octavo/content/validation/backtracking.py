"""Regular expressions that RE2 does not support: searched by backtracking, with a short timeout."""

from collections.abc import Callable

import regex

from octavo.content.validation.javascript_regex import InvalidPattern, for_backtracking, utf16

MAX_SECONDS = 0.05


def backtracking(pattern: str) -> Callable[[str], bool]:
    """Return a function that searches a text; a search that times out finds nothing. Raises InvalidPattern."""
    try:
        searched = regex.compile(for_backtracking(pattern), regex.ASCII)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InvalidPattern(str(error)) from error

    def search(text: str) -> bool:
        try:
            return searched.search(utf16(text), timeout=MAX_SECONDS) is not None
        except TimeoutError:
            return False

    return search
