"""Scripts of SQL, as people write them into files: cut into statements, each with the line where it begins.

Only so much is understood as that needs: what is quoted, what is a comment, and which statements hold others.
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
    """How a database reads a script, beyond what all have in common. `quoted` and `blocks` are regular expressions.

    `quoted`: further forms of what is quoted; its group `tag`, if there is one, comes again at the end. `blocks`: the
    first words of statements that hold others, up to an END behind a semicolon.
    """

    quoted: str
    blocks: str
    nested_comments: bool = False


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement, without the semicolon at its end, and the line it begins at, counted from 1."""

    line: int
    text: str

    @property
    def first_word(self) -> str:
        """What it does, in capitals; empty where it begins with no word."""
        found = re.match(r"\w+", self.text)
        return found[0].upper() if found else ""


class InvalidScript(ValueError):
    """A script cannot be cut into statements; `line` is where that begins."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def statements_of(script: str, rules: ScriptRules) -> Iterator[ScriptStatement]:
    """The statements of a script, in order. Raises InvalidScript where something is quoted without an end."""
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
    """Whether a statement with these words goes on behind a semicolon."""
    return words[-2:] != [";", "END"] and re.search(rules.blocks, " ".join(words[1:])) is not None


def _line(script: str, offset: int) -> int:
    return script.count("\n", 0, offset) + 1


@cache
def _pattern(quoted: str) -> re.Pattern[str]:
    return re.compile(f"{quoted} | (?P<common>{_COMMON}) | {_WORDS} | (?P<other>[^\\s])", re.VERBOSE | re.DOTALL)


def _tokens(script: str, rules: ScriptRules) -> Iterator[tuple[str, int, int]]:
    """Kind, beginning and end of everything that is neither space nor comment."""
    pattern, place = _pattern(rules.quoted), 0
    while found := pattern.search(script, place):
        kind, start, place = found.lastgroup or "quoted", found.start(), found.end()
        if kind == "open":
            raise InvalidScript(_line(script, start), f"what {script[start]} begins has no end")
        if kind == "comment":
            place = _comment_end(script, start, rules.nested_comments)
        elif kind == "tag":
            place = script.find(found[0], place) + len(found[0])
            if place < found.end() + len(found[0]):
                raise InvalidScript(_line(script, start), f"what {found[0]} begins has no end")
        if kind != "comment" and not found[0].startswith("--"):
            yield kind, start, place


def _comment_end(script: str, start: int, nested: bool) -> int:
    depth = 0
    for sign in _COMMENT_SIGN.finditer(script, start):
        depth = max(depth, 1) if sign[0] == "/*" and not nested else depth + (1 if sign[0] == "/*" else -1)
        if depth == 0:
            return sign.end()
    raise InvalidScript(_line(script, start), "a comment has no end")
