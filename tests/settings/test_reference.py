"""docs/settings.md matches the code."""

from pathlib import Path

from octavo.settings.reference import render_reference

PAGE = Path(__file__).parents[2] / "docs/settings.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_reference(), "run `make docs`"
