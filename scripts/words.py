"""Point at wording that readers stumble over, in docs, docstrings, comments and messages.

    python scripts/words.py [PATH ...]

It knows English and patterns only: it points, and a reader decides. `tests/test_wording.py` limits the number of lines
that it flags. `docs/glossary.md` lists the terms to use.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

RULES = {
    r"\banew\b": "again, or a verb: regenerate, reload, rebuild",
    r"\bas ever\b|\bas before\b(?=[.;,])": "as usual, unchanged, or nothing",
    r"\bby (itself|themselves)\b": "automatically, on its own",
    r"\b(is|are|was|were) (told|asked|kept|looked at|looked for|let be|made up for)\b": "the active voice",
    r"\b(tells|told|telling)\b": "reports, logs, returns, notifies",
    r"\b[Ww]ho(ever)? (may|can|has|have|asks|wants|reads|writes|comes)\b": "the client, users with permission",
    r"(^|[.:;(] ?)[Ww]hat (is|was|are|were|has|have|can|cannot|may|no|nobody|only|a|the|v4|others)\b": "a noun",
    r"\b[Nn]obody\b|\b[Nn]one (of it|is|are)\b|\bnothing but\b|\bno more\b": "a positive sentence",
    r"\b(lies|lie|lay) (in|below|beside|behind|over)\b": "is in, is stored in",
    r"\bstands? (in|below|beside|behind|around|there)\b": "is in, wraps",
    r"\bleads? to\b": "points to, references, links to",
    r"\bgoes? on\b|\bwent on\b": "continues",
    r"\bthat there (is|are)\b|\bthere (is|are) no such\b": "existing; not found",
    r"\b(the|a) (road|door|house|lane|desk|book)s?\b": "path, API, package, queue, store",
    r"\blest\b|\bthereof\b|\bwhereof\b|\bupon\b|\bwhilst\b": "plain English",
    r"\b[Mm]ake (it|them|one|a|an|the)\b": "create, build, turn into",
    r"\btakes? back\b|\btaken back\b": "undo, roll back, unpublish",
    r"\bof (one's|its|their|our) own\b": "its own X, custom X",
    r"\bsome(body|one)\b": "a user, another user",
    r"\ball (that|of it|else)\b": "everything, the rest, or its name",
    r"\bmeets? (all|the|a)\b": "matches, satisfies",
}
"""What to avoid, and what to write instead."""

_RULES = [(re.compile(pattern), advice) for pattern, advice in RULES.items()]
_SUFFIXES = {".md", ".py", ".json", ".ts", ".svelte", ".toml"}
_LEFT_OUT = {"node_modules", "assets"}
_PROSE_IN_CODE = re.compile(r'"""|^\s*#|^\s*//|^\s*\*|["\'`][^"\'`]{12,}["\'`]')


@dataclass(frozen=True)
class Flagged:
    """A line with wording to avoid: each match with its advice."""

    place: str
    line: str
    matches: tuple[tuple[str, str], ...]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file that people read: those of pages, docstrings, comments, and texts."""
    in_docstring = False
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if path.suffix in {".md", ".json"} or in_docstring or _PROSE_IN_CODE.search(line):
            yield number, line
        if path.suffix == ".py" and line.count('"""') % 2:
            in_docstring = not in_docstring


def files(path: Path) -> Iterator[Path]:
    """Yield the files with prose in a folder, or the file itself."""
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.suffix in _SUFFIXES and file.is_file() and not _LEFT_OUT & set(file.parts):
            yield file


def flagged(*paths: Path) -> tuple[list[Flagged], int]:
    """Return the flagged lines of files and folders, and the number of lines of prose."""
    found: list[Flagged] = []
    lines = 0
    for file in (file for path in paths for file in files(path)):
        for number, line in prose(file):
            lines += 1
            matches = tuple((match[0].strip(), advice) for rule, advice in _RULES if (match := rule.search(line)))
            if matches:
                found.append(Flagged(f"{file}:{number}", line.strip(), matches))
    return found, lines


def main() -> None:
    """Print the flagged lines of the paths on the command line, the most flagged first."""
    paths = [Path(name) for name in sys.argv[1:]] or [ROOT / "docs", ROOT / "README.md", ROOT / "src"]
    found, lines = flagged(*paths)
    for one in sorted(found, key=lambda one: -len(one.matches)):
        sys.stdout.write(f"{one.place}: {one.line[:110]}\n")
        sys.stdout.write("    " + "; ".join(f"'{match}' -> {advice}" for match, advice in one.matches) + "\n")
    sys.stdout.write(f"{len(found)} of {lines} lines of prose\n")


if __name__ == "__main__":
    main()
