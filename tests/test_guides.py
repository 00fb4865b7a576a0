"""The how-to guides work as written, each in a project like the tutorial's."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.processes import ROOT
from tests.docs_reader import Reader

GUIDES = sorted((ROOT / "docs/guides").glob("*.md"))

PROJECT = """
octavo new conference --blank
octavo generate content-type speaker name:string:required bio:text photo:media:allowedTypes=images
octavo generate content-type talk title:string:required slug:uid:targetField=title summary:text \
level:enumeration:easy,hard cover:media:allowedTypes=images speaker:manyToOne:speaker:inversedBy=talks
TOKEN=$(octavo tokens create importer --type full-access | tail -n 1)
"""
"""What the guides require: the tutorial's content types, and `$TOKEN` with full access."""


@pytest.fixture(scope="module")
def conference(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Return a reader with the project, as a template: creating it takes as long as most guides."""
    with ExitStack() as stack:
        reader = Reader(tmp_path_factory.mktemp("guides"), stack)
        for line in PROJECT.strip().splitlines():
            reader.command(line)
        return reader


@pytest.fixture
def reader(conference: Reader, tmp_path: Path) -> Iterator[Reader]:
    """A reader with a copy of the project and a running server."""
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        shutil.copytree(conference.project, reader.project)
        reader.variables.update(conference.variables)
        reader.command("octavo develop")
        yield reader


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_guide(guide: Path, reader: Reader) -> None:
    reader.follow(guide)


def test_the_workflow_runs_in_a_fresh_clone(conference: Reader, tmp_path: Path) -> None:
    page = (ROOT / "docs/guides/deploying-changes.md").read_text("utf-8")
    commands = re.findall(r"- run: (octavo .*?)(?: +#.*)?$", page, re.MULTILINE)
    assert len(commands) == 4
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        shutil.copytree(conference.project, reader.project, ignore=shutil.ignore_patterns(".env", ".octavo"))
        for command in commands:
            reader.command(command)
