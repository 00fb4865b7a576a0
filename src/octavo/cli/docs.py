"""`octavo docs`: this version's documentation, in the terminal or the browser, offline."""

import subprocess
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.markdown import Markdown

from octavo.cli.base import Command, refuse, say, say_table
from octavo.core.text_limits import close_match
from octavo.operations.manual import Page, all_pages, groups, line_with, root, search

_MOST_FOUND: Final = 20
_WIDEST: Final = 110
_SEARCH: Final = "search"
_SITE: Final = "site"


@click.command(cls=Command, epilog="Example: octavo docs search webhook secret")
@click.argument("words", nargs=-1)
@click.option("--browser", is_flag=True, help="Open the documentation in the browser, with search.")
@click.option("--folder", is_flag=True, help="Print the folder with the pages and the examples.")
@click.option("--plain", is_flag=True, help="Print the page as Markdown.")
def docs(words: tuple[str, ...], browser: bool, folder: bool, plain: bool) -> None:
    """Show the documentation: the list of pages, one page by its name, or the results of `search`."""
    if folder:
        click.echo(root())
        return
    pages = all_pages()
    if words and words[0] == _SEARCH:
        _search(pages, words[1:])
        return
    if len(words) > 1:
        refuse(f"a page name is one word. To search, run octavo docs search {' '.join(words)}")
    page = _named(pages, words[0]) if words else None
    if browser:
        _browse(page)
    elif page is None:
        _list()
    elif plain or not sys.stdout.isatty():
        click.echo(page.text)
    else:
        console = Console(width=min(Console().width, _WIDEST))
        with console.pager(styles=True):
            console.print(Markdown(page.text, hyperlinks=False))


def _named(pages: Sequence[Page], name: str) -> Page:
    wanted = name.removesuffix(".md").removeprefix("docs/").lower()
    by_name = {page.name: page for page in pages}
    if wanted not in by_name:
        near = close_match(wanted, by_name)
        hint = f"; to search, run octavo docs search {name}" if near is None else f"; did you mean {near}?"
        refuse(f"unknown page {name!r}{hint}")
    return by_name[wanted]


def _search(pages: Sequence[Page], words: Sequence[str]) -> None:
    if not words:
        refuse("missing search words: octavo docs search WORD ...")
    matches = search(pages, words)
    if not matches:
        refuse(f"no results for: {' '.join(words)}")
    for section in matches[:_MOST_FOUND]:
        say("[bold]{}[/]: {}", section.page.name, section.heading)
        say("  {}", _short(line_with(section, words)))
    if len(matches) > _MOST_FOUND:
        say("\nand {} more", len(matches) - _MOST_FOUND)


def _short(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}..."


def _list() -> None:
    say_table(
        ("page", "title", "group"), ((one.name, one.title, title) for title, pages in groups().items() for one in pages)
    )
    say(
        "\noctavo docs PAGE shows a page, octavo docs search WORD searches all pages, octavo docs --browser "
        "opens the browser."
    )


def _browse(page: Page | None) -> None:
    shown = _site() / ("index.html" if page is None else f"{page.name}.html")
    opened = webbrowser.open(shown.as_uri())
    say("{} {}", "Opened in the browser:" if opened else "Open this in a browser:", shown.as_uri())


def _site() -> Path:
    """Return the folder of the documentation site. Packages include it; in a working copy it is built."""
    builder = root() / "scripts/docs_site.py"
    if not builder.is_file():
        if not (root() / _SITE / "index.html").is_file():
            refuse(
                "this package was built without the documentation site; octavo docs PAGE shows a page in the terminal"
            )
        return root() / _SITE
    site = root() / "build/docs-site"
    built = subprocess.run([sys.executable, str(builder), str(site)], capture_output=True, text=True)
    if built.returncode:
        refuse(f"the documentation site cannot be built here; run make docs-site\n{built.stderr.strip()[-600:]}")
    return site
