"""Docs, messages and docstrings use common words: few lines have wording that `scripts/words.py` advises against."""

from pathlib import Path

import pytest

from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
LIMITS = {
    "docs": 0.004,
    "README.md": 0.0,
    "CHANGELOG.md": 0.02,
    "admin/src/messages/en": 0.004,
    "src": 0.015,
    "tests": 0.012,
}
"""The share of lines of prose that may be flagged. Lower it with each improvement."""


WORDS = load_script("words")


@pytest.mark.parametrize("folder", LIMITS)
def test_few_lines_are_flagged(folder: str) -> None:
    flagged, lines = WORDS.flagged(ROOT / folder)
    assert len(flagged) <= LIMITS[folder] * lines, [f"{one.place}: {one.matches}" for one in flagged]


def test_private_wording_is_flagged(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Nobody is asked.\nOctavo retries the request.\n", encoding="utf-8")
    flagged, lines = WORDS.flagged(page)
    assert lines == 2
    assert [match for one in flagged for match, _ in one.matches] == ["is asked", "Nobody"]
