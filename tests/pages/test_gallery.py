"""The gallery of components, compared with the expected screenshots in both themes."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Page
from tests.pages.gallery import ADMIN, GROUPS, THEMES, Gallery, build_gallery, can_build, difference, read_expected
from tests.pages.gallery import serve_gallery as serve
from tests.panel.editor import Editor


@pytest.fixture(scope="module")
def gallery(page: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    if not can_build():
        pytest.skip("NO VITE, so components were not compared: `make pages` installs it")
    folder = tmp_path_factory.mktemp("gallery")
    build_gallery(folder)
    with serve(folder) as url:
        yield Gallery(page, Editor(page, url))


@pytest.mark.parametrize("theme", THEMES)
def test_components_look_as_expected(gallery: Gallery, theme: str) -> None:
    found = {group: difference(image, read_expected(group, theme)) for group, image in gallery.screenshots(theme)}
    assert found == dict.fromkeys(GROUPS, ""), "if this is intended, run `python -m tests.pages.gallery`"
    assert gallery.page.wrong == []


def test_changed_tokens_are_found(gallery: Gallery) -> None:
    gallery.open("light")
    buttons = read_expected("Buttons", "light")
    changes = {"--accent": "#2f6fc4", "--hover": "#ffffff", "--line": "#c2c2bd", "--s3": "0.8rem"}
    changes["--weight-strong"] = "600"
    for token, value in changes.items():
        gallery.plant(token, value)
        assert "regions differ" in difference(gallery.screenshot("Buttons"), buttons), token
        gallery.plant(token, None)
    gallery.plant("--leading", "1.6")
    assert "instead of" in difference(gallery.screenshot("Buttons"), buttons)
    gallery.plant("--leading", None)
    assert difference(gallery.screenshot("Buttons"), buttons) == ""


def test_the_gallery_shows_every_component() -> None:
    shown = imported_from(ADMIN / "gallery/Gallery.svelte", set())
    drawn_by_vite = ADMIN / "src/ui/Icon.svelte"  # instead of lucide's (vite.config.ts)
    assert set((ADMIN / "src/ui").glob("*.svelte")) <= {*shown, drawn_by_vite}


def imported_from(path: Path, known: set[Path]) -> set[Path]:
    """Return the files that a file imports, also indirectly."""
    for name in re.findall(r"(?:from|import\() ?'(\.[^']+)'", path.read_text(encoding="utf-8")):
        candidates = (path.parent / name, path.parent / f"{name}.ts")
        for imported in (one.resolve() for one in candidates if one.is_file()):
            if imported not in known:
                known.add(imported)
                imported_from(imported, known)
    return known
