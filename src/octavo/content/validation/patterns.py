"""Patterns: regular expressions in definitions, and the format of UIDs.

Every check runs in linear time.
"""

import re
from collections.abc import Callable
from functools import lru_cache

Matcher = Callable[[str], bool]

_UID = re.compile(r"[A-Za-z0-9\-_.~]*\Z", re.ASCII)
UID_PATTERN = "/^[A-Za-z0-9-_.~]*$/"


@lru_cache(maxsize=1024)
def matcher(pattern: str) -> Matcher:
    """Return a function that searches a text for a definition's `regex`, in JavaScript's syntax."""
    from octavo.content.validation.regexes import compile_regex

    return compile_regex(pattern)


def is_pattern(pattern: str) -> bool:
    """Return whether a definition's `regex` is a valid regular expression. An invalid one matches nothing."""
    from octavo.content.validation.regexes import is_regex

    return is_regex(pattern)


def print_pattern(pattern: str) -> str:
    """Return a pattern as JavaScript prints it: between slashes, with inner slashes escaped.

    >>> print_pattern("^https?://")
    '/^https?:\\\\/\\\\//'
    """
    inside = re.sub(r"\\.|\[(?:\\.|[^\]])*\]|/", lambda found: "\\/" if found[0] == "/" else found[0], pattern)
    return f"/{inside}/"


def is_uid(text: str) -> bool:
    """Return whether a text is a valid UID."""
    return _UID.match(text) is not None
