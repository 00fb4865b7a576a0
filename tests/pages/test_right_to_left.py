"""The pages in a language that is written from right to left, which the project adds as a file."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.places import everywhere
from tests.pages.sample import FIRST, RIGHT_TO_LEFT, magazine

ARTICLES = "/admin/content-manager/collection-types/api::article.article"
SIDE = "document.querySelector('#sidebar').getBoundingClientRect()"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with such a language, and with an invalid language file."""
    project = magazine(tmp_path_factory.mktemp("pages"), RIGHT_TO_LEFT)
    (project / "src/admin/languages/fa.json").write_text("{", encoding="utf-8")
    with serving("develop", project, "--seed", **FIRST) as server:
        yield server


@pytest.fixture(scope="module")
def desk(desk: Desk) -> Desk:
    """Sign in as Ada, with that language; missing texts are shown in English."""
    desk.speak(RIGHT_TO_LEFT)
    desk.open("/admin")
    desk.see("Next steps")
    return desk


def test_a_language_is_added_by_a_file(desk: Desk) -> None:
    assert desk.do("[document.documentElement.lang, document.documentElement.dir]") == [RIGHT_TO_LEFT, "rtl"]
    desk.open("/admin/me")
    desk.until("__look.labelled('Language')", "the languages")
    names = desk.do("[...__look.labelled('Language').options].map((one) => one.text)")
    assert names == ["English", "Deutsch", "עברית"]


def test_every_page_fits_and_starts_at_the_right(desk: Desk) -> None:
    def look() -> list[str]:
        found = []
        for width in (390, 1400):
            desk.size(width)
            desk.settle()
            found += [f"wider than {width}"] if desk.overflows() else []
        heading = "__look.all('main h1')[0].getBoundingClientRect()"
        return found + (["its heading is on the left"] if desk.do(f"{heading}.right < innerWidth / 2") else [])

    found = everywhere(desk, look)
    assert found == ""
    assert desk.do(f"{SIDE}.right === document.documentElement.clientWidth")


def test_arrows_and_arrow_keys_are_mirrored(desk: Desk) -> None:
    desk.open("/admin/settings/roles/3")
    desk.until("document.querySelector('main .pointing')", "an arrow")
    assert desk.do("getComputedStyle(document.querySelector('main .pointing')).scale") == "-1 1"
    desk.until("(document.querySelector('[role=tab]').focus(), document.activeElement.role === 'tab')", "the first tab")
    desk.press("ArrowLeft")
    chosen = "document.querySelector('[role=tab][aria-selected=true]').innerText"
    desk.until(f"{chosen} === 'Single types'", "the tab on the left")
    desk.open(f"{ARTICLES}/configurations/edit")
    desk.until("document.querySelector('[aria-label^=\"Move Slug\"]')", "the handle of a field")
    handle = "document.querySelector(`[aria-label^='Move ${name}']`)"
    places = f"['Title', 'Slug'].map((name) => {handle}.getBoundingClientRect().x)"
    title, slug = desk.do(places)
    assert title > slug
    desk.do("document.querySelector('[aria-label^=\"Move Slug\"]').focus()")
    desk.press("ArrowRight")
    desk.until(f"(([title, slug]) => title < slug)({places})", "the slug on the right")
    desk.click("Discard")


def test_texts_keep_their_own_direction(desk: Desk) -> None:
    desk.open(f"{ARTICLES}/1")
    desk.until("document.getElementById('field.title')?.value", "the entry")
    style: Any = desk.do(
        "((one) => [one.direction, one.unicodeBidi, one.textAlign])"
        "(getComputedStyle(document.getElementById('field.title')))"
    )
    assert style == ["rtl", "plaintext", "right"]
    assert desk.do("getComputedStyle(document.querySelector('main h1')).direction") == "ltr"
    desk.open(ARTICLES)
    author = "[...document.querySelectorAll('tbody td bdi')].find((one) => one.innerText === 'Oskar Lindqvist')"
    desk.until(author, "the name of an author")
    room: Any = desk.do(
        "((text, cell) => [cell.right - text.right, text.left - cell.left])"
        f"({author}.getBoundingClientRect(), {author}.parentElement.getBoundingClientRect())"
    )
    assert room[0] < room[1], "names begin under the head of their column"
    desk.open("/admin/content-manager/collection-types/api::event.event/1")
    editor = "document.getElementById('field.programme')?.shadowRoot?.querySelector('.cm-content')"
    desk.until(f"{editor} && getComputedStyle({editor}).direction === 'ltr'", "JSON from left to right")


def test_the_side_bar_opens_from_the_right(desk: Desk) -> None:
    desk.size(390)
    desk.open("/admin")
    desk.see("Next steps")
    assert desk.do(f"{SIDE}.x >= innerWidth")
    desk.click_at("header.bar button")
    desk.until(f"Math.round({SIDE}.right) === document.documentElement.clientWidth", "the side bar")
    assert not desk.overflows()
