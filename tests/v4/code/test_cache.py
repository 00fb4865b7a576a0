"""The cached code analysis of an unchanged project: the same value, never that of another project."""

import json
from pathlib import Path

import pytest

from octavo.schema.loader import load_registry
from octavo.settings.package_json import DeclaredPlugin
from octavo.v4.code import Code
from octavo.v4.code.cache import FILE, cached_code, decode, encode
from octavo.v4.code.read import read_code
from tests.models.v4_project import write_files
from tests.v4.adoption.project import make_v4_project


class Reads:
    """Counts how often a project is read."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.count = 0

    def __call__(self) -> Code:
        self.count += 1
        return read_code(self.project, load_registry(self.project))

    def code(self) -> Code:
        return cached_code(self.project, load_registry(self.project), (), self)


def test_an_unchanged_project_is_read_once(tmp_path: Path) -> None:
    reads = Reads(make_v4_project(tmp_path))
    first, second = reads.code(), reads.code()
    assert (first, reads.count) == (second, 1)
    assert first == read_code(tmp_path, load_registry(tmp_path))
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "name",
    [
        "src/policies/is-friend.js",
        "src/policies/other.js",
        "src/policies/is-friend.py",
        "config/middlewares.js",
        "lib/helper.js",
        "package.json",
        "src/plugins/shop/dist/server/index.js",
        "node_modules/.package-lock.json",
    ],
)
def test_a_changed_file_is_read(tmp_path: Path, name: str) -> None:
    reads = Reads(make_v4_project(tmp_path))
    reads.code()
    path = tmp_path / name
    write_files(tmp_path, {name: f"{path.read_text() if path.exists() else ''} "})
    reads.code()
    assert reads.count == 2


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"key": 1}', "\x00"])
def test_a_damaged_file_is_replaced(tmp_path: Path, content: str) -> None:
    reads = Reads(make_v4_project(tmp_path))
    first = reads.code()
    (tmp_path / FILE).write_text(content)
    assert (reads.code(), reads.count) == (first, 2)
    assert (reads.code(), reads.count) == (first, 2)


def test_a_stored_value_of_another_kind_is_not_used(tmp_path: Path) -> None:
    reads = Reads(make_v4_project(tmp_path))
    first = reads.code()
    stored = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**stored, "code": ["class", "Path", {}]}))
    assert (reads.code(), reads.count) == (first, 2)


def test_values_survive() -> None:
    values = {"a": (1, "x", None), "b": [True, 1.5, {"c": frozenset(("y", "z"))}]}
    assert decode(json.loads(json.dumps(encode(values)))) == values


def test_a_changed_plugin_in_the_build_folder_is_read(tmp_path: Path) -> None:
    project = make_v4_project(tmp_path)
    declared = (DeclaredPlugin("shop", resolve="./dist/src/plugins/shop"),)
    write_files(project, {"dist/src/plugins/shop/strapi-server.js": "module.exports = {}"})
    count = 0

    def read() -> Code:
        nonlocal count
        count += 1
        return read_code(project, load_registry(project), declared)

    for text in ("module.exports = {}", "module.exports = {}", "module.exports = { a: 1 }"):
        write_files(project, {"dist/src/plugins/shop/strapi-server.js": text})
        cached_code(project, load_registry(project), declared, read)
    assert count == 2


def test_a_link_to_another_folder_is_read(tmp_path: Path) -> None:
    reads = Reads(make_v4_project(tmp_path))
    write_files(tmp_path, {"lib/a/x.js": "module.exports = 1", "dist/b/x.js": "module.exports = 1"})
    link = tmp_path / "src/linked"
    link.symlink_to("../lib/a", target_is_directory=True)
    reads.code()
    link.unlink()
    link.symlink_to("../dist/b", target_is_directory=True)
    reads.code()
    assert reads.count == 2
    write_files(tmp_path, {"dist/b/x.js": "module.exports = 2"})
    reads.code()
    reads.code()
    assert reads.count == 3
