"""The tutorial works as written. Its parts run in order, in one project."""

from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

from tests.cli.processes import ROOT
from tests.docs_reader import Reader

PARTS = sorted((ROOT / "docs/tutorial").glob("*.md"))


def test_each_part_leads_to_the_next() -> None:
    for part, following in pairwise(PARTS):
        assert f"]({following.name})" in part.read_text("utf-8").splitlines()[-1]
    assert len(PARTS) == 6


def test_the_tutorial(tmp_path: Path) -> None:
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        for part in PARTS:
            if part.name.startswith("6"):
                stack.close()
                reader.server = None
            reader.follow(part)
