"""Handwritten archives in the format of `strapi export`."""

import gzip
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from octavo.operations.transfer.archive.encryption import EncryptingFile

METADATA = json.dumps({"createdAt": "2024-01-01T00:00:00.000Z", "strapi": {"version": "4.26.2"}}).encode()

Lines = Iterable[Mapping[str, Any]]


def jsonl(lines: Lines) -> bytes:
    """Return lines as v4 writes them, without a newline at the end."""
    return "\n".join(json.dumps(line) for line in lines).encode()


def tar_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return a tar file with these files in order."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def write_archive(path: Path, files: Mapping[str, bytes], key: str | None = None) -> Path:
    """Write an archive. The file name determines its compression and encryption."""
    content = tar_bytes(files)
    if ".gz" in path.suffixes:
        content = gzip.compress(content)
    if path.suffix == ".enc":
        assert key is not None
        encrypted = io.BytesIO()
        with EncryptingFile(encrypted, key) as file:
            file.write(content)
        content = encrypted.getvalue()
    path.write_bytes(content)
    return path
