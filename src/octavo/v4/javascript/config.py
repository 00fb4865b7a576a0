"""Read the configuration of a v4 project: `config/*`, merged with `config/env/<environment>/*`."""

from collections.abc import Mapping
from pathlib import Path

from octavo.core.values import dataclass
from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.source import Place, SourceProblem, name_in, resolved_inside
from octavo.v4.javascript.values import UNDEFINED, Hole, Items, Record, Value

SUFFIXES = (".cjs", ".mjs", ".ts", ".json", ".js")
"""Of several files with the same name, the last suffix in this list wins."""


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """`value` has a key for each file (`server`, `database`, ...). `problems` are unreadable files; each is a hole in
    `value`."""

    value: Value
    problems: tuple[SourceProblem, ...] = ()


def read_config(project: Path, environment: str, variables: Mapping[str, str]) -> ProjectConfig:
    """Read every file of `config/`. `variables` is the environment of the process together with `.env`."""
    reader = Reader(project, variables, environment)
    problems: list[SourceProblem] = []
    environment = reader.variables["NODE_ENV"]
    value = _read_folder(reader, reader.project / "config", problems)
    if _is_name(environment):
        value = merged(value, _read_folder(reader, reader.project / "config" / "env" / environment, problems))
    return ProjectConfig(value, tuple(problems))


def _is_name(environment: str) -> bool:
    return environment not in ("", ".", "..") and not set(environment) & set("/\\\0")


def _read_folder(reader: Reader, folder: Path, problems: list[SourceProblem]) -> Value:
    record = Record()
    for path in config_files(folder, reader.project):
        try:
            value = reader.read_config(path)
        except SourceProblem as problem:
            problems.append(problem)
            value = Value(Hole(problem.place, path.name, problem.message), problem.place)
        record[path.stem] = value
    return Value(record, Place(name_in(folder, reader.project)))


def config_files(folder: Path, project: Path) -> list[Path]:
    """Return the configuration files of a folder, one for each name."""
    if resolved_inside(folder, project) is None:
        return []
    files = [path for path in folder.iterdir() if path.suffix in SUFFIXES and not path.name.endswith(".d.ts")]
    by_name = {path.stem: path for path in sorted(files, key=lambda path: SUFFIXES.index(path.suffix))}
    return [by_name[name] for name in sorted(by_name)]


def merged(base: Value, over: Value) -> Value:
    """Merge `over` into `base` as v4 does: objects by key, lists by index, `undefined` changes nothing, other values
    are replaced. If a hole and an object are merged, the hole replaces it, because what it would keep is unknown."""
    if over.data is UNDEFINED:
        return over if base.data is UNDEFINED else base
    if isinstance(base.data, Record) and isinstance(over.data, Record):
        return _merged_records(base, base.data, over, over.data)
    if isinstance(base.data, Items) and isinstance(over.data, Items):
        if over.data.rest is not None:
            return over
        both = [merged(one, other) for one, other in zip(base.data, over.data, strict=False)]
        longer = base.data if len(base.data) > len(over.data) else over.data
        return Value(Items([*both, *longer[len(both) :]], base.data.rest), over.place)
    return over


def _merged_records(base: Value, below: Record, over: Value, above: Record) -> Value:
    rest = above.rest or below.rest
    record = Record(rest=rest)
    for key, value in below.items():
        record[key] = Value(above.rest, value.place) if above.rest is not None else value
    for key, value in above.items():
        record[key] = merged(below.get(key, Value(UNDEFINED, value.place)), value)
    return Value(record, over.place, base.variables)
