"""`Cache-Control` of responses from settings: parse, validate and restrict to the client (RFC 9111, RFC 5861)."""

import re
from typing import Final

from octavo.core.text_limits import close_match

PRIVATE: Final = b"private, no-cache"
"""Only the client may store the response, and has to revalidate it."""

_SECONDS: Final = frozenset({"max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"})
_WORDS: Final = frozenset(
    {"public", "private", "no-cache", "no-store", "no-transform", "must-revalidate", "proxy-revalidate", "immutable"}
)
_SHARED: Final = frozenset({"public", "s-maxage", "proxy-revalidate"})
_VALUE: Final = re.compile(r"[0-9]{1,10}")


def read_cache_control(text: str) -> str:
    """Return the normalized directives. Raises ValueError, which lists unknown, duplicate and contradictory
    directives."""
    directives: dict[str, str] = {}
    wrong: list[str] = []
    for part in text.lower().split(","):
        name, sign, value = part.strip().partition("=")
        problem = f"{name} appears twice" if name in directives else _problem(name, value if sign else None)
        if problem is not None:
            wrong.append(problem)
        directives[name] = part.strip()
    against = sorted(_SHARED & directives.keys()) if "private" in directives else []
    if against:
        wrong.append(f"private contradicts {' and '.join(against)}")
    if wrong:
        raise ValueError("; ".join(wrong))
    return ", ".join(directives.values())


def _problem(name: str, value: str | None) -> str | None:
    """Return the error of a directive, or None."""
    if name in _SECONDS:
        is_number = value is not None and _VALUE.fullmatch(value)
        return None if is_number else f"{name} requires seconds, such as {name}=60"
    if name in _WORDS:
        return None if value is None else f"{name} takes no value"
    near = close_match(name, sorted(_SECONDS | _WORDS))
    return f'unknown directive "{name}"' + ("" if near is None else f"; did you mean {near}?")


def shared_directives(directives: str) -> list[str]:
    """Return the directives that let shared caches store a response."""
    return [name for part in directives.split(", ") if (name := part.partition("=")[0]) in _SHARED]


def private_cache_control(directives: str) -> str:
    """Return the directives for a response to one user: no shared cache may store it."""
    mine = [part for part in directives.split(", ") if part.partition("=")[0] not in _SHARED]
    return ", ".join(mine if {"private", "no-store"} & set(mine) else ["private", *mine])
