"""The bundled documentation in Markdown: list its pages, split them into sections and search them."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass

PACKAGE: Final = Path(__file__).parents[1]
PLACES: Final = (PACKAGE / "documents", PACKAGE.parents[1])
"""Parents of the folder `docs`: in an installed package, or in a working copy of Octavo."""

_HEADING: Final = re.compile(r"^(#{1,6}) (.+?)\s*$")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Section:
    """A heading and the text below it, up to the next heading."""

    page: "Page"
    heading: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page. `name` is its short name, as in `octavo docs settings`."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        return next((section.heading for section in self.sections() if section.heading), self.name)

    def sections(self) -> Iterator[Section]:
        """Yield the sections, in order."""
        heading, lines = "", list[str]()
        for line, found in headings(self.text):
            if found is None:
                lines.append(line)
                continue
            if heading or lines:
                yield Section(self, heading, "\n".join(lines))
            heading, lines = plain(found[2]), []
        yield Section(self, heading, "\n".join(lines))


def headings(text: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield each line, with the match of a heading if it is one. Code blocks have no headings."""
    in_code = False
    for line in text.splitlines():
        if line.startswith("```"):
            in_code = not in_code
        yield line, None if in_code else _HEADING.match(line)


def plain(text: str) -> str:
    """Remove links and Markdown marks from a line."""
    return _LINK.sub(r"\1", text).replace("`", "").replace("**", "")


def root() -> Path:
    """Return the folder that contains `docs`, `examples`, the readme and the changelog."""
    return next(place for place in PLACES if (place / "docs").is_dir())


def groups() -> dict[str, list[Page]]:
    """Return the pages by group, in the order of `docs/navigation.toml`."""
    folder = root()
    with (folder / "docs/navigation.toml").open("rb") as file:
        listed = tomllib.load(file)["group"]
    pages_by_group = {group["title"]: [_page(folder / "docs", name) for name in group["pages"]] for group in listed}
    return {
        "Start": [Page("readme", folder / "README.md")],
        **pages_by_group,
        "Releases": [Page("changelog", folder / "CHANGELOG.md")],
    }


def _page(folder: Path, name: str) -> Page:
    return Page(name, folder / f"{name}.md")


def all_pages() -> list[Page]:
    """Return all pages, in the order of the navigation."""
    return [page for pages in groups().values() for page in pages]


def search(pages: Sequence[Page], words: Sequence[str]) -> list[Section]:
    """Return the sections that contain all the words in any order, those with matching headings first."""
    wanted = [word.lower() for word in words]
    matches: list[tuple[int, int, Section]] = []
    for page in pages:
        for section in page.sections():
            heading, text = f"{page.name} {section.heading}".lower(), section.text.lower()
            if all(word in heading or word in text for word in wanted):
                named = sum(word in heading for word in wanted)
                matches.append((-named, -sum(text.count(word) for word in wanted), section))
    return [section for _, _, section in sorted(matches, key=lambda one: one[:2])]


def line_with(section: Section, words: Sequence[str]) -> str:
    """Return the line with most of the words, without marks, or the first line with text if no line has one."""
    lines = [line for line in section.text.splitlines() if line.strip(" `-|")]
    if not lines:
        return ""
    wanted = [word.lower() for word in words]
    best = max(lines, key=lambda line: sum(word in line.lower() for word in wanted))
    return plain(best).strip(" |-")
