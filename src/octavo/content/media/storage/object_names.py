"""How the names of files, their keys in a bucket and their addresses belong together; and signed addresses, kept.

A name is what is below the root folder of the storage; a key has the root before it; an address is a base and a key.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import quote, unquote

_MOST_SIGNED: Final = 10_000


class ObjectNames:
    """Names below a root folder. `bases` are addresses under which the keys are found; new files have the first."""

    def __init__(self, root: str, bases: Sequence[str]) -> None:
        self.root = f"{root.strip('/')}/" if root.strip("/") else ""
        self._bases = [base.rstrip("/") for base in bases]

    def key_of(self, name: str) -> str:
        """Where a file lies. Raises ValueError: names are our own, or checked when they were read."""
        if not is_key(name):
            raise ValueError(f"not a name for a stored file: {name!r}")
        return self.root + name

    def url_of(self, name: str) -> str:
        """Where a file is fetched."""
        return f"{self._bases[0]}/{quote(self.root + name)}"

    def find(self, url: str) -> str | None:
        """The name of the file with an address that is one of ours."""
        found = self._below(url)
        return found if found is not None and is_key(found) else None

    def find_or_guess(self, url: str) -> str | None:
        """The same; a file with an address of another form lies directly below the root."""
        found = self._below(url)
        if found is None:
            found = unquote(url.partition("?")[0]).rpartition("/")[2]
        return found if is_key(found) else None

    def _below(self, url: str) -> str | None:
        plain = unquote(url.partition("?")[0])
        begins = (f"{unquote(base)}/{self.root}" for base in self._bases)
        return next((plain.removeprefix(begin) for begin in begins if plain.startswith(begin)), None)


def is_key(name: str) -> bool:
    """Whether a name stays below its folder in any bucket."""
    return name.isprintable() and "\\" not in name and all(part not in ("", ".", "..") for part in name.split("/"))


class SignedAddresses:
    """The same signed address for half of its life, so that browsers can keep what they fetched."""

    def __init__(self, seconds: float, sign: Callable[[str], str]) -> None:
        self._seconds = seconds
        self._sign = sign
        self._signed: dict[str, tuple[float, str]] = {}

    def of(self, name: str) -> str:
        """The signed address of a file."""
        now = time.monotonic()
        until, signed = self._signed.get(name, (0.0, ""))
        if now < until:
            return signed
        signed = self._sign(name)
        if len(self._signed) >= _MOST_SIGNED:
            self._signed.clear()
        self._signed[name] = (now + self._seconds / 2, signed)
        return signed
