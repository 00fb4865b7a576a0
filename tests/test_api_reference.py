"""docs/python-api.md matches the docstrings and contains every public name."""

import re
from pathlib import Path

import octavo.sdk as code
from octavo import testing
from octavo.api_reference import listed, render_reference

PAGE = Path(__file__).parents[1] / "docs/python-api.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_reference(), "run `make docs`"


def test_every_public_name_is_on_the_page() -> None:
    public = {name: getattr(module, name) for module in (code, testing) for name in module.__all__}
    del public["Answer"]  # `testing` returns responses of httpx
    assert [name for name, value in public.items() if value not in listed()] == []


def test_everything_on_the_page_is_described() -> None:
    page = re.sub(r"^```.*?^```$", "", render_reference(), flags=re.MULTILINE | re.DOTALL)
    parts = re.split(r"^#{3,4} (.+)$", page, flags=re.MULTILINE)
    assert [name for name, text in zip(parts[1::2], parts[2::2], strict=True) if not text.strip()] == []
    assert re.findall(r"^\| `.*` \|\s*\|$", page, re.MULTILINE) == []
