"""Find the source files of a front end, within limits, and parse their scripts and GraphQL documents."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from octavo.core.values import dataclass
from octavo.settings.package_json import CORE, depends_on
from octavo.v4.javascript.parse import PANEL_SUFFIXES, SCRIPTS, Module, parse_text
from octavo.v4.javascript.source import Place, SourceProblem, name_in, read_bytes

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 32 * 1024**2
_MOST_ENTRIES: Final = 500_000
_COMPONENTS: Final = (".vue", ".svelte", ".astro")
_DOCUMENTS: Final = (".graphql", ".gql")
_SCRIPTS: Final = (*SCRIPTS, *PANEL_SUFFIXES)
_SKIPPED: Final = frozenset(
    {"node_modules", "dist", "build", "out", "public", "static", "coverage", "vendor", "__tests__", "__mocks__"}
)
_TEST_FILE: Final = re.compile(r"\.(?:test|spec|stories|d|min|config)\.[cm]?[jt]sx?$")
_SCRIPT: Final = re.compile(rb"<script\b([^>]{0,2000})>", re.IGNORECASE)
_FRONT_MATTER: Final = re.compile(rb"\A\s*---\r?\n(.*?)\r?\n---", re.DOTALL)
_ATTRIBUTE: Final = re.compile(rb'(?<![\w-])[\w-]++="[^"\r\n]*&[^"\r\n]*"')
"""An attribute of JSX with `&`, which the grammar mistakes for a character reference."""
_NOT_LINES: Final = re.compile(rb"[^\r\n]")
_ALIAS: Final = re.compile(r"(?:@|~~?|\$lib|\$|#|src)/")


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a front end. `documents` are GraphQL files: name and text. `unread` says what was not read."""

    modules: dict[str, Module]
    documents: dict[str, str]
    unread: list[str]
    _by_stem: dict[str, list[str]]

    def resolve(self, module: Module, specifier: str) -> Module | None:
        """Return the module of an import: a relative path, or one with an alias such as `@/`, as in bundlers."""
        if specifier.startswith("."):
            target = os.path.normpath(PurePosixPath(module.file).parent / specifier)
            return self._at(target)
        if alias := _ALIAS.match(specifier):
            specifier = specifier[alias.end() :]
        elif "/" not in specifier or specifier.startswith("@"):
            return None
        wanted = _stem(specifier)
        files = [file for file in self._by_stem.get(wanted.rpartition("/")[2], ()) if _ends_with(file, wanted)]
        return self.modules[min(files, key=len)] if files else None

    def _at(self, path: str) -> Module | None:
        for file in (path, *(f"{path}{suffix}" for suffix in _SCRIPTS)):
            if file in self.modules:
                return self.modules[file]
        for suffix in _SCRIPTS:
            if (file := f"{path}/index{suffix}") in self.modules:
                return self.modules[file]
        stem = PurePosixPath(path).with_suffix("").as_posix()  # TypeScript imports can name the compiled file
        return next((self.modules[name] for suffix in _SCRIPTS if (name := f"{stem}{suffix}") in self.modules), None)


def _stem(file: str) -> str:
    for suffix in _SCRIPTS:
        file = file.removesuffix(suffix)
    return file.removesuffix("/index")


def _ends_with(file: str, wanted: str) -> bool:
    return f"/{_stem(file)}".endswith(f"/{wanted}")


def read_sources(folder: Path) -> Sources:
    """Read and parse the files of a folder. Files that cannot be read are listed with the reason."""
    modules: dict[str, Module] = {}
    documents: dict[str, str] = {}
    unread: list[str] = []
    size = 0
    for count, file in enumerate(_files(folder, unread)):
        if count >= MOST_FILES or size >= MOST_BYTES:
            limit = f"{MOST_FILES:,} files and {MOST_BYTES // 1024**2} MB"
            unread.append(f"{name_in(file, folder)}: this file and later ones exceed the limit of {limit}")
            break
        name = name_in(file, folder)
        try:
            content = read_bytes(file, folder)
            size += len(content)
            if file.suffix in _DOCUMENTS:
                documents[name] = content.decode("utf-8", "replace")
            else:
                modules[name] = _parsed(content, name)
        except SourceProblem as problem:
            unread.append(f"{problem.place.file}:{problem.place.line}: {problem.message}")
    by_stem: dict[str, list[str]] = {}
    for name in modules:
        by_stem.setdefault(_stem(name).rpartition("/")[2], []).append(name)
    return Sources(modules, documents, unread, by_stem)


def _files(folder: Path, unread: list[str]) -> Iterator[Path]:
    """Yield the source files of a folder, without packages, built files, tests, and Strapi projects below it.

    The folder at which the limit of entries ends the search is added to `unread`.
    """
    entries = 0
    for path, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        here = Path(path)
        if entries > _MOST_ENTRIES:
            limit = f"{_MOST_ENTRIES:,} files and folders"
            unread.append(f"{name_in(here, folder)}: this folder and later ones exceed the limit of {limit}")
            return
        folders[:] = sorted(name for name in folders if not name.startswith(".") and _is_read(here, name))
        for name in sorted(names):
            suffix = PurePosixPath(name).suffix
            if suffix in (*_SCRIPTS, *_COMPONENTS, *_DOCUMENTS) and not _TEST_FILE.search(name):
                yield here / name


def _is_read(folder: Path, name: str) -> bool:
    if name in _SKIPPED:
        return (folder / name / "package.json").is_file() and name != "node_modules"
    return not depends_on(folder / name, CORE)


def _parsed(content: bytes, name: str) -> Module:
    suffix = PurePosixPath(name).suffix
    if suffix not in _COMPONENTS:
        try:
            return parse_text(content, name)
        except SourceProblem:
            plain = _ATTRIBUTE.sub(lambda found: found[0].replace(b"&", b"+"), content)
            if plain == content:
                raise
            return parse_text(plain, name)
    if suffix == ".astro":
        found = _FRONT_MATTER.match(content)
        spans, language = ([found.span(1)] if found else []), ".ts"
    else:
        spans, attributes = _scripts(content)
        language = ".tsx" if b"tsx" in attributes else ".ts" if b"ts" in attributes else ".js"
    if not spans:
        return parse_text(b"", name, ".js")
    return parse_text(_only(content, spans), name, language)


def _scripts(content: bytes) -> tuple[list[tuple[int, int]], bytes]:
    """Return where the scripts of a component are, and the attributes of all of them, in linear time."""
    lower = content.lower()
    spans, attributes, end = [], [], 0
    while match := _SCRIPT.search(content, end):
        end = lower.find(b"</script", match.end())
        if end < 0:
            break
        spans.append((match.end(), end))
        attributes.append(match[1])
    return spans, b" ".join(attributes)


def _only(content: bytes, spans: list[tuple[int, int]]) -> bytes:
    """Replace everything outside the spans by spaces, so that lines and columns stay."""
    parts, position = [], 0
    for start, end in spans:
        parts += [_NOT_LINES.sub(b" ", content[position:start]), content[start:end]]
        position = end
    return b"".join(parts)


def place_of(module: Module, offset: int) -> str:
    """Return a location as `file:line`."""
    place: Place = module.source.place(offset)
    return f"{place.file}:{place.line}"
