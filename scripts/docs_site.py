"""Build the documentation site: static HTML with search, from `docs/*.md` and `docs/navigation.toml`.

Usage: python scripts/docs_site.py [FOLDER]    (default: build/docs-site)

Zensical builds it (docs/decisions.md says why). It reads one folder, so the pages are copied first: the changelog and
the contributing guide become pages, and linked files of the repository become text files. Needs nothing from the
package, because `setup.py` runs it too.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {"README.md": "readme.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
FILES = "files"
WORKER = "assets/javascripts/file_worker.js"
REMOTE_WORKER = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def staged_name(path: Path) -> Path | None:
    """Return the name in the staged folder of a linked file; None for other targets."""
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else None
    if name is None or not path.is_file():
        return None
    if name.as_posix() in OUTSIDE:
        return Path(OUTSIDE[name.as_posix()])
    return name.relative_to("docs") if name.parts[0] == "docs" else Path(FILES, f"{name.as_posix()}.txt")


class Stage:
    """The pages as Zensical reads them, with links to staged files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        for page in sorted((ROOT / "docs").rglob("*.md")):
            self.add_page(page, page.relative_to(ROOT / "docs"))
        for source, target in OUTSIDE.items():
            self.add_page(ROOT / source, Path(target))

    def add_page(self, source: Path, target: Path) -> None:
        written = self.folder / target
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text("\n".join(self.lines(source, target)) + "\n", encoding="utf-8")

    def lines(self, source: Path, target: Path) -> Iterator[str]:
        in_code = False
        for line in source.read_text(encoding="utf-8").splitlines():
            in_code ^= line.lstrip().startswith("```")
            yield line if in_code else LINK.sub(lambda link: self.staged_link(link, source, target), line)

    def staged_link(self, link: re.Match[str], source: Path, target: Path) -> str:
        """Return a link to a staged file, which is copied, or only the text if the site has no such file."""
        if "://" in link[2] or link[2].startswith("mailto:"):
            return link[0]
        meant = (source.parent / link[2]).resolve()
        name = staged_name(meant)
        if name is None:
            return link[1].removeprefix("![").removeprefix("[").removesuffix("](")
        if meant.suffix != ".md":
            copy = self.folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(meant, copy)
        return f"{link[1]}{Path(relpath(name, target.parent)).as_posix()}{link[3]}"


def navigation() -> list[object]:
    """Return the groups of pages in Zensical's format."""
    with (ROOT / "docs/navigation.toml").open("rb") as file:
        groups = tomllib.load(file)["group"]
    about = [OUTSIDE["CHANGELOG.md"], OUTSIDE["CONTRIBUTING.md"]]
    listed = [{group["title"]: [f"{page}.md" for page in group["pages"]]} for group in groups]
    return ["index.md", *listed, {"Releases": about}]


def configuration(docs: str, site: str) -> dict[str, object]:
    """Return Zensical's settings. The site loads no font, script or search from another host."""
    scheme = {"media": "(prefers-color-scheme: light)", "scheme": "default", "toggle": toggle("lucide/sun", "dark")}
    dark = {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "toggle": toggle("lucide/moon", "light")}
    return {
        "site_name": "Octavo",
        "site_description": "A headless content service in Python that speaks Strapi v4",
        "docs_dir": docs,
        "site_dir": site,
        "use_directory_urls": False,
        "copyright": "MIT license",
        "nav": navigation(),
        "plugins": {"search": {}, "offline": {}},
        "theme": {
            "font": False,
            "language": "en",
            "features": [
                "content.code.copy",
                "navigation.footer",
                "navigation.indexes",
                "navigation.sections",
                "navigation.top",
                "search.highlight",
                "toc.follow",
            ],
            "palette": [scheme, dark],
        },
        "markdown_extensions": {
            "admonition": {},
            "tables": {},
            "attr_list": {},
            "toc": {"permalink": True, "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}},
            "pymdownx": {"highlight": {}, "superfences": {}, "inlinehilite": {}},
        },
    }


def toggle(icon: str, other: str) -> dict[str, str]:
    """Return the button that switches between light and dark."""
    return {"icon": icon, "name": f"Switch to {other} mode"}


def as_toml(values: dict[str, object], name: str) -> str:
    """Return a TOML table. Nested lists and tables are inline, which is nearly JSON."""
    lines = [f"[{name}]"]
    lines += [f"{key} = {inline(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def inline(value: object) -> str:
    """Return a value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


def build(target: Path) -> None:
    """Write the site into a folder and replace its content. Raises CalledProcessError for a warning."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        Stage(stage / "docs").fill()
        (stage / "zensical.toml").write_text(as_toml(configuration("docs", "site"), "project"), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=stage, check=True)
        search_without_server(stage / "site")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(stage / "site", target)


def search_without_server(site: Path) -> None:
    """Let pages that are opened as files load the search script from the site instead of the network."""
    shutil.copyfile(ROOT / "scripts/file_worker.js", site / WORKER)
    for page in site.rglob("*.html"):
        here = Path(relpath(site / WORKER, page.parent)).as_posix()
        page.write_text(page.read_text(encoding="utf-8").replace(REMOTE_WORKER, here), encoding="utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/docs-site"
    build(folder)
    sys.stdout.write(f"The documentation site is in {folder}: open {folder / 'index.html'}\n")
