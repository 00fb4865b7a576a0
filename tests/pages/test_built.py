"""The built admin pages match their sources, and are small enough."""

import gzip
import json
import re
from pathlib import Path

from octavo.api.admin.contract import contract
from tests.scripts import load_script

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "src/octavo/api/admin/pages"
FIRST_LOAD = 120_000
"""Compressed bytes that a browser loads before the first page appears, without the font."""
FONT = 40_000


def test_built_files_match_the_sources() -> None:
    pages = load_script("pages")
    stamp = (PAGES / "sources.sha256").read_text(encoding="utf-8").strip()
    assert stamp == pages.digest(), "the sources in admin/ have changed: run `make pages`"


def test_the_types_of_operations_are_generated_from_the_current_rows() -> None:
    written = (ROOT / "admin/src/api/operations.ts").read_text(encoding="utf-8")
    assert written == contract(), "rows or shapes have changed: run `make pages`"


def test_the_first_load_is_small() -> None:
    page = (PAGES / "index.html").read_text(encoding="utf-8")
    files = re.findall(r"(?:src|href)=\"\./(assets/[^\"]+)\"", page)
    assert files
    sizes = {name: len(gzip.compress((PAGES / name).read_bytes(), 6)) for name in files}
    font = sum(size for name, size in sizes.items() if name.endswith(".woff2"))
    assert 0 < font <= FONT
    assert sum(sizes.values()) - font <= FIRST_LOAD


def test_the_page_has_no_inline_scripts_or_styles() -> None:
    page = (PAGES / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert "<style" not in page
    assert "style=" not in page


def test_every_message_has_a_german_translation_with_the_same_values() -> None:
    for english in sorted((ROOT / "admin/src/messages/en").glob("*.json")):
        texts = json.loads(english.read_text(encoding="utf-8"))
        german = json.loads((ROOT / "admin/src/messages/de" / english.name).read_text(encoding="utf-8"))
        assert list(texts) == list(german)
        for key, text in texts.items():
            assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", german[key])), key


def test_the_lock_file_contains_no_urls() -> None:
    text = (ROOT / "admin/package-lock.json").read_text(encoding="utf-8")
    packages = [found for name, found in json.loads(text)["packages"].items() if name]
    assert packages
    assert all("integrity" in found and "resolved" not in found for found in packages)
    assert "://" not in text, "`make pages` removes them"
