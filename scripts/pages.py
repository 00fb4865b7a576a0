"""Holds the built pages of administrators and their sources together.

`pages.py stamp` takes all addresses out of the lock file, which npm writes for those who would pay, and writes the
digest of the sources beside what was built; `pages.py compare FOLDER` fails where another build, in FOLDER, is not what
is committed.
"""

import filecmp
import json
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "admin"
BUILT = ROOT / "src/octavo/api/admin/pages"
STAMP = BUILT / "sources.sha256"
LOCK = SOURCES / "package-lock.json"
_MADE = {"node_modules", "dist"}


def digest() -> str:
    """The digest of all sources, their names included."""
    found = sha256()
    for path in sorted(SOURCES.rglob("*")):
        name = path.relative_to(SOURCES)
        if path.is_file() and name.parts[0] not in _MADE:
            found.update(f"{name.as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def without_addresses(lock: str) -> str:
    """The text of a lock file without what names addresses and installs nothing."""
    told = json.loads(lock)
    for package in told["packages"].values():
        package.pop("funding", None)
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def differences(folder: Path) -> list[str]:
    """The files of another build that are not as committed, or missing on either side."""
    ours, theirs = _files(BUILT) - {STAMP.name}, _files(folder)
    _, changed, wrong = filecmp.cmpfiles(BUILT, folder, sorted(ours & theirs), shallow=False)
    return sorted({*(ours ^ theirs), *changed, *wrong})


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["stamp"]:
            LOCK.write_text(without_addresses(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
            STAMP.write_text(f"{digest()}\n", encoding="utf-8")
        case ["compare", given]:
            if found := differences(Path(given)):
                sys.exit(f"`make pages` makes something else of: {', '.join(found)}")
        case _:
            sys.exit(__doc__)
