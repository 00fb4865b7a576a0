"""Unpack archives of recordings the same way on every Python: `extractall(filter=...)` came with 3.11.4."""

import lzma
import shutil
import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Write the files and folders of a `.tar.xz` into a folder.

    Raises ValueError for a member that is neither file nor folder, or whose path leads out of the folder.
    """
    with lzma.open(archive) as packed, tarfile.open(fileobj=packed) as members:
        for member in members:
            target = _target(folder, member)
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                _write_file(members, member, target)


def _target(folder: Path, member: tarfile.TarInfo) -> Path:
    """Return the path of a member. Links, devices and paths outside the folder are refused."""
    if not (member.isfile() or member.isdir()):
        raise ValueError(f"{member.name!r} is neither a file nor a folder")
    target = (folder / member.name).resolve()
    if not target.is_relative_to(folder.resolve()):
        raise ValueError(f"{member.name!r} leads out of the folder")
    return target


def _write_file(members: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    content = members.extractfile(member)
    assert content is not None
    with content, target.open("wb") as file:
        shutil.copyfileobj(content, file)
