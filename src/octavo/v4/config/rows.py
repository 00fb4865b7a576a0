"""Rows: the meaning of v4's configuration keys. The modules `table_*` contain a table of them for each file.

Every key of a project is matched with the row of its path, or of the nearest parent path that has one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.keys import Key
from octavo.settings.model import TABLES
from octavo.v4.config.convert import Converter, same

KEYS: Final[Mapping[str, Key]] = {f"{key.file}.{key.dotted}": key for table in TABLES.values() for key in table.rows()}
"""All settings by file and key: `api.rest.maxLimit`, `secrets.apiTokenSalt`."""

NOT_CONFIGURABLE: Final = "not configurable in Octavo"
SCHEDULED_TASKS: Final = "scheduled tasks are code, which does not run; write them in src/cron.py"


@dataclass(frozen=True, slots=True)
class Reading:
    """A key's value for a setting. `inside` is the path within a table with arbitrary names."""

    setting: str
    value: Any
    inside: tuple[str, ...] = ()


Readings = Iterable[Reading]
Reader = Callable[[Any], Readings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The meaning of a key. `read` returns settings for its value, or `why` explains their absence.

    A key whose value is unknown without running code, or for which `read` raises ValueError, has no effect, except:
    `closed` are the settings that apply then, and `stops` names those that the start requires.
    """

    path: tuple[str, ...]
    read: Reader | None = None
    settings: tuple[str, ...] = ()
    closed: tuple[Reading, ...] = ()
    stops: tuple[str, ...] = ()
    why: str = ""


def take(path: str, setting: str, convert: Converter = same, *, closed: Any = None, stops: bool = False) -> Row:
    """Map one key to one setting. With `closed`, that value applies if the key's value is unknown."""
    return Row(
        path=steps(path),
        read=lambda value: [Reading(setting, convert(value))],
        settings=(setting,),
        closed=() if closed is None else (Reading(setting, closed),),
        stops=(setting,) if stops else (),
    )


def several(path: str, read: Reader, *settings: str, closed: Iterable[Reading] = (), stops: Iterable[str] = ()) -> Row:
    """Map one key to the settings that `read` returns."""
    return Row(path=steps(path), read=read, settings=settings, closed=tuple(closed), stops=tuple(stops))


def idle(why: str, *paths: str) -> tuple[Row, ...]:
    """Return rows for keys that have no effect, for one reason."""
    return tuple(Row(path=steps(path), why=why) for path in paths)


def steps(path: str) -> tuple[str, ...]:
    """Split a path: `rest.maxLimit` -> `("rest", "maxLimit")`."""
    return tuple(path.split(".")) if path else ()
