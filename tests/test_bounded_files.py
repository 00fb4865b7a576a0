"""Size limits of files in a project: larger files, and paths that are no files, are refused with their name."""

import os
from pathlib import Path

import pytest

from octavo.core.bounded_files import FileRefused, FileTooLarge, read_own_file
from octavo.core.mail import templates
from octavo.core.mail.templates import compose
from octavo.operations.transfer.problems import SeedError
from octavo.operations.transfer.seed import LARGEST as LARGEST_SEED
from octavo.operations.transfer.seed import read_requests
from octavo.schema.definition_files import LARGEST_DEFINITION
from octavo.schema.loader import inspect_definitions
from octavo.settings import SettingsError, load_settings
from octavo.settings import sources as settings_files


def sparse(path: Path, size: int) -> Path:
    """Create a sparse file of that many zero bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_a_file_may_be_as_large_as_its_kind(tmp_path: Path) -> None:
    assert len(read_own_file(sparse(tmp_path / "a", 1024), 1024)) == 1024
    with pytest.raises(FileTooLarge, match=r"^a is larger than the limit of 1 kB$"):
        read_own_file(sparse(tmp_path / "a", 1025), 1024)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(FileRefused, match="is not a regular file"):
            read_own_file(tmp_path / name, 1024)
    with pytest.raises(FileNotFoundError):
        read_own_file(tmp_path / "none", 1024)


def test_settings(tmp_path: Path) -> None:
    sparse(tmp_path / "config/server.toml", settings_files.LARGEST + 1)
    with pytest.raises(
        SettingsError, match=r"config/server.toml: cannot be read: server.toml is larger than the limit of 1 MB"
    ):
        load_settings(tmp_path, {})


def test_definitions(tmp_path: Path) -> None:
    sparse(tmp_path / "src/api/a/content-types/a/schema.json", LARGEST_DEFINITION + 1)
    [problem] = inspect_definitions(tmp_path).problems
    assert problem.source == "src/api/a/content-types/a/schema.json"
    assert problem.message == "cannot be read: schema.json is larger than the limit of 4 MB"


def test_seeds(tmp_path: Path) -> None:
    sparse(tmp_path / "seed/seed.json", LARGEST_SEED + 1)
    with pytest.raises(SeedError, match=r"^seed/seed.json cannot be read: seed.json is larger than the limit of 64 MB"):
        read_requests(tmp_path)


def test_a_too_large_mail_template_is_replaced_by_the_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = next(iter(templates.BUILT_IN))
    data = {"URL": "https://a.example", "TOKEN": "t", "CODE": "c", "USER": {"username": "u"}}
    built_in = compose(name, tmp_path, None, "a@b.c", data)
    sparse(tmp_path / templates.FOLDER / f"{name}.html", templates.LARGEST + 1)
    assert compose(name, tmp_path, None, "a@b.c", data) == built_in
    assert f"{name}.html is larger than the limit of 1 MB" in caplog.text
