"""The source of a setting, for messages about it."""

from typing import Final

from octavo.settings.keys import Key
from octavo.settings.model import TABLES, Settings
from octavo.settings.problems import SettingsProblem
from octavo.settings.values import quoted

_KEYS: Final[dict[tuple[str, ...], Key]] = {key.attributes: key for table in TABLES.values() for key in table.rows()}


def placed(settings: Settings, place: tuple[str, ...], message: str, *inside: str) -> SettingsProblem:
    """Return a problem of a setting, with its source. `inside` are names within its table."""
    key = _KEYS[place]
    file = f"config/{key.file}.toml"
    source = settings.sources.get(place, file)
    silent = next((one for one in settings.findings if one.setting == f"{key.file}.{key.dotted}"), None)
    if place not in settings.sources and silent is not None:  # set by a v4 project, in a key without effect
        return SettingsProblem(silent.place, silent.key, f"{silent.message}; {message}")
    path = key.path[:-1] if key.row.others else key.path
    dotted = ".".join((*path, *map(quoted, inside)))
    return SettingsProblem(source, dotted if source == file else f"{key.file}.{dotted}", message)
