"""How a database would run a statement, as text: told without running it, and without the values that it is given."""

import re
from typing import Final

_PLACE: Final = re.compile(r"[?$](\d+)")


def no_values(text: str) -> tuple[None, ...]:
    """A value for each place of a statement: nothing."""
    return (None,) * max((int(found[1]) for found in _PLACE.finditer(text)), default=0)
