"""Validate the CDNs of `caching.purge.caches`, each by its name and keys."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.settings.files.caching import Caching

Wrong = tuple[str, str]
"""The path below `caching.purge.caches`, and the message."""

KINDS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "purge": (frozenset({"url"}), frozenset({"token", "method", "header"})),
    "fastly": (frozenset({"service", "token"}), frozenset({"url"})),
    "cloudflare": (frozenset({"zone", "token"}), frozenset({"url"})),
}
"""The required and the optional keys of each kind."""

_FORMS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "token": (re.compile(r"[!-~]{1,4096}"), "a token of printable characters"),
    "service": (re.compile(r"[A-Za-z0-9_-]{1,64}"), "the id of a service"),
    "zone": (re.compile(r"[A-Za-z0-9_-]{1,64}"), "the id of a zone"),
    "method": (re.compile(r"[A-Z]{1,16}"), "a method such as PURGE"),
    "header": (re.compile(r"[A-Za-z0-9-]{1,64}"), "the name of a header"),
}


def cache_problems(caching: Caching) -> Iterator[Wrong]:
    """Yield everything that prevents the start. Values are not included, because some are secrets."""
    for name, given in caching.purge.caches.items():
        if given.get("kind") not in KINDS:
            yield f"{name}.kind", f"expected one of {', '.join(KINDS)}"
            continue
        needed, possible = KINDS[given["kind"]]
        for key in sorted(given.keys() - needed - possible - {"kind"}):
            yield f"{name}.{key}", f"unknown key; expected {', '.join(sorted(needed | possible | {'kind'}))}"
        for key in sorted(needed - given.keys()):
            yield f"{name}.{key}", f"missing; {given['kind']} requires it"
        for key in sorted(given.keys() & (needed | possible)):
            problem = _problem(key, given[key])
            if problem is not None:
                yield f"{name}.{key}", problem


def _problem(key: str, value: Any) -> str | None:
    if key == "url":
        return None if isinstance(value, str) and _is_address(value) else "expected a URL such as https://host/path"
    pattern, expected = _FORMS[key]  # digits in environment variables are parsed as numbers
    text = str(value) if type(value) is int else value
    return None if isinstance(text, str) and pattern.fullmatch(text) else f"expected {expected}"


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and has_port and "@" not in parts.netloc
