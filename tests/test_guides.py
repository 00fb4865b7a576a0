"""The how-to guides work as they are written, each in a project like the tutorial's."""

import re
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
octavo develop
"""
"""What the guides assume: the content types of the tutorial, `$TOKEN` with full access, and a running server."""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        for line in PROJECT.strip().splitlines():
            reader.command(line)
        yield reader


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_guide(guide: Path, reader: Reader) -> None:
    reader.follow(guide)


def test_the_workflow_runs_in_a_fresh_clone(tmp_path: Path) -> None:
    page = (ROOT / "docs/guides/deploying-changes.md").read_text("utf-8")
    commands = re.findall(r"- run: (octavo .*?)(?: +#.*)?$", page, re.MULTILINE)
    assert len(commands) == 4
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        for line in PROJECT.strip().splitlines()[:3]:
            reader.command(line)
        (reader.project / ".env").unlink()
        for command in commands:
            reader.command(command)
