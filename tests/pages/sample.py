"""The sample project in its own folder, and its first administrator."""

import shutil
from pathlib import Path
from typing import Final

from octavo.operations.runtime.static_files import LANGUAGES_FOLDER
from tests.cli.processes import ROOT
from tests.pages.desk import ADA

FIRST: Final = {"OCTAVO_ADMIN__FIRST__EMAIL": ADA.email, "OCTAVO_ADMIN__FIRST__PASSWORD": ADA.password}
RIGHT_TO_LEFT: Final = "he"
"""A language that is written from right to left."""


def magazine(folder: Path, language: str | None = None) -> Path:
    """Copy the sample project, optionally with a language whose texts are all missing, so that English is shown."""
    project = folder / "magazine"
    shutil.copytree(ROOT / "examples/magazine", project, ignore=shutil.ignore_patterns(".octavo", ".env", "data"))
    if language is not None:
        (project / LANGUAGES_FOLDER).mkdir(parents=True)
        (project / LANGUAGES_FOLDER / f"{language}.json").write_text("{}", encoding="utf-8")
    return project
