"""Rewrite graphql-core's error messages to those of graphql-js, which v4 uses: double quotes, and some other texts.

Values quoted from the document are in double quotes already and stay unchanged.
"""

import re
from collections.abc import Callable
from typing import Final

from graphql import GraphQLError, GraphQLSyntaxError

_QUOTED = re.compile(r'"""(?:\\"""|[^"]|"(?!""))*"""|"(?:\\.|[^"\\])*"?|\'([^\']*)\'', re.DOTALL)
_LONGEST: Final = 2000
"""Maximum length of a message to rewrite: longer ones quote input of the caller."""

_OWN_WORDS: Final = ("Date ", "DateTime ", "BigInt ", "Upload ")
"""Prefixes of messages of Octavo's scalars, which are not rewritten."""


def _unknown_sign(found: re.Match[str]) -> str:
    number = int(found[1], 16)
    if number > 0xFFFF:  # JavaScript reports the first surrogate
        number = 0xD800 + ((number - 0x10000) >> 10)
    verb = "parse the unexpected" if number >= 0x20 else "contain the invalid"
    return f'Cannot {verb} character "\\u{number:04X}".'


def _location(found: re.Match[str]) -> str:
    return f"may not be used on {found[1].upper().replace(' ', '_')}."


_REWORDED: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"(?<=^Syntax Error: )Unexpected character: U\+([0-9A-F]+)\."), _unknown_sign),
    (re.compile(r"(?<=^Syntax Error: )Unexpected character: (?=\")"), "Cannot parse the unexpected character "),
    (
        re.compile(r'(?<=^Syntax Error: )Invalid \w+ escape sequence: "(.*)"\.'),
        r"Invalid character escape sequence: \1.",
    ),
    (re.compile(r'(?<=^Syntax Error: )Unexpected variable "\$.*" in constant value\.'), 'Unexpected "$".'),
    (re.compile(r"(?<= not to be )None\.$"), "null."),
    (re.compile(r"(?<= to be )a mapping\.$"), "an object."),
    (re.compile(r"may not be used on ([a-z ]+)\.$"), _location),
)


def reword(message: str) -> str:
    """Rewrite a message of graphql-core to v4's text.

    >>> reword("Cannot query field 'nope' on type 'Query'."), reword("Expected value of type 'Int', found \\"it's\\".")
    ('Cannot query field "nope" on type "Query".', 'Expected value of type "Int", found "it\\'s".')
    """
    if len(message) > _LONGEST or message.startswith(_OWN_WORDS):
        return message
    text = _QUOTED.sub(lambda found: found[0] if found[1] is None else f'"{found[1]}"', message)
    for pattern, words in _REWORDED:
        text = pattern.sub(words, text)
    return text


def worded(error: GraphQLError) -> GraphQLError:
    """Return the error with v4's text."""
    message = reword(error.message)
    if message == error.message:
        return error
    positions = error.positions
    if isinstance(error, GraphQLSyntaxError) and positions and "escape sequence" in message:
        positions = [position + 1 for position in positions]  # the character after the backslash
    return GraphQLError(message, error.nodes, error.source, positions, error.path, error.original_error)
