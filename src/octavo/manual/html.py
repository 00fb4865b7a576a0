"""The manual as pages for a browser: files that need no server and nothing from elsewhere."""

import html
import re
import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from octavo.manual.pages import Page

_STYLE: Final = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 18%, transparent) }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
nav { padding: 1.5rem 1rem; border-inline-end: 1px solid var(--line); font-size: .9rem; position: sticky; top: 0;
  height: 100vh; overflow-y: auto; box-sizing: border-box }
nav a { display: block; padding: .15rem 0; text-decoration: none } nav a[aria-current] { font-weight: 700 }
main { max-width: 62rem; padding: 1.5rem 2rem 6rem }
h1, h2, h3 { line-height: 1.25; margin-top: 2em } h1 { margin-top: 0 }
pre { padding: .8rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem }
code { font: .9em ui-monospace, monospace } table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; vertical-align: top }
th:empty { display: none }
@media (max-width: 50rem) {
  body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem }
}
"""
_FILE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Octavo</title><style>{style}</style></head>
<body><nav aria-label="Pages">{links}</nav><main>{body}</main></body></html>
"""


def write_pages(pages: Sequence[Page], root: Path, folder: Path) -> dict[str, Path]:
    """Write all pages into a folder, in the place of what was there; where each is, by name.

    `root` is what their links begin from. Files that they link to are copied beside them, as texts.
    """
    shutil.rmtree(folder, ignore_errors=True)
    targets = {page.path.resolve(): _target(page.path, root, folder) for page in pages}
    for page in pages:
        target = targets[page.path.resolve()]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_page(page, pages, targets, root, folder), encoding="utf-8")
    return {page.name: targets[page.path.resolve()] for page in pages}


def _target(path: Path, root: Path, folder: Path) -> Path:
    return (folder / path.resolve().relative_to(root.resolve())).with_suffix(".html")


def _page(page: Page, pages: Sequence[Page], targets: dict[Path, Path], root: Path, folder: Path) -> str:
    here = targets[page.path.resolve()]
    links = "".join(
        f'<a href="{_relative(targets[one.path.resolve()], here)}"{" aria-current=page" if one is page else ""}>'
        f"{html.escape(one.title)}</a>"
        for one in pages
    )
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(page.text)
    _name_headings(tokens)
    for token in (child for one in tokens for child in one.children or ()):
        if token.type == "link_open":
            token.attrs["href"] = _address(str(token.attrs["href"]), page, here, targets, root, folder)
    _without_pictures(tokens)
    body = parser.renderer.render(tokens, parser.options, {})
    return _FILE.format(title=html.escape(page.title), style=_STYLE, links=links, body=body)


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give headings the ids that links on the pages mean."""
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            token.attrs["id"] = re.sub(r"[^\w\- ]", "", inside.content.lower()).replace(" ", "-")


def _without_pictures(tokens: Sequence[Token]) -> None:
    """Pictures are not there: what they show is said in words."""
    for token in tokens:
        for child in token.children or ():
            if child.type == "image":
                child.type, child.tag = "text", ""


def _address(link: str, page: Page, here: Path, targets: dict[Path, Path], root: Path, folder: Path) -> str:
    """Where a link of a page leads among the files; `#` if it leads to what did not come with Octavo."""
    name, hash_sign, anchor = link.partition("#")
    if not name or "://" in name or name.startswith("mailto:"):
        return link
    meant = (page.path.parent / name).resolve()
    if meant in targets:
        return _relative(targets[meant], here) + hash_sign + anchor
    if not meant.is_file() or not meant.is_relative_to(root.resolve()):
        return "#"
    copy = folder / f"{meant.relative_to(root.resolve())}.txt"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(meant, copy)
    return _relative(copy, here)


def _relative(target: Path, here: Path) -> str:
    up = len(here.parent.relative_to(_common(target, here)).parts)
    return "../" * up + target.relative_to(_common(target, here)).as_posix()


def _common(target: Path, here: Path) -> Path:
    return next(folder for folder in here.parents if target.is_relative_to(folder))
