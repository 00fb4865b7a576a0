"""Patterns: the regular expressions of definitions, and what a UID looks like.

Every check takes time in proportion to the length of the text, whatever the text.
"""

import re
from collections.abc import Callable
from functools import lru_cache

Matcher = Callable[[str], bool]

_UID = re.compile(r"[A-Za-z0-9\-_.~]*\Z", re.ASCII)
UID_PATTERN = "/^[A-Za-z0-9-_.~]*$/"


@lru_cache(maxsize=1024)
def matcher(pattern: str) -> Matcher:
    """Whether a text contains a match of a definition's `regex`, which is written for JavaScript."""
    from octavo.content.validation.regexes import compile_regex

    return compile_regex(pattern)


def is_pattern(pattern: str) -> bool:
    """Whether a definition's `regex` is a regular expression. One that is none matches everything."""
    from octavo.content.validation.regexes import is_regex

    return is_regex(pattern)


def print_pattern(pattern: str) -> str:
    """A pattern as JavaScript writes it: slashes around it, those inside escaped.

    >>> print_pattern("^https?://")
    '/^https?:\\\\/\\\\//'
    """
    inside = re.sub(r"\\.|\[(?:\\.|[^\]])*\]|/", lambda found: "\\/" if found[0] == "/" else found[0], pattern)
    return f"/{inside}/"


def is_uid(text: str) -> bool:
    """Whether a text is a possible UID."""
    return _UID.match(text) is not None
