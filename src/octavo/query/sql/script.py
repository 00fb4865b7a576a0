"""Split SQL scripts into statements, each with its line number.

The parser recognizes only what this requires: quotes, comments, and statements that contain others.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from octavo.core.values import dataclass

_COMMON: Final = r"'[^']*' | \"[^\"]*\" | --[^\n]*"
_WORDS: Final = r"(?P<word>[^\W\d]\w*) | (?P<sign>[;()]) | (?P<comment>/\*) | (?P<open>['\"])"
_COMMENT_SIGN: Final = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class ScriptRules:
    """The database-specific syntax of scripts. `quoted` and `blocks` are regular expressions.

    `quoted`: further quoting styles; if there is a group `tag`, its text also ends the quote. `blocks`: the first words
    of statements that contain others, up to an END after a semicolon.
    """

    quoted: str
    blocks: str
    nested_comments: bool = False


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement, without the final semicolon, and the line it starts at, counted from 1."""

    line: int
    text: str

    @property
    def first_word(self) -> str:
        """The statement's first word in upper case, or an empty text."""
        match = re.match(r"\w+", self.text)
        return match[0].upper() if match else ""


class InvalidScript(ValueError):
    """A script cannot be split into statements. `line` is the position of the error."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def statements_of(script: str, rules: ScriptRules) -> Iterator[ScriptStatement]:
    """Yield the statements of a script, in order. Raises InvalidScript for an unterminated quote."""
    begin: int | None = None
    end, depth, words = 0, 0, [""]
    line, counted = 1, 0
    for kind, start, end in _tokens(script, rules):
        text = script[start:end]
        if text == ";" and depth <= 0 and not _holds_more(words, rules):
            if begin is not None:
                yield ScriptStatement(line, script[begin:start].rstrip())
            begin, depth, words = None, 0, [""]
            continue
        if begin is None:
            begin, line, counted = start, line + script.count("\n", counted, start), start
        depth += {"(": 1, ")": -1}.get(text, 0)
        if kind in ("word", "sign"):
            words.append(text.upper())
    if begin is not None:
        yield ScriptStatement(line, script[begin:end].rstrip())


def _holds_more(words: list[str], rules: ScriptRules) -> bool:
    """Return whether a statement with these words continues after a semicolon."""
    return words[-2:] != [";", "END"] and re.search(rules.blocks, " ".join(words[1:])) is not None


def _line(script: str, offset: int) -> int:
    return script.count("\n", 0, offset) + 1


@cache
def _pattern(quoted: str) -> re.Pattern[str]:
    return re.compile(f"{quoted} | (?P<common>{_COMMON}) | {_WORDS} | (?P<other>[^\\s])", re.VERBOSE | re.DOTALL)


def _tokens(script: str, rules: ScriptRules) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of every token except whitespace and comments."""
    pattern, place = _pattern(rules.quoted), 0
    while match := pattern.search(script, place):
        kind, start, place = match.lastgroup or "quoted", match.start(), match.end()
        if kind == "open":
            raise InvalidScript(_line(script, start), f"{script[start]} is not closed")
        if kind == "comment":
            place = _comment_end(script, start, rules.nested_comments)
        elif kind == "tag":
            place = script.find(match[0], place) + len(match[0])
            if place < match.end() + len(match[0]):
                raise InvalidScript(_line(script, start), f"{match[0]} is not closed")
        if kind != "comment" and not match[0].startswith("--"):
            yield kind, start, place


def _comment_end(script: str, start: int, nested: bool) -> int:
    depth = 0
    for sign in _COMMENT_SIGN.finditer(script, start):
        depth = max(depth, 1) if sign[0] == "/*" and not nested else depth + (1 if sign[0] == "/*" else -1)
        if depth == 0:
            return sign.end()
    raise InvalidScript(_line(script, start), "a comment is not closed")
