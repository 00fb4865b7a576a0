"""Regular expressions of definitions: written for JavaScript, searched without ever taking long.

RE2 searches in time proportional to the text. What it cannot do (look-around, back-references, counts past 1,000) is
searched by backtracking, for a moment at most; a text that takes longer counts as no match.
"""

from collections.abc import Callable

import re2

from octavo.content.validation.javascript_regex import InvalidPattern, for_re2, utf16

Search = Callable[[str], bool]


def compile_regex(pattern: str) -> Search:
    """Return whether a text contains a match. A pattern that is none of JavaScript's matches nothing (the reference
    fails at every such write)."""
    try:
        return _compiled(pattern)
    except InvalidPattern:
        return lambda text: False


def is_regex(pattern: str) -> bool:
    """Return whether a pattern is one."""
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
        except re2.error:  # nested counts, or a pattern that is too large
            pass
        else:
            return lambda text: searched.search(utf16(text)) is not None
    from octavo.content.validation.backtracking import backtracking  # few patterns need it, and it takes memory

    return backtracking(pattern)


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options
