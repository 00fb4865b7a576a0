"""Regular expressions in definitions: JavaScript syntax, searched in bounded time.

RE2 searches in linear time. Patterns it does not support (look-around, back-references, counts above 1,000) are
searched by backtracking with a short timeout; a search that times out finds nothing.
"""

from collections.abc import Callable

import re2

from octavo.content.validation.javascript_regex import InvalidPattern, for_backtracking, for_re2, utf16

MAX_SECONDS = 0.05
Search = Callable[[str], bool]


def compile_regex(pattern: str) -> Search:
    """Return a function that searches a text. An invalid pattern matches nothing; in Strapi every such write fails."""
    try:
        return _compiled(pattern)
    except InvalidPattern:
        return lambda text: False


def is_regex(pattern: str) -> bool:
    """Return whether a pattern is valid."""
    try:
        _compiled(pattern)
    except InvalidPattern:
        return False
    return True


def _compiled(pattern: str) -> Search:
    translated = for_re2(pattern)
    if translated is not None:
        try:
            searched = re2.compile(translated, _quiet())
        except re2.error:  # nested counts, or a too large pattern
            pass
        else:
            return lambda text: searched.search(utf16(text)) is not None
    return _backtracking(pattern)


def _backtracking(pattern: str) -> Search:
    """Return a function that searches a text; a search that times out finds nothing. Raises InvalidPattern."""
    import regex  # rarely needed, and takes memory

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


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options
