"""Regular expressions in definitions: JavaScript syntax, searched in bounded time.

RE2 searches in linear time. Patterns it does not support (look-around, back-references, counts above 1,000) are
searched by backtracking with a short timeout; a search that times out finds nothing.
"""

from collections.abc import Callable

import re2

from octavo.content.validation.javascript_regex import InvalidPattern, for_re2, utf16

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
    from octavo.content.validation.backtracking import backtracking  # rarely needed, and takes memory

    return backtracking(pattern)


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options
