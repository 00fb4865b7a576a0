"""The manual: what `octavo docs` shows of the pages that come with a version."""

import re
import webbrowser
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from octavo import __version__
from octavo.cli import main
from octavo.manual.html import write_pages
from octavo.manual.pages import Page, all_pages, line_with, root, search
from tests.cli.conftest import refused, said

ROOT = Path(__file__).parents[2]


def test_all_pages_are_there() -> None:
    names = [page.name for page in all_pages()]
    assert (names[0], names[-1]) == ("readme", "changelog")
    assert sorted(names[1:-1]) == sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


def test_a_page_is_cut_at_its_headings_and_not_in_code(tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_text("# Tea\n\nHot.\n\n## [Green](green.md) `tea`\n\n```sh\n# boil\n```\n\n| a | b |\n", "utf-8")
    sections = list(Page("tea", path).sections())
    assert [(one.heading, "# boil" in one.text) for one in sections] == [("Tea", False), ("Green tea", True)]
    assert Page("tea", path).title == "Tea"


def test_words_are_found_in_any_order_and_headings_first(tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_text("# Tea\n\nSugar, or *Milk*.\n\n## Milk\n\n- with `SUGAR`\n\n## None\n", "utf-8")
    found = search([Page("tea", path)], ["sugar", "milk"])
    assert [(one.heading, line_with(one, ["sugar", "milk"])) for one in found] == [
        ("Milk", "with SUGAR"),
        ("Tea", "Sugar, or *Milk*."),
    ]
    assert search([Page("tea", path)], ["coffee"]) == []


class Links(HTMLParser):
    """The links and names of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            self.links.append(given["href"] or "")
        if name := given.get("id"):
            self.ids.add(name)


def test_links_lead_somewhere_in_the_browser(tmp_path: Path) -> None:
    written = write_pages(all_pages(), root(), tmp_path / "docs")
    pages = {path: Links(path) for path in written.values()}
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            name, _, anchor = link.partition("#")
            if "://" in name or link == "#":
                continue
            target = (path.parent / name).resolve() if name else path
            if not target.is_file() or (anchor and anchor not in pages[target].ids):
                wrong.append(f"{path.name}: {link}")
    assert wrong == []
    assert "<table>" in written["settings"].read_text("utf-8")
    # Written again, in the place of what was there.
    (tmp_path / "docs/old.html").touch()
    write_pages(all_pages(), root(), tmp_path / "docs")
    assert not (tmp_path / "docs/old.html").exists()


def call(*words: str) -> list[str]:
    return said(CliRunner().invoke(main, ["docs", *words]))


def test_pages_in_the_terminal() -> None:
    listed = call()
    assert re.fullmatch(r"webhooks +Webhooks", next(line for line in listed if line.startswith("webhooks")))
    assert call("docs/Backups.md")[0] == "# Backups"
    [folder] = call("--folder")
    assert (Path(folder) / "examples/systemd/octavo.service").is_file()
    assert any(line.startswith("backups: ") for line in call("search", "pg_dump"))
    runner = CliRunner()
    assert refused(runner.invoke(main, ["docs", "setings"])) == "there is no page 'setings'; did you mean settings?"
    assert "octavo docs search" in refused(runner.invoke(main, ["docs", "two", "words"]))
    assert refused(runner.invoke(main, ["docs", "search", "xyzzy-plugh"])) == "nothing has all of: xyzzy-plugh"
    assert "what is looked for?" in refused(runner.invoke(main, ["docs", "search"]))


def test_pages_in_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda _: False)  # whatever this machine has
    [line] = call("--browser", "settings")
    shown = tmp_path / f"octavo/docs-{__version__}/docs/settings.html"
    assert line == f"Open this in a browser: {shown.as_uri()}"
    assert shown.is_file()
