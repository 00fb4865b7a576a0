"""What the pages are tried on: the sample project in its own folder, and who its first administrator is."""

import shutil
from pathlib import Path
from typing import Final

from octavo.operations.runtime.static_files import LANGUAGES_FOLDER
from tests.cli.processes import ROOT
from tests.pages.desk import ADA

FIRST: Final = {"OCTAVO_ADMIN__FIRST__EMAIL": ADA.email, "OCTAVO_ADMIN__FIRST__PASSWORD": ADA.password}
RIGHT_TO_LEFT: Final = "he"
"""A language that is written so."""


def magazine(folder: Path, language: str | None = None) -> Path:
    """The sample project; with a language that says nothing of its own, so what is said is English."""
    project = folder / "magazine"
    shutil.copytree(ROOT / "examples/magazine", project, ignore=shutil.ignore_patterns(".octavo", ".env", "data"))
    if language is not None:
        (project / LANGUAGES_FOLDER).mkdir(parents=True)
        (project / LANGUAGES_FOLDER / f"{language}.json").write_text("{}", encoding="utf-8")
    return project
