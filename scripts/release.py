"""Create a release: `make release VERSION=1.2.0`, or with `DRY=1` only check whether it would succeed.

Checks the tree and the changelog, sets version and date, builds, installs the result into a new environment without a
compiler, serves a project with it, then commits and tags. It uploads nothing and prints the remaining steps. A failure
leaves the tree as it was.
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
"""What a wheel must contain besides code."""
UNWANTED: Final = re.compile(r"(^|/)(\.env|\.octavo|\.tmp|node_modules|__pycache__|[^/]*\.db)(/|$)")
"""Files that belong to one machine."""


class Refused(Exception):
    """The release is refused; the message is the reason."""


def notes_of(changelog: str, version: str) -> str:
    """Return the changelog of an unreleased version. Raises Refused."""
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
    """Return the changelog with the date of the release."""
    return changelog.replace(f"## {version} (unreleased)\n", f"## {version} ({day.isoformat()})\n", 1)


def versioned(source: str, version: str) -> str:
    """Return the version module with another version. Raises Refused."""
    changed, count = re.subn(r'^__version__ = "[^"]*"$', f'__version__ = "{version}"', source, flags=re.MULTILINE)
    if count != 1:
        raise Refused(f"{VERSION_FILE} does not say its version once")
    return changed


def run(root: Path, *command: str) -> str:
    """Run a command and return its output. Raises Refused with its error."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def check_tree(root: Path, version: str) -> str:
    """Check that the tree can be released, and return the release notes. Raises Refused."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"'{version}' is no version such as 1.2.0")
    if changes := run(root, "git", "status", "--porcelain"):
        raise Refused(f"the tree is not clean:\n{changes}")
    if run(root, "git", "tag", "--list", f"v{version}"):
        raise Refused(f"there is a tag v{version} already")
    return notes_of((root / CHANGELOG).read_text(encoding="utf-8"), version)


def build(root: Path, target: Path) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it."""
    run(root, sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(root))
    return next(target.glob("*.tar.gz")), next(target.glob("*.whl"))


def check_files(source: Path, wheel: Path, version: str) -> None:
    """Check that both contain what they should, and nothing of this machine. Raises Refused."""
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
    """Install the wheel without a compiler, create a project, serve it, and send a request. Raises Refused."""
    venv.create(folder / "venv", with_pip=True)
    program = str(folder / "venv/bin/octavo")
    run(folder, str(folder / "venv/bin/pip"), "install", "--quiet", "--only-binary", ":all:", str(wheel))
    if not run(folder, program, "version").startswith(f"Octavo {version} "):
        raise Refused("the installed command says another version")
    run(folder, program, "docs", "deploying")
    run(folder, program, "new", "site")
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
    """Wait for a response. Raises Refused with the log if there is none."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and service.poll() is None:
        try:
            with urlopen(address, timeout=PATIENCE):  # noqa: S310 - our own service
                return
        except OSError:
            time.sleep(0.2)
    raise Refused(f"what was installed does not serve:\n{log.read_text()}")


def release(root: Path, version: str, *, dry: bool) -> None:
    """Create the release. Raises Refused."""
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
        run(root, "git", "checkout", "--quiet", "HEAD", "--", str(VERSION_FILE), str(CHANGELOG))
    tell(f"\n{notes}\n")
    if dry:
        tell("Nothing was committed or tagged: this was a dry run")
        return
    tell(f"Tagged v{version}. What is left to do, when you want it to be seen:")
    tell(f"  git push origin HEAD v{version}")
    tell(f"  twine upload {' '.join(str(path.relative_to(root)) for path in kept)}")


def commit(root: Path, version: str, notes: str) -> None:
    """The commit of the release, and its tag with the notes."""
    run(root, "git", "commit", "--quiet", "-m", f"Release {version}", "--", str(VERSION_FILE), str(CHANGELOG))
    run(root, "git", "tag", "--annotate", f"v{version}", "--cleanup=verbatim", "-m", f"Octavo {version}\n\n{notes}\n")


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
