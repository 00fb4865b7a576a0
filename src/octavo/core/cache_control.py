"""`Cache-Control` of answers as settings say it: read, checked, made safe for whoever asked (RFC 9111, RFC 5861)."""

import re
from typing import Final

from octavo.core.text_limits import close_match

PRIVATE: Final = b"private, no-cache"
"""Kept by nobody but who asked, and not used again without asking."""

_SECONDS: Final = frozenset({"max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"})
_WORDS: Final = frozenset(
    {"public", "private", "no-cache", "no-store", "no-transform", "must-revalidate", "proxy-revalidate", "immutable"}
)
_SHARED: Final = frozenset({"public", "s-maxage", "proxy-revalidate"})
_VALUE: Final = re.compile(r"[0-9]{1,10}")


def read_cache_control(text: str) -> str:
    """The directives of a text, in one spelling. Raises ValueError, which tells each that HTTP does not know, and what
    says twice or against itself who may keep an answer."""
    found: dict[str, str] = {}
    wrong: list[str] = []
    for part in text.lower().split(","):
        name, sign, value = part.strip().partition("=")
        problem = f"{name} is there twice" if name in found else _problem(name, value if sign else None)
        if problem is not None:
            wrong.append(problem)
        found[name] = part.strip()
    against = sorted(_SHARED & found.keys()) if "private" in found else []
    if against:
        wrong.append(f"private contradicts {' and '.join(against)}")
    if wrong:
        raise ValueError("; ".join(wrong))
    return ", ".join(found.values())


def _problem(name: str, value: str | None) -> str | None:
    """What is wrong with a directive, if anything is."""
    if name in _SECONDS:
        is_number = value is not None and _VALUE.fullmatch(value)
        return None if is_number else f"{name} needs seconds, as in {name}=60"
    if name in _WORDS:
        return None if value is None else f"{name} takes no value"
    near = close_match(name, sorted(_SECONDS | _WORDS))
    return f'there is no directive "{name}"' + ("" if near is None else f"; did you mean {near}?")


def shared_directives(directives: str) -> list[str]:
    """Those that let caches keep an answer that serve others."""
    return [name for part in directives.split(", ") if (name := part.partition("=")[0]) in _SHARED]


def kept_by_asker(directives: str) -> str:
    """The same for an answer that is meant for one: kept by nobody else."""
    mine = [part for part in directives.split(", ") if part.partition("=")[0] not in _SHARED]
    return ", ".join(mine if {"private", "no-store"} & set(mine) else ["private", *mine])
