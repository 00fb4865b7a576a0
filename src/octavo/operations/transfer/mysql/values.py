"""Decoders of MySQL's column types: the values that `plain_values` reads.

Decimals, days and times are texts, instants milliseconds since 1970 (UTC), bit fields integers. Zero dates
(`0000-00-00`), MySQL's form of a missing date, are None. Other invalid dates are returned unchanged, as text.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from asyncmy.constants import FIELD_TYPE
from asyncmy.converters import conversions

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_ZERO: Final = "0000-00-00"

Decoder = Callable[[Any], Any]


def decoders(zone: tzinfo) -> dict[Any, Decoder]:
    """Return asyncmy's converters with these decoders. `zone`: the time zone of stored instants."""
    instant = instant_decoder(zone)
    return {
        **conversions,
        FIELD_TYPE.BIT: bits,
        FIELD_TYPE.DATE: day,
        FIELD_TYPE.NEWDATE: day,
        FIELD_TYPE.DATETIME: instant,
        FIELD_TYPE.TIMESTAMP: instant,
        FIELD_TYPE.DECIMAL: text,
        FIELD_TYPE.NEWDECIMAL: text,
        FIELD_TYPE.TIME: text,
    }


def text(stored: str | bytes) -> str:
    """Return a value as text."""
    return stored.decode() if isinstance(stored, bytes) else stored


def bits(stored: bytes) -> int:
    """Return a bit field as a number."""
    return int.from_bytes(stored, "big")


def day(stored: str | bytes) -> str | None:
    """Return a day as `yyyy-MM-dd`, or None for a zero date."""
    stored_text = text(stored)
    return None if stored_text == _ZERO else stored_text


def instant_decoder(zone: tzinfo) -> Decoder:
    """Return the decoder of instants that were stored as local times of a zone."""

    def decode(stored: str | bytes) -> int | str | None:
        found = text(stored)
        if found.startswith(_ZERO):
            return None
        try:
            local = datetime.fromisoformat(found)
        except ValueError:
            return found
        return (local.replace(tzinfo=zone) - _EPOCH) // _MILLISECOND

    return decode
