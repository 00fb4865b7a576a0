"""What an answer may cost: the values it would have if every list were as long as it may be.

Depth and size of a document do not bound it: lists within lists multiply. Counted while the selection set is
translated, before anything is asked of the database.
"""

from octavo.errors import ValidationError

REPEATED = 10
"""How many components are supposed where nobody says how many: a list without arguments."""


class Cost:
    """The values of one operation so far."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = 0

    def add(self, values: int) -> None:
        """Count values in. Raises ValidationError when they are too many."""
        self._values += values
        if self._values > self._most:
            message = f"The answer could have more than {self._most} values; ask for fewer entries or fields"
            raise ValidationError(message)
