"""How project code and v4 call the same thing: methods in Python's way, actions in JavaScript's."""

import re
from collections.abc import Iterable
from typing import Final

from octavo.core.text_limits import close_match

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def action_name(name: str) -> str:
    """The action of a method: `find_one` is `findOne`. What is an action already stays as it is."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def method_name(name: str) -> str:
    """The method of an action: `findOne` is `find_one`."""
    return _CAPITAL.sub("_", name).lower()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest of the names that there are, as the end of a message."""
    near = close_match(name, known)
    return "" if near is None else f"; did you mean {near}?"
