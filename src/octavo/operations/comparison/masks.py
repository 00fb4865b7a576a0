"""Mask values that differ between two services without meaning: ids, times, hosts, and attributes by name or path."""

import re
from collections.abc import Iterable
from typing import Any, Final

TIMES: Final = frozenset({"createdAt", "updatedAt", "publishedAt"})
KINDS: Final = ("ids", "times", "hosts")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.:+-]*Z?")
_DIGIT: Final = re.compile(r"\d")

Path = tuple[str | int, ...]


def shape_of(path: Path) -> str:
    """Return a JSON path with `[*]` for each index."""
    return "$" + "".join("[*]" if isinstance(part, int) else f".{part}" for part in path)


def text_of(path: Path) -> str:
    """Return a JSON path: `$.data[0].attributes.title`."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


class Masks:
    """Replaces values by their form, so that only values of another form differ.

    `hosts` are `name` or `name:port`. `names` are attribute names or paths such as `$.data[*].attributes.views`.
    `exact` are the kinds of values that are compared exactly: `ids`, `times`, `hosts`.
    """

    def __init__(self, hosts: Iterable[str] = (), names: Iterable[str] = (), exact: Iterable[str] = ()) -> None:
        exact, names = frozenset(exact), tuple(names)
        self._ids, self._times = "ids" not in exact, "times" not in exact
        self._names = frozenset(name for name in names if not name.startswith("$"))
        self._paths = frozenset(name for name in names if name.startswith("$"))
        known = "|".join(re.escape(host) for host in sorted(set(hosts), key=len, reverse=True) if host)
        masks_hosts = known and "hosts" not in exact
        self._origins = re.compile(rf"https?://(?:{known})(?![\w.:-])", re.IGNORECASE) if masks_hosts else None

    def value(self, value: Any, path: Path = ()) -> Any:
        """Return a JSON value with masked parts."""
        if self._names or self._paths:
            name = path[-1] if path else ""
            if name in self._names or (self._paths and shape_of(path) in self._paths):
                return "<masked>"
        if isinstance(value, dict):
            return {key: self.value(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, (*path, index)) for index, item in enumerate(value)]
        return self._scalar(value, path[-1] if path else "")

    def _scalar(self, value: Any, name: str | int) -> Any:
        if self._ids and name == "id":
            if isinstance(value, int) and not isinstance(value, bool):
                return "<id>"
            return "<id as text>" if isinstance(value, str) and value.isdigit() else value
        if not isinstance(value, str):
            return value
        if self._times and name in TIMES and _TIME.fullmatch(value):
            return _DIGIT.sub("0", value)
        return self.text(value)

    def text(self, text: str) -> str:
        """Return a text with masked hosts."""
        return self._origins.sub("<host>", text) if self._origins else text
