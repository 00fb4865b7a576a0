"""Variables with the value in a file: `JWT_SECRET_FILE=/run/secrets/jwt` sets `JWT_SECRET` to the file's content.

This works for the variable of each setting, v4's or `OCTAVO_...`, but not for names of the project or a plugin.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from octavo.core.bounded_files import read_own_file
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import LARGEST, PREFIX, V4_VARIABLES, Found, Given, key_of_variable

SUFFIX: Final = "_FILE"


class WithFiles(NamedTuple):
    """Variables including those from files, the paths of the latter, and problems."""

    variables: Mapping[str, str]
    files: Mapping[str, Path]
    problems: tuple[SettingsProblem, ...]


def with_files(project: Path, given: Mapping[str, str], label: str = "") -> WithFiles:
    """Return the variables of one source, named `label` in messages. Paths are relative to the project's folder."""
    variables, files, problems = dict(given), {}, []
    for name in _named(given):
        base, path = name[: -len(SUFFIX)], project / given[name]
        try:
            if given.get(base):
                raise ValueError(f"{base} is set as well; use only one")
            variables[base] = read_value(path)
            files[base] = path
        except OSError as error:
            reason = error.strerror or str(error)
            problems.append(SettingsProblem(label + name, "", f"the file {path} cannot be read: {reason}"))
        except ValueError as error:
            problems.append(SettingsProblem(label + name, "", str(error)))
        del variables[name]
    return WithFiles(variables, files, tuple(problems))


def named_by_file(found: Found, files: Mapping[str, Path], label: str = "") -> Iterator[Given | SettingsProblem]:
    """Yield the same, with the variable that names the file as the source of its content."""
    for one in found:
        is_of_file = one.source.startswith(label) and one.source[len(label) :] in files
        yield replace(one, source=one.source + SUFFIX) if is_of_file else one


def paths_by_source(files: Mapping[str, Path], label: str = "") -> dict[str, Path]:
    """Return the files by the source of their values, as `named_by_file` writes it."""
    return {label + name + SUFFIX: path for name, path in files.items()}


def _named(given: Mapping[str, str]) -> Iterator[str]:
    """Yield the variables that name a file."""
    for name in given:
        base = name[: -len(SUFFIX)]
        if not name.upper().endswith(SUFFIX) or not given[name]:
            continue
        if base in V4_VARIABLES or (name.upper().startswith(PREFIX) and "__" in name and not _is_a_name(name)):
            yield name


def _is_a_name(name: str) -> bool:
    """Return whether a variable itself has a meaning: a setting, or a name used by a project or a plugin."""
    key = key_of_variable(name)
    return key is not None and (not key.is_table or key.row.others or (key.file, *key.path) == ("server", "custom"))


def read_value(path: Path) -> str:
    """Return the content without the final line break. Raises OSError, ValueError."""
    try:
        text = read_own_file(path, LARGEST).decode()
    except UnicodeDecodeError:
        raise ValueError(f"the file {path} is not UTF-8 text") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text.strip():
        raise ValueError(f"the file {path} is empty")
    return text
