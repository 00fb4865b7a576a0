"""Reading archives: their formats, and invalid or malicious ones."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from octavo.operations.transfer.archive.encryption import DecryptingFile, EncryptingFile
from octavo.operations.transfer.archive.reader import ArchiveReader, open_archive, unpacked
from octavo.operations.transfer.problems import TransferError
from tests.operations.transfer.v4_archives import METADATA, tar_bytes, write_archive

FILES = {
    "entities/entities_00010.jsonl": b'{"last": true}',
    "entities/entities_00002.jsonl": b'{"a": 1}\n\n{"b": 2}\n',
    "assets/uploads/a.png": b"picture",
    "metadata.json": METADATA,
}


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.enc", "a.tar.gz.enc"])
def test_every_form(tmp_path: Path, name: str) -> None:
    path = write_archive(tmp_path / name, FILES, "secret")
    with open_archive(path, "secret", tmp_path / "work") as archive:
        assert [(str(place), line) for place, line, _ in archive.lines("entities")] == [
            ("entities/entities_00002.jsonl, line 1", {"a": 1}),
            ("entities/entities_00002.jsonl, line 3", {"b": 2}),
            ("entities/entities_00010.jsonl, line 1", {"last": True}),
        ]
        assert list(archive.uploads()) == ["a.png"]
        assert archive.metadata()["strapi"] == {"version": "4.26.2"}
    assert not (tmp_path / "work").exists() or list((tmp_path / "work").iterdir()) == []


def test_encryption_is_that_of_v4() -> None:
    """The first block of an archive that v4 encrypted with this key."""
    encrypted = io.BytesIO()
    with EncryptingFile(encrypted, "secretkey") as file:
        file.write(b"schemas/schemas_")
    assert encrypted.getvalue()[:16].hex() == "da52abdd76ed118b13d85f9d9ab984ef"
    decrypting = DecryptingFile(io.BytesIO(encrypted.getvalue()), "secretkey", "file")
    assert io.BufferedReader(decrypting).read() == b"schemas/schemas_"


@pytest.mark.parametrize("name", ["a.tar.enc", "a.tar.gz.enc"])
def test_a_wrong_key(tmp_path: Path, name: str) -> None:
    path = write_archive(tmp_path / name, FILES, "secret")
    with pytest.raises(TransferError, match="the key is wrong"), open_archive(path, "other", tmp_path):
        pass
    with pytest.raises(TransferError, match="requires its key"), open_archive(path, None, tmp_path):
        pass


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """Return an archive with one member of any type."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        tar.addfile(info, io.BytesIO())
    return made.getvalue()


WHOLE = tar_bytes(FILES)


@pytest.mark.parametrize(
    "content, problem",
    [
        (member("../../etc/passwd"), "is outside the archive"),
        (member("/etc/passwd"), "is outside the archive"),
        (member("assets/uploads/..\\x"), "is outside the archive"),
        (member("assets/uploads/x", tarfile.SYMTYPE, "/etc/passwd"), "neither a file nor a folder"),
        (member("assets/uploads/x", tarfile.LNKTYPE, "/etc/passwd"), "neither a file nor a folder"),
        (member("assets/uploads/x", tarfile.CHRTYPE), "neither a file nor a folder"),
        (WHOLE[:512], "cut off"),
        (WHOLE[:1024], "incomplete"),
        (WHOLE[:2048] + b"x" * 512 + WHOLE[2048:], "damaged or incomplete at byte"),
        (b"no archive" * 1000, "is not an archive of this kind"),
        (b"", "is not an archive of this kind"),
        (tar_bytes({"a": b"1"})[:1024] + tar_bytes({"a": b"2"}), "is a duplicate"),
    ],
)
def test_hostile_archives(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(TransferError, match=problem), open_archive(tmp_path / "a.tar", None, tmp_path):
        pass


@pytest.mark.parametrize(
    "lines, problem",
    [
        (b'{"a": 1}\n{"a": }\n', r"entities/entities_1.jsonl, line 2: is not valid JSON"),
        (b'{"a": 1}\n[1]\n', "line 2: is not a JSON object"),
        (b'{"a": 1}\n' + b'{"a": ' * 2000 + b"1" + b"}" * 2000, "line 2: is not valid JSON"),
        (b'{"a": "\xff"}\n', "line 1: is not valid JSON"),
        (b'{"a": 1}\n\n{"a": "' + b"x" * 100 + b'"}', "line 3: is longer than 64 bytes"),
    ],
)
def test_hostile_lines(lines: bytes, problem: str) -> None:
    file = io.BytesIO(tar_bytes({"entities/entities_1.jsonl": lines}))
    longest = 64 if "longer" in problem else 1_000_000
    with pytest.raises(TransferError, match=problem):
        list(ArchiveReader(Path("a.tar"), file, longest).lines("entities"))


@pytest.mark.parametrize(
    "content, problem",
    [
        (gzip.compress(bytes(50_000_000)), "unpacks to more than 200 times its size"),
        (gzip.compress(WHOLE)[:-20], "cannot be unpacked"),
        (b"\x1f\x8b" + b"x" * 100, "cannot be unpacked"),
        (WHOLE, "cannot be unpacked"),
    ],
)
def test_hostile_compression(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a.tar.gz").write_bytes(content)
    with (
        pytest.raises(TransferError, match=problem),
        unpacked(tmp_path / "a.tar.gz", None, tmp_path, freely=1_000_000),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


def test_missing_members() -> None:
    archive = ArchiveReader(Path("a.tar"), io.BytesIO(WHOLE))
    assert archive.has("entities")
    assert not archive.has("links")
    with pytest.raises(TransferError, match=r"a\.tar has no schemas/x"), archive.open("schemas/x"):
        pass
