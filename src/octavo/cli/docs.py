"""`octavo docs`: the manual of this version, in the terminal or the browser, without a network."""

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.markdown import Markdown

from octavo import __version__
from octavo.cli.base import Command, refuse, say, say_table
from octavo.manual.html import write_pages
from octavo.manual.pages import Page, all_pages, line_with, root, search
from octavo.text_limits import close_match

_MOST_FOUND: Final = 20
_WIDEST: Final = 110
_SEARCH: Final = "search"


@click.command(cls=Command, epilog="Example: octavo docs search webhook secret")
@click.argument("words", nargs=-1)
@click.option("--browser", is_flag=True, help="Show the pages in the browser.")
@click.option("--folder", is_flag=True, help="Tell where the pages and the examples lie.")
@click.option("--plain", is_flag=True, help="Show the page as it is written, in Markdown.")
def docs(words: tuple[str, ...], browser: bool, folder: bool, plain: bool) -> None:
    """Show the manual: its pages, one of them by its name, or what has all the words behind `search`."""
    if folder:
        click.echo(root())
        return
    pages = all_pages()
    if words and words[0] == _SEARCH:
        _search(pages, words[1:])
        return
    if len(words) > 1:
        refuse(f"a page has one name; for words, octavo docs search {' '.join(words)}")
    page = _named(pages, words[0]) if words else None
    if browser:
        _browse(pages, page or pages[0])
    elif page is None:
        say_table(("page", "about"), ((one.name, one.title) for one in pages))
        say("\noctavo docs PAGE shows one, octavo docs --browser all, octavo docs search WORD looks for something.")
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
        hint = f"; octavo docs search {name} looks for the word" if near is None else f"; did you mean {near}?"
        refuse(f"there is no page {name!r}{hint}")
    return by_name[wanted]


def _search(pages: Sequence[Page], words: Sequence[str]) -> None:
    if not words:
        refuse("what is looked for? octavo docs search WORD ...")
    found = search(pages, words)
    if not found:
        refuse(f"nothing has all of: {' '.join(words)}")
    for section in found[:_MOST_FOUND]:
        say("[bold]{}[/]: {}", section.page.name, section.heading)
        say("  {}", _short(line_with(section, words)))
    if len(found) > _MOST_FOUND:
        say("\nand {} more", len(found) - _MOST_FOUND)


def _short(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}..."


def _browse(pages: Sequence[Page], page: Page) -> None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    shown = write_pages(pages, root(), cache / "octavo" / f"docs-{__version__}")[page.name]
    opened = webbrowser.open(shown.as_uri())
    say("{} {}", "Shown in the browser:" if opened else "Open this in a browser:", shown.as_uri())
