"""Convert between names of files, their keys in a bucket and their URLs; and cache signed URLs.

A name is the part below the storage's root folder; a key is the root and the name; a URL is a base and a key.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import quote, unquote

from octavo.content.media.storage.base import UNUSABLE

_MOST_SIGNED: Final = 10_000


class ObjectNames:
    """Names below a root folder. `bases` are the base URLs for keys; new files use the first."""

    def __init__(self, root: str, bases: Sequence[str]) -> None:
        self.root = f"{root.strip('/')}/" if root.strip("/") else ""
        self._bases = [base.rstrip("/") for base in bases]

    def key_of(self, name: str) -> str:
        """Return a file's key. Raises ValueError, because names are generated or were validated when read."""
        if not is_key(name):
            raise ValueError(f"not a valid file name: {name!r}")
        return self.root + name

    def url_of(self, name: str) -> str:
        """Return a file's public URL."""
        return f"{self._bases[0]}/{quote(self.root + name)}"

    def find(self, url: str) -> str | None:
        """Return the name in a URL with one of the bases; otherwise None."""
        found = self._below(url)
        return found if found is not None and is_key(found) else None

    def find_or_guess(self, url: str) -> str | None:
        """Return the name in a URL; with another base, the file is assumed to be directly below the root."""
        found = self._below(url)
        if found is None:
            found = unquote(url.partition("?")[0]).rpartition("/")[2]
        return found if is_key(found) else None

    def _below(self, url: str) -> str | None:
        plain = unquote(url.partition("?")[0])
        begins = (f"{unquote(base)}/{self.root}" for base in self._bases)
        return next((plain.removeprefix(begin) for begin in begins if plain.startswith(begin)), None)


def is_key(name: str) -> bool:
    """Return whether a name stays below its folder in any bucket."""
    return all(part not in ("", ".", "..") and UNUSABLE.search(part) is None for part in name.split("/"))


class SignedAddresses:
    """A cache of signed URLs. Each is reused for half of its lifetime, so that browsers can cache files."""

    def __init__(self, seconds: float, sign: Callable[[str], str]) -> None:
        self._seconds = seconds
        self._sign = sign
        self._signed: dict[str, tuple[float, str]] = {}

    def of(self, name: str) -> str:
        """Return the signed URL of a file."""
        now = time.monotonic()
        until, signed = self._signed.get(name, (0.0, ""))
        if now < until:
            return signed
        signed = self._sign(name)
        if len(self._signed) >= _MOST_SIGNED:
            self._signed.clear()
        self._signed[name] = (now + self._seconds / 2, signed)
        return signed
