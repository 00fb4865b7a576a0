"""Source folders: the project's `src`, and packages of plugins, which have the same structure."""

from pathlib import Path

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder of definitions and code. File names in messages are relative to `root`. `package`: the import name of an
    installed package."""

    path: Path
    root: Path
    package: str | None = None

    def name(self, file: Path) -> str:
        """Return a file's name in messages."""
        return file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) else file.as_posix()


def project_source(project: Path) -> SourceFolder:
    """Return the `src` folder of a project."""
    return SourceFolder(project / "src", project)
