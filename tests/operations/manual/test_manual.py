"""The manual: the pages of a version that `octavo docs` shows."""

import re
import subprocess
import sys
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.operations.manual import Page, all_pages, line_with, root, search
from tests.browser import Browser
from tests.cli.conftest import refused, said

ROOT = Path(__file__).parents[3]


def test_the_navigation_contains_each_page_once() -> None:
    names = [page.name for page in all_pages()]
    assert (names[0], names[-1]) == ("readme", "changelog")
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(names[1:-1]) == sorted(pages - {"index"})


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
    """Collects the links and names of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            self.links.append(given.get("href") or "")
        if name := given.get("id"):
            self.ids.add(name)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the documentation site of the working copy."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    builder = [sys.executable, str(ROOT / "scripts/docs_site.py"), str(folder)]
    built = subprocess.run(builder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_links_of_the_site_lead_somewhere(site: Path) -> None:
    pages = {path: Links(path) for path in site.rglob("*.html") if path.name != "404.html"}
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            name, _, anchor = link.partition("#")
            if "://" in name or not link:
                continue
            target = (path.parent / unquote(name)).resolve() if name not in ("", ".") else path
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
                wrong.append(f"{path.name}: {link}")
    assert wrong == []
    reached = {(site / link.partition("#")[0]).resolve() for link in pages[site / "index.html"].links}
    assert pages.keys() - reached - {site / "readme.html"} == set()


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    for path in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img|iframe)[^>]*(?:src|href)=[\"']?(https?://[^\"' >]+)", path.read_text("utf-8")
        )
        assert loaded == [], path.name


READY = "document.readyState === 'complete' && [...document.querySelectorAll('body *')].some((one) => one.shadowRoot)"
BOX = "document.activeElement.shadowRoot"


@pytest.mark.parametrize("word", ["cors", "403", "preview", "transaction", "slug"])
def test_search_works_on_local_files(site: Path, browser: Browser, word: str) -> None:
    with browser.open_page(patience=40) as page:
        page.send("Page.navigate", url=(site / "settings.html").as_uri())
        page.wait_for(READY)
        page.do("document.querySelector('label[for=__search]').click()")
        page.wait_for(f"{BOX}?.querySelector('input')")
        page.send("Input.insertText", text=word)
        found = page.wait_for(
            f"(all => all.length && all)([...{BOX}.querySelectorAll('ol a')].map(a => a.textContent))"
        )
        assert any(word in text.lower() for text in found)
        assert page.wrong == []


def call(*words: str) -> list[str]:
    return said(CliRunner().invoke(main, ["docs", *words]))


def test_pages_in_the_terminal() -> None:
    listed = call()
    assert re.fullmatch(r"webhooks +Webhooks +APIs", next(line for line in listed if line.startswith("webhooks")))
    assert call("docs/Backups.md")[0] == "# Backups"
    [folder] = call("--folder")
    assert (Path(folder) / "examples/systemd/octavo.service").is_file()
    assert any(line.startswith("backups: ") for line in call("search", "pg_dump"))
    runner = CliRunner()
    assert refused(runner.invoke(main, ["docs", "setings"])) == "unknown page 'setings'; did you mean settings?"
    assert "octavo docs search" in refused(runner.invoke(main, ["docs", "two", "words"]))
    assert refused(runner.invoke(main, ["docs", "search", "xyzzy-plugh"])) == "no results for: xyzzy-plugh"
    assert "missing search words" in refused(runner.invoke(main, ["docs", "search"]))


def test_pages_in_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)  # with any installed packages
    [line] = call("--browser", "settings")
    shown = root() / "build/docs-site/settings.html"
    assert line == f"Open this in a browser: {shown.as_uri()}"
    assert shown.is_file()
