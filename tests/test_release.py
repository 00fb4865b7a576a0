"""`make release`: conditions before it, files it writes, and checks of the built files."""

import datetime
import io
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.scripts import load_script

release = load_script("release")
CHANGELOG = """# Changelog

## 0.2.0 (unreleased)

Writing

- Faster pens.

## 0.1.0 (2026-01-31)

- The first.
"""


def git(repository: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words]
    return subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "T")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    (tmp_path / "src/octavo").mkdir(parents=True)
    (tmp_path / "src/octavo/__init__.py").write_text('__version__ = "0.1.0"\n', "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, "utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "-m", "Begin")
    return tmp_path


def test_the_notes_are_those_of_the_version(repository: Path) -> None:
    assert release.check_tree(repository, "0.2.0") == "Writing\n\n- Faster pens."
    day = datetime.date(2026, 3, 1)
    assert release.dated(CHANGELOG, "0.2.0", day) == CHANGELOG.replace("0.2.0 (unreleased)", "0.2.0 (2026-03-01)")
    assert release.versioned('"""A."""\n\n__version__ = "0.1.0"\n', "0.2.0") == '"""A."""\n\n__version__ = "0.2.0"\n'


@pytest.mark.parametrize(
    "version, why",
    [
        ("0.3.0", r"has no section '## 0\.3\.0 \(unreleased\)'"),
        ("0.1.0", "has no section"),
        ("v0.2.0", "is no version"),
        ("", "is no version"),
    ],
)
def test_other_versions_are_refused(repository: Path, version: str, why: str) -> None:
    with pytest.raises(release.Refused, match=why):
        release.check_tree(repository, version)


def test_dirty_or_tagged_trees_are_refused(repository: Path) -> None:
    (repository / "new.txt").touch()
    with pytest.raises(release.Refused, match=r"not clean:\n\?\? new\.txt"):
        release.check_tree(repository, "0.2.0")
    (repository / "new.txt").unlink()
    git(repository, "tag", "v0.2.0")
    with pytest.raises(release.Refused, match=r"there is a tag v0\.2\.0"):
        release.check_tree(repository, "0.2.0")
    with pytest.raises(release.Refused, match="says nothing of"):
        release.notes_of("## 0.2.0 (unreleased)\n\n## 0.1.0\n\n- The first.\n", "0.2.0")


def test_a_failed_release_changes_nothing(repository: Path) -> None:
    with pytest.raises(release.Refused, match="build"):
        release.release(repository, "0.2.0", dry=False)  # the repository contains no package to build
    assert git(repository, "status", "--porcelain", "--untracked-files=no") == ""
    assert git(repository, "tag") == ""


def test_the_tag_contains_the_notes(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(release.dated(CHANGELOG, "0.2.0", release.today()), "utf-8")
    release.commit(repository, "0.2.0", "Writing\n\n- Faster pens.")
    assert git(repository, "log", "-1", "--format=%s") == "Release 0.2.0\n"
    reported = git(repository, "tag", "--list", "--format=%(contents)", "v0.2.0")
    assert reported.strip() == "Octavo 0.2.0\n\nWriting\n\n- Faster pens."


def made(folder: Path, version: str, *more: str) -> tuple[Path, Path]:
    """Write a source distribution and a wheel with empty files."""
    source, wheel = folder / "octavo.tar.gz", folder / "octavo.whl"
    with tarfile.open(source, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("octavo/README.md"), io.BytesIO())
    with zipfile.ZipFile(wheel, "w") as packed:
        for name in (*release.CARRIED, *more):
            packed.writestr(name, "")
        packed.writestr(
            "octavo-1.dist-info/METADATA",
            f"Name: octavo\nVersion: {version}\nDescription-Content-Type: text/markdown\n",
        )
    return source, wheel


def test_built_files_are_checked(tmp_path: Path) -> None:
    release.check_files(*made(tmp_path, "0.2.0"), "0.2.0")
    with pytest.raises(release.Refused, match="metadata is wrong"):
        release.check_files(*made(tmp_path, "0.1.0"), "0.2.0")
    with pytest.raises(release.Refused, match=r"these belong to no release: octavo/sample/\.env, octavo/x/data\.db$"):
        release.check_files(*made(tmp_path, "0.2.0", "octavo/sample/.env", "octavo/x/data.db"), "0.2.0")
    assert all(
        (Path(__file__).parents[1] / "src" / name).exists() or "/documents/" in name or "/sample/" in name
        for name in release.CARRIED
    )
