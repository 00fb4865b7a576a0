"""The configuration files of a v4 project, read as trees, and the files that have no effect."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Final

from octavo.settings.findings import Finding, Outcome
from octavo.v4.config.rows import SCHEDULED_TASKS
from octavo.v4.config.tree import Hole, Items, Leaf, Node, Place, Table
from octavo.v4.javascript.config import config_files, read_config
from octavo.v4.javascript.values import Hole as UnknownPart
from octavo.v4.javascript.values import Items as ValueList
from octavo.v4.javascript.values import Record, Value

_CODE: Final = {
    "cron-tasks": SCHEDULED_TASKS,
    "functions": "code, which does not run",
}
_OWN: Final = "not a file of v4; only project code reads it"
_NO_DATA: Final = "code instead of data"


class ConfigFiles:
    """`config/`, merged with `config/env/<NODE_ENV>/`, read as data."""

    def __init__(self, project: Path, variables: Mapping[str, str], environment: str) -> None:
        self._project = project
        self._environment = environment
        self._config = read_config(project, environment, variables).value

    def read(self, name: str) -> Node | None:
        """Return the merged content of the files with that name, or None if there are none."""
        value = self._config.at(name)
        return None if value.is_undefined else _node(value)

    def unset(self, keys: Mapping[str, Mapping[tuple[str, ...], str]]) -> list[Finding]:
        """Return findings for keys without effect because a variable is unset. `keys` maps them to settings, by
        file."""
        return [
            Finding(
                outcome=Outcome.IDLE,
                file=value.place.file,
                line=value.place.line,
                key=".".join(map(str, path)),
                setting=known.get(path, ""),
                message=f"has no value: the variable {one.name} is not set",
            )
            for name, known in keys.items()
            for path, value in self._config.at(name).walk()
            for one in value.variables[:1]
            if value.is_undefined and not one.is_set
        ]

    def others(self, known: Container[str]) -> list[Finding]:
        """Return findings for the other files in `config/`."""
        folders = (self._project / "config", self._project / "config" / "env" / self._environment)
        paths = (path for folder in folders for path in config_files(folder, self._project))
        return [
            Finding(
                outcome=Outcome.IDLE,
                file=path.relative_to(self._project).as_posix(),
                line=1,
                key="",
                message=_CODE.get(path.stem, _OWN),
            )
            for path in paths
            if path.stem not in known
        ]


def _node(value: Value) -> Node:
    place = Place(value.place.file, value.place.line)
    match value.data:
        case Record() as record:
            members = {name: _node(member) for name, member in record.items() if not member.is_undefined}
            return Table(members, place, _hole(record.rest))
        case ValueList() as items:
            return Items(tuple(_node(item) for item in items), place, _hole(items.rest))
        case UnknownPart() as part:
            return Hole(part.reason, place)
        case None | str() | int() | float() as scalar:
            unset = next((one.name for one in value.variables if not one.is_set), None)
            return Leaf(scalar, place, value.is_from_code, unset)
        case _ if value.is_undefined:
            return Leaf(None, place)
    return Hole(_NO_DATA, place)


def _hole(part: UnknownPart | None) -> Hole | None:
    """Return a hole without the source text, which may be a secret."""
    return None if part is None else Hole(part.reason, Place(part.place.file, part.place.line))
