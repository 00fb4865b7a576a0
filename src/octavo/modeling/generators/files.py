"""Write generated files: all of them, or none."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from octavo.core.values import dataclass


class CannotGenerate(ValueError):
    """The requested files cannot be generated. The message is for the user."""


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file, by its path relative to the project."""

    name: str
    text: str


def write_files(project: Path, files: Iterable[NewFile]) -> Sequence[str]:
    """Write files and return their names. Raises CannotGenerate before writing if one of them exists."""
    listed = list(files)
    present = [file.name for file in listed if (project / file.name).exists()]
    if present:
        raise CannotGenerate(f"{', '.join(present)}: already exists and is never overwritten")
    for file in listed:
        path = project / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as opened:
            opened.write(file.text)
    return [file.name for file in listed]
