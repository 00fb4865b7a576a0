"""Source folders: the project's `src`, and packages of plugins, which have the same shape."""

from pathlib import Path

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder of definitions and code. Messages name its files from `root` on. `package`: the name that an installed
    package is imported by."""

    path: Path
    root: Path
    package: str | None = None

    def name(self, file: Path) -> str:
        """A file as messages name it."""
        return file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) else file.as_posix()


def project_source(project: Path) -> SourceFolder:
    """The `src` of a project."""
    return SourceFolder(project / "src", project)
