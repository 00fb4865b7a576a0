"""Modes of encryption in the URLs of MySQL databases."""

from collections.abc import Mapping
from typing import Final

MODES: Final = ("disable", "prefer", "require", "verify-ca", "verify-full")
PARAMETERS: Final = ("sslmode", "ssl-mode", "ssl_mode", "ssl")
"""The names of the query parameter, as the clients of MySQL have it; the first that is given applies."""

_NAMES: Final[Mapping[str, str]] = {
    **{mode: mode for mode in MODES},
    "true": "require",
    "1": "require",
    "false": "disable",
    "0": "disable",
    "disabled": "disable",
    "preferred": "prefer",
    "required": "require",
    "verify-identity": "verify-full",
}


def read_encryption(options: Mapping[str, str]) -> str | None:
    """Return the mode in the query parameters of a URL, if any.

    Raises ValueError for an unknown mode: ignoring it could send the password without encryption.
    """
    given = next((options[name] for name in PARAMETERS if name in options), None)
    if given is None:
        return None
    mode = _NAMES.get(given.lower().replace("_", "-"))
    if mode is None:
        raise ValueError(f"ssl: expected one of {', '.join(MODES)}")
    return mode
