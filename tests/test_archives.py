"""Unpacking archives writes their members, and nothing outside the folder."""

import io
import tarfile
from pathlib import Path

import pytest

from tests.archives import unpack


def make_archive(path: Path, *members: tuple[str, bytes, str]) -> Path:
    """Write an archive of members: name, type, and a file's content or a link's target."""
    with tarfile.open(path, "w:xz") as archive:
        for name, kind, text in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            content = text.encode() if kind == tarfile.REGTYPE else b""
            member.size = len(content)
            member.linkname = "" if content else text
            archive.addfile(member, io.BytesIO(content))
    return path


def test_files_and_folders_are_written(tmp_path: Path) -> None:
    archive = make_archive(
        tmp_path / "a.tar.xz",
        ("a", tarfile.DIRTYPE, ""),
        ("a/one.txt", tarfile.REGTYPE, "one"),
        ("b/c/../two.txt", tarfile.REGTYPE, "two"),
    )
    folder = tmp_path / "out"
    folder.mkdir()
    unpack(archive, folder)
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert found == {"a/one.txt": "one", "b/two.txt": "two"}


@pytest.mark.parametrize(
    "name,kind,text",
    [
        ("../outside.txt", tarfile.REGTYPE, "x"),
        ("a/../../outside.txt", tarfile.REGTYPE, "x"),
        ("/outside.txt", tarfile.REGTYPE, "x"),
        ("link", tarfile.SYMTYPE, "../outside.txt"),
        ("link", tarfile.LNKTYPE, "../outside.txt"),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("disk", tarfile.BLKTYPE, ""),
    ],
)
def test_nothing_is_written_elsewhere(tmp_path: Path, name: str, kind: bytes, text: str) -> None:
    folder = tmp_path / "in/out"
    folder.mkdir(parents=True)
    archive = make_archive(tmp_path / "a.tar.xz", (name, kind, text))
    with pytest.raises(ValueError, match=r"leads out of the folder|neither a file nor a folder"):
        unpack(archive, folder)
    assert [path for path in (tmp_path / "in").rglob("*") if path != folder] == []
