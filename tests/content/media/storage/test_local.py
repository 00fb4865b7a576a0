"""The folder of uploads: complete files or none, and never one outside of it."""

import io
import os
import time
from pathlib import Path

import pytest

from octavo.content.media.storage.local import LocalStorage
from octavo.core.errors import PayloadTooLargeError
from tests.models.v4_names import V4_NAMES


def test_a_file_appears_when_it_is_published(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path / "new/uploads")
    path = storage.workspace.temporary()
    assert storage.workspace.receive(io.BytesIO(b"x" * 3_000_000), path, 3_000_000) == 3_000_000
    assert [item.name.startswith(".") for item in path.parent.iterdir()] == [True]
    storage.write(path, "a_1.png", "image/png")
    storage.flush()
    with storage.open("a_1.png") as file:
        assert file.read(3) == b"xxx"
    assert {item.name: item.stat().st_size for item in path.parent.iterdir()} == {"a_1.png": 3_000_000}
    assert storage.url_of("a_1.png") == "/uploads/a_1.png"
    storage.remove(["a_1.png", "never_there.png"])
    assert list(path.parent.iterdir()) == []


def test_a_file_past_the_limit(tmp_path: Path) -> None:
    workspace = LocalStorage(tmp_path).workspace
    with pytest.raises(PayloadTooLargeError):
        workspace.receive(io.BytesIO(b"x" * 11), workspace.temporary(), 10)


def test_copies_and_moves(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    for name in ("old.txt", "new.txt"):
        (tmp_path / name).write_text(name)
    assert storage.copy("old.txt", ".upload-1")
    assert not storage.copy("none.txt", ".upload-2")
    storage.move("new.txt", "old.txt")
    assert {item.name: item.read_text() for item in tmp_path.iterdir()} == {
        ".upload-1": "old.txt",
        "old.txt": "new.txt",
    }


@pytest.mark.parametrize(
    "url, name",
    [
        ("/uploads/a_1.png", "a_1.png"),
        ("/uploads/../a_1.png", None),
        ("https://example.org/uploads/a_1.png", None),
        ("/uploads/", None),
        ("/uploads/.", None),
        ("/uploads/..", None),
        ("/uploads/.htaccess", None),
        ("/uploads/.upload-", None),
        ("/uploads/a\\b", None),
        ("/uploads/a\0b", None),
        ("/uploads/a\nb", None),
        ("/uploads/a/b", None),
        (f"/uploads/{'a' * 256}", None),
        (f"/uploads/{'ü' * 128}", None),
        *((f"/uploads/{name}", name) for name in V4_NAMES),
    ],
)
def test_names_in_urls(tmp_path: Path, url: str, name: str | None) -> None:
    assert LocalStorage(tmp_path).name_of(url) == name


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".hidden", "a\0", "a\n"])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "uploads"
    storage = LocalStorage(folder)
    path = storage.workspace.temporary()
    path.touch()
    (tmp_path / "a").touch()
    with pytest.raises(ValueError, match="not a valid file name"):
        storage.write(path, name, "image/png")
    storage.remove([name])
    assert (tmp_path / "a").exists()


def test_temporary_files_of_killed_processes_are_removed_after_a_day(tmp_path: Path) -> None:
    workspace = LocalStorage(tmp_path).workspace
    old, new = workspace.temporary(), workspace.temporary()
    for path in (old, new, tmp_path / "kept.png"):
        path.touch()
    yesterday = time.time() - 25 * 3600
    for path in (old, tmp_path / "kept.png"):
        os.utime(path, (yesterday, yesterday))
    assert workspace.sweep() == 1
    assert {item.name for item in tmp_path.iterdir()} == {new.name, "kept.png"}
    assert LocalStorage(tmp_path / "missing").workspace.sweep() == 0


def test_private_files_are_removed_while_they_are_not_enabled(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path, private_key="k")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    storage.set_private(["a.txt"], private=True)
    LocalStorage(tmp_path).remove(["a.txt", "b.txt"])
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []
