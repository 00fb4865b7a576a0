"""Rows: what a key of v4's configuration means for Octavo. A table of them for each file of v4 is in `table_*`.

Every key of a project is matched with the row of its path, or of the nearest path above that has one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.keys import Key
from octavo.settings.model import TABLES
from octavo.v4.config.convert import Converter, same

KEYS: Final[Mapping[str, Key]] = {f"{key.file}.{key.dotted}": key for table in TABLES.values() for key in table.rows()}
"""All settings by file and key: `api.rest.maxLimit`, `secrets.apiTokenSalt`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one key of v4 says of one setting; `inside` names the place within a table of free names."""

    setting: str
    value: Any
    inside: tuple[str, ...] = ()


Readings = Iterable[Reading]
Reader = Callable[[Any], Readings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a key means: `read` gives settings for its value, or `why` says that there is nothing to give.

    A key that cannot be known without running code, or that `read` refuses with ValueError, has no effect, but:
    `closed` are the settings that hold then, and `stops` names those without which there is no start.
    """

    path: tuple[str, ...]
    read: Reader | None = None
    settings: tuple[str, ...] = ()
    closed: tuple[Reading, ...] = ()
    stops: tuple[str, ...] = ()
    why: str = ""


def take(path: str, setting: str, convert: Converter = same, *, closed: Any = None, stops: bool = False) -> Row:
    """One key, one setting. With `closed`, that value holds where the key's cannot be known."""
    return Row(
        path=steps(path),
        read=lambda value: [Reading(setting, convert(value))],
        settings=(setting,),
        closed=() if closed is None else (Reading(setting, closed),),
        stops=(setting,) if stops else (),
    )


def several(path: str, read: Reader, *settings: str, closed: Iterable[Reading] = (), stops: Iterable[str] = ()) -> Row:
    """One key, and whatever `read` makes of it."""
    return Row(path=steps(path), read=read, settings=settings, closed=tuple(closed), stops=tuple(stops))


def idle(why: str, *paths: str) -> tuple[Row, ...]:
    """Keys that mean nothing here, for one reason."""
    return tuple(Row(path=steps(path), why=why) for path in paths)


def steps(path: str) -> tuple[str, ...]:
    """`rest.maxLimit` -> `("rest", "maxLimit")`."""
    return tuple(path.split(".")) if path else ()
