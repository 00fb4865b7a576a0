"""Validate values: reject those that databases cannot store correctly, in the same way for every driver."""

from math import isnan

from octavo.database.connection import UnsuitableValue, Values


def check_values(values: Values) -> None:
    """Reject NUL characters (PostgreSQL cannot store them, SQLite's functions stop at them) and NaN (becomes NULL)."""
    for value in values:
        if value.__class__ is str:
            if "\0" in value:
                raise UnsuitableValue("text with a NUL character")
        elif value.__class__ is float and isnan(value):
            raise UnsuitableValue("NaN is not a number")
