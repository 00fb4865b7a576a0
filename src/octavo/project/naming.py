"""Convert names between Python's methods and v4's actions."""

import re
from collections.abc import Iterable
from typing import Final

from octavo.core.text_limits import close_match

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def action_name(name: str) -> str:
    """Return the action of a method: `findOne` for `find_one`. An action name is unchanged."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def method_name(name: str) -> str:
    """Return the method of an action: `find_one` for `findOne`."""
    return _CAPITAL.sub("_", name).lower()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message with the most similar known name, or an empty text."""
    near = close_match(name, known)
    return "" if near is None else f"; did you mean {near}?"
