"""The relevant files of a project, and the detection of changes."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from octavo.operations.runtime.project_files import is_read, read_marks

SCHEMA = "src/api/story/content-types/story/schema.json"


@pytest.mark.parametrize(
    "name, counts",
    [
        (SCHEMA, True),
        ("src/components/shared/seo.json", True),
        ("src/extensions/users-permissions/content-types/user/schema.json", True),
        ("src/index.py", True),
        ("src/api/story/policies/is-owner.py", True),
        ("config/plugins.toml", True),
        (".env", True),
        (".env.example", False),
        ("README.json", False),
        ("seed/seed.json", False),
        ("public/data.json", False),
        ("src/api/story/content-types/story/4913", False),
        (f"{SCHEMA}~", False),
        (f"{SCHEMA}.tmp", False),
        (f"{SCHEMA}.tmp.4711", False),
        (f"{SCHEMA}___jb_tmp___", False),
        (f"{SCHEMA}___jb_old___", False),
        ("src/.index.py.swp", False),
        ("src/.index.py.kate-swp", False),
        ("src/.#index.py", False),
        ("src/#index.py#", False),
        ("src/.goutputstream-1A2B3C", False),
        ("src/__pycache__/index.cpython-311.pyc", False),
        ("src/.git/hooks.json", False),
    ],
)
def test_which_files_count(name: str, counts: bool) -> None:
    assert is_read(Path("/site") / name, Path("/site")) is counts


def test_files_outside_the_project_are_ignored() -> None:
    assert not is_read(Path("/elsewhere/src/index.py"), Path("/site"))


def test_changes_of_a_mark(tmp_path: Path) -> None:
    """Writing, replacing a file and moving the folder change it. Reading does not."""
    index, other = tmp_path / "src/index.py", tmp_path / "src/index.py.tmp"
    index.parent.mkdir()
    index.write_text("one")
    first = read_marks(tmp_path)
    assert list(first) == [index]
    index.read_text()
    assert read_marks(tmp_path) == first
    times = index.stat().st_atime_ns, index.stat().st_mtime_ns
    index.write_text("three")
    os.utime(index, ns=times)
    second = read_marks(tmp_path)
    assert second != first
    other.write_text("three")
    os.utime(other, ns=times)
    assert read_marks(tmp_path) == second
    other.rename(index)
    assert read_marks(tmp_path) != second
    index.parent.rename(tmp_path / "away")
    assert read_marks(tmp_path) == {}


def test_folders_can_be_created_and_deleted_during_the_scan(tmp_path: Path) -> None:
    kept, going = tmp_path / "src/components/kept/seo.json", tmp_path / "src/components/going"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            going.joinpath("deep").mkdir(parents=True)
            going.joinpath("deep/seo.json").write_text("{}")
            shutil.rmtree(going)

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(come_and_go)
        try:
            assert all(kept in read_marks(tmp_path) for _ in range(1000))
        finally:
            done.set()
        coming.result()


def test_a_link_to_nowhere_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/api.toml").symlink_to(tmp_path / "nowhere")
    assert read_marks(tmp_path) == {}


@pytest.mark.parametrize("name", ["src/index.js", "src/api/tag/routes/tag.ts", "src/policies/own.mjs"])
def test_scripts_count_in_v4_projects(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.touch()
    assert read_marks(tmp_path).keys() == set()
    (tmp_path / "package.json").write_text('{"dependencies": {"@strapi/strapi": "4.26.2"}}')
    assert read_marks(tmp_path).keys() == {path}
    assert not is_read(tmp_path / "src/plugins/shop/node_modules/koa/index.js", tmp_path, scripts=True)
