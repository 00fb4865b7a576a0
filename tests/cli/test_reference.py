"""docs/command-line.md matches the help texts."""

from pathlib import Path

from octavo.cli.reference import render_reference

PAGE = Path(__file__).parents[2] / "docs/command-line.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_reference(), "run `make docs`"
