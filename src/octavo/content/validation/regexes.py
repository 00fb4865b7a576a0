"""Regular expressions of definitions: written for JavaScript, searched without ever taking long.

RE2 searches in time proportional to the text. What it cannot do (look-around, back-references, counts past 1,000) is
searched by backtracking, for a moment at most; a text that takes longer counts as no match.
"""

import re
from collections.abc import Callable

import re2

Search = Callable[[str], bool]

# One token of a JavaScript pattern: an escape, the start or end of a class, or any character.
_TOKEN = re.compile(r"\\u\{[0-9A-Fa-f]+\}|\\u[0-9A-Fa-f]{4}|\\c[A-Za-z]|\\.|\[\^?|\]|.", re.DOTALL)
_SPACES = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_NOT_SPACES = r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}" \
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"  # fmt: skip
_ANY = r"[^\n\r\x{2028}\x{2029}]"


def compile_regex(pattern: str) -> Search:
    """Whether a text contains a match. A pattern that is none, in JavaScript's eyes too, matches everything."""
    return _compiled(pattern) or (lambda text: True)


def is_regex(pattern: str) -> bool:
    """Whether a pattern is one."""
    return _compiled(pattern) is not None


def _compiled(pattern: str) -> Search | None:
    try:
        searched = re2.compile(_for_re2(pattern), _quiet())
    except re2.error:
        from octavo.content.validation.backtracking import backtracking  # few patterns need it, and it takes memory

        return backtracking(pattern)
    return lambda text: searched.search(text) is not None


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options


def _for_re2(pattern: str) -> str:
    """A JavaScript pattern in RE2's words: its own line ends and spaces, escapes by number."""
    inside, words = False, []
    for found in _TOKEN.finditer(pattern):
        token = found[0]
        if inside and token.startswith("["):
            token = f"\\{token}"
        words.append(_token_for_re2(token, inside))
        inside = token != "]" and (inside or token.startswith("["))
    return "".join(words)


def _token_for_re2(token: str, inside: bool) -> str:
    if token.startswith("\\u") and len(token) > 2:
        return f"\\x{{{token[2:].strip('{}')}}}"
    if token.startswith("\\c") and len(token) == 3:
        return f"\\x{{{ord(token[2]) % 32:x}}}"
    if token in ("\\s", "\\S"):
        members = _SPACES if token == "\\s" else _NOT_SPACES
        return members if inside else f"[{members}]"
    if token == "." and not inside:
        return _ANY
    return token
