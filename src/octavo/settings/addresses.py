"""Parse server addresses: `host`, `host:port`, `[::1]:5432`, the folder of a socket; several separated by commas.

Raises ValueError, whose message never contains the address.
"""

from typing import Final

EXPECTED: Final = "host or host:port"
_PORTS: Final = range(1, 65536)


def read_places(text: str, port: int) -> tuple[tuple[str, int], ...]:
    """Return host and port of each server. `port` is the default."""
    return tuple(_place(part.strip(), port) for part in text.split(","))


def _place(text: str, port: int) -> tuple[str, int]:
    if text.startswith("/") or (text.count(":") > 1 and not text.startswith("[")):
        return text, port
    host, colon, number = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    if not colon:
        host = text
    elif not number.isdecimal() or int(number) not in _PORTS:
        raise ValueError(EXPECTED)
    host = host.removeprefix("[").removesuffix("]")
    if not host:
        raise ValueError(EXPECTED)
    return host, int(number) if colon else port
