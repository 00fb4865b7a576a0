"""Check that the built admin pages belong to their sources.

`pages.py stamp` removes URLs of sponsors from the lock file, and writes the digest of the sources to the built pages.
`pages.py compare FOLDER` fails if another build, in FOLDER, differs from the committed one.
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
_GENERATED = {"node_modules", "dist"}


def digest() -> str:
    """Return the digest of all sources, including their names."""
    found = sha256()
    for path in sorted(SOURCES.rglob("*")):
        name = path.relative_to(SOURCES)
        if path.is_file() and name.parts[0] not in _GENERATED:
            found.update(f"{name.as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def without_funding(lock: str) -> str:
    """Return the text of a lock file without `funding`, which has no effect on the installation."""
    content = json.loads(lock)
    for package in content["packages"].values():
        package.pop("funding", None)
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def differences(folder: Path) -> list[str]:
    """Return the files of another build that differ from the committed ones, or are missing on either side."""
    ours, theirs = _files(BUILT) - {STAMP.name}, _files(folder)
    _, changed, wrong = filecmp.cmpfiles(BUILT, folder, sorted(ours & theirs), shallow=False)
    return sorted({*(ours ^ theirs), *changed, *wrong})


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["stamp"]:
            LOCK.write_text(without_funding(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
            STAMP.write_text(f"{digest()}\n", encoding="utf-8")
        case ["compare", given]:
            if found := differences(Path(given)):
                sys.exit(f"`make pages` builds other files than the committed ones: {', '.join(found)}")
        case _:
            sys.exit(__doc__)
