"""`Cache-Control` of answers as settings say it: read, checked, made safe for whoever asked (RFC 9111, RFC 5861)."""

import re
from typing import Final

PRIVATE: Final = b"private, no-cache"
"""Kept by nobody but who asked, and not used again without asking."""

_SECONDS: Final = frozenset({"max-age", "s-maxage", "stale-while-revalidate", "stale-if-error"})
_WORDS: Final = frozenset(
    {"public", "private", "no-cache", "no-store", "no-transform", "must-revalidate", "proxy-revalidate", "immutable"}
)
_SHARED: Final = frozenset({"public", "s-maxage", "proxy-revalidate"})
_DIRECTIVE: Final = re.compile(r"([a-z-]+)(?:=(\d{1,10}))?")


def read_cache_control(text: str) -> str:
    """The directives of a text, in one spelling. Raises ValueError for what HTTP does not know, or what says twice or
    against itself who may keep an answer."""
    found: dict[str, str | None] = {}
    for part in text.lower().split(","):
        match = _DIRECTIVE.fullmatch(part.strip())
        if match is None or match[1] in found or (match[1] not in (_WORDS if match[2] is None else _SECONDS)):
            raise ValueError(part)
        found[match[1]] = match[2]
    if "private" in found and not _SHARED.isdisjoint(found):
        raise ValueError(text)
    return ", ".join(name if seconds is None else f"{name}={seconds}" for name, seconds in found.items())


def kept_by_asker(directives: str) -> str:
    """The same for an answer that is meant for one: kept by nobody else."""
    mine = [part for part in directives.split(", ") if part.partition("=")[0] not in _SHARED]
    return ", ".join(mine if {"private", "no-store"} & set(mine) else ["private", *mine])


def lets_others_keep(directives: str) -> bool:
    """Whether caches that serve others may keep an answer."""
    return any(part.partition("=")[0] in _SHARED for part in directives.split(", "))
