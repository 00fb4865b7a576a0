"""Makes a release: `make release VERSION=1.2.0`, and `DRY=1` behind it to see whether it would go.

It checks the tree and the changelog, sets version and date, builds, installs what was built into a new environment
without a compiler, serves a project with it, and then commits and tags. It uploads nothing: it says what is left to do.
Whatever fails leaves the tree as it was.
"""

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from socket import create_server
from typing import Final
from urllib.request import urlopen

ROOT: Final = Path(__file__).resolve().parents[1]
VERSION_FILE: Final = Path("src/octavo/__init__.py")
CHANGELOG: Final = Path("CHANGELOG.md")
PATIENCE: Final = 120.0

CARRIED: Final = (
    "octavo/api/admin/pages/index.html",
    "octavo/sample/config/server.toml",
    "octavo/documents/docs/settings.md",
    "octavo/documents/docs/deploying.md",
    "octavo/documents/site/index.html",
    "octavo/documents/site/search.js",
    "octavo/documents/examples/systemd/octavo.service",
    "octavo/py.typed",
)
"""What a wheel has to have, beside code."""
UNWANTED: Final = re.compile(r"(^|/)(\.env|\.octavo|\.tmp|node_modules|__pycache__|[^/]*\.db)(/|$)")
"""What belongs to one machine."""


class Refused(Exception):
    """There is no release; why, in words for people."""


def notes_of(changelog: str, version: str) -> str:
    """What the changelog says of a version that is not released yet. Raises Refused."""
    found = re.search(
        rf"^## {re.escape(version)} \(unreleased\)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise Refused(f"{CHANGELOG} has no section '## {version} (unreleased)'")
    notes = found[1].strip()
    if not re.search(r"^- ", notes, re.MULTILINE):
        raise Refused(f"{CHANGELOG} says nothing of {version}")
    return notes


def dated(changelog: str, version: str, day: datetime.date) -> str:
    """The changelog with the day of the release."""
    return changelog.replace(f"## {version} (unreleased)\n", f"## {version} ({day.isoformat()})\n", 1)


def versioned(source: str, version: str) -> str:
    """The module that says the version, saying another one. Raises Refused."""
    changed, count = re.subn(r'^__version__ = "[^"]*"$', f'__version__ = "{version}"', source, flags=re.MULTILINE)
    if count != 1:
        raise Refused(f"{VERSION_FILE} does not say its version once")
    return changed


def said(root: Path, *command: str) -> str:
    """What a command says. Raises Refused with what went wrong."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def check_tree(root: Path, version: str) -> str:
    """Refuse what is no good beginning; the notes of the release."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"'{version}' is no version such as 1.2.0")
    if changes := said(root, "git", "status", "--porcelain"):
        raise Refused(f"the tree is not clean:\n{changes}")
    if said(root, "git", "tag", "--list", f"v{version}"):
        raise Refused(f"there is a tag v{version} already")
    return notes_of((root / CHANGELOG).read_text(encoding="utf-8"), version)


def build(root: Path, target: Path) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is made of it."""
    said(root, sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(root))
    return next(target.glob("*.tar.gz")), next(target.glob("*.whl"))


def check_files(source: Path, wheel: Path, version: str) -> None:
    """Whether both hold what they should, and nothing of this machine. Raises Refused."""
    with tarfile.open(source) as archive:
        sources = archive.getnames()
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = packed.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    if unwanted := [name for name in (*sources, *names) if UNWANTED.search(name)]:
        raise Refused(f"these belong to no release: {', '.join(unwanted[:10])}")
    if missing := set(CARRIED) - set(names):
        raise Refused(f"the wheel lacks {', '.join(sorted(missing))}")
    if f"\nVersion: {version}\n" not in metadata or "\nDescription-Content-Type: text/markdown" not in metadata:
        raise Refused(f"the wheel's metadata is wrong:\n{metadata[:600]}")


def try_wheel(wheel: Path, version: str, folder: Path) -> None:
    """Install it without a compiler, make a project, serve it, and ask it something. Raises Refused."""
    venv.create(folder / "venv", with_pip=True)
    program = str(folder / "venv/bin/octavo")
    said(folder, str(folder / "venv/bin/pip"), "install", "--quiet", "--only-binary", ":all:", str(wheel))
    if not said(folder, program, "version").startswith(f"Octavo {version} "):
        raise Refused("the installed command says another version")
    said(folder, program, "docs", "deploying")
    said(folder, program, "new", "site")
    with create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    log = folder / "log"
    with log.open("w") as written:
        command = [program, "start", "--project", str(folder / "site"), "--port", port]
        service = subprocess.Popen(command, stdout=written, stderr=written)
    try:
        wait_for(f"http://127.0.0.1:{port}/_ready", service, log)
        with urlopen(f"http://127.0.0.1:{port}/admin", timeout=PATIENCE) as answer:
            if b"<html" not in answer.read():
                raise Refused("/admin shows no page")
    finally:
        service.terminate()
        service.wait(PATIENCE)


def wait_for(address: str, service: subprocess.Popen[bytes], log: Path) -> None:
    """Until it answers. Raises Refused with its log when it does not."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and service.poll() is None:
        try:
            with urlopen(address, timeout=PATIENCE):  # noqa: S310 - our own service
                return
        except OSError:
            time.sleep(0.2)
    raise Refused(f"what was installed does not serve:\n{log.read_text()}")


def release(root: Path, version: str, *, dry: bool) -> None:
    """All of it. Raises Refused."""
    notes = check_tree(root, version)
    try:
        for path, text in (
            (root / VERSION_FILE, versioned((root / VERSION_FILE).read_text(encoding="utf-8"), version)),
            (root / CHANGELOG, dated((root / CHANGELOG).read_text(encoding="utf-8"), version, today())),
        ):
            path.write_text(text, encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="octavo-release-") as name:
            source, wheel = build(root, Path(name))
            check_files(source, wheel, version)
            tell(f"Built {source.name} ({size(source)}) and {wheel.name} ({size(wheel)})")
            try_wheel(wheel, version, Path(name))
            tell("Installed without a compiler; serves a new project")
            (root / "dist").mkdir(exist_ok=True)
            kept = [Path(shutil.copy(made, root / "dist")) for made in (source, wheel)]
        if not dry:
            commit(root, version, notes)
    finally:
        said(root, "git", "checkout", "--quiet", "HEAD", "--", str(VERSION_FILE), str(CHANGELOG))
    tell(f"\n{notes}\n")
    if dry:
        tell("Nothing was committed or tagged: this was a dry run")
        return
    tell(f"Tagged v{version}. What is left to do, when you want it to be seen:")
    tell(f"  git push origin HEAD v{version}")
    tell(f"  twine upload {' '.join(str(path.relative_to(root)) for path in kept)}")


def commit(root: Path, version: str, notes: str) -> None:
    """The commit of the release, and its tag with the notes."""
    said(root, "git", "commit", "--quiet", "-m", f"Release {version}", "--", str(VERSION_FILE), str(CHANGELOG))
    said(root, "git", "tag", "--annotate", f"v{version}", "--cleanup=verbatim", "-m", f"Octavo {version}\n\n{notes}\n")


def today() -> datetime.date:
    """The day of the release."""
    return datetime.datetime.now(datetime.UTC).date()


def size(path: Path) -> str:
    """For people."""
    return f"{path.stat().st_size / 1e6:.1f} MB"


def tell(text: str) -> None:
    """Say how far it is."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--dry", action="store_true", default=bool(os.environ.get("DRY")))
    given = parser.parse_args()
    try:
        release(ROOT, given.version, dry=given.dry)
    except Refused as refused:
        sys.exit(f"No release: {refused}")


if __name__ == "__main__":
    main()
