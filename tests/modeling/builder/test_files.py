"""Files of a change: all of them or none, and only inside the project."""

from pathlib import Path

import pytest

from octavo.modeling.builder.drafts import json_text
from octavo.modeling.builder.files import FileChanges, UnsafePath, apply_changes
from octavo.settings.v4_package import v4_type_files

OLD = "src/api/a/schema.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src/api/a").mkdir(parents=True)
    (tmp_path / OLD).write_text("old")
    (tmp_path / "src/components/gone").mkdir(parents=True)
    (tmp_path / "src/components/gone/part.json").write_text("part")
    return tmp_path


def contents(project: Path) -> dict[str, str | None]:
    found = sorted((project / "src").rglob("*"))
    return {path.relative_to(project).as_posix(): path.read_text() if path.is_file() else None for path in found}


def test_a_change_is_applied_and_undone(project: Path) -> None:
    before = contents(project)
    (project / OLD).chmod(0o640)
    written = {OLD: b"new", "src/api/b/c/schema.json": b"b"}
    applied = apply_changes(project, FileChanges(written, ("src/components/gone/part.json",)))
    after = contents(project)
    assert (after[OLD], after["src/api/b/c/schema.json"]) == ("new", "b")
    assert "src/components/gone" not in after  # a folder is deleted with its last file
    assert (project / OLD).stat().st_mode & 0o777 == 0o640
    applied.undo()
    assert contents(project) == before
    assert not [*(project / ".octavo").iterdir()]


def test_failed_changes_leave_no_files(project: Path) -> None:
    before = contents(project)
    (project / "src/api/file").write_text("no folder")
    with pytest.raises(NotADirectoryError):
        apply_changes(project, FileChanges({OLD: b"new", "src/api/file/schema.json": b"x"}, ("src/components/gone",)))
    (project / "src/api/file").unlink()
    assert contents(project) == before


@pytest.mark.parametrize("name", ["src/../../evil", "/tmp/evil", "config/server.toml", "src/link/evil", "package.json"])
def test_paths_outside_the_project_are_refused(
    project: Path, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (project / "src/link").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(UnsafePath):
        apply_changes(project, FileChanges({name: b"x"}))
    with pytest.raises(UnsafePath):
        apply_changes(project, FileChanges({}, (name,)))


def test_json_is_formatted_as_by_javascript() -> None:
    value = {"a": 2.0, "b": 1e21, "c": 1e-7, "d": [], "e": {}, "f": ["é\u2028"], "g": True, "h": None}
    assert json_text(value) == (
        '{\n  "a": 2,\n  "b": 1e+21,\n  "c": 1e-7,\n  "d": [],\n  "e": {},\n  "f": [\n    "é\u2028"\n  ],\n'
        '  "g": true,\n  "h": null\n}\n'
    )


def test_code_of_v4_is_created_where_none_exists(project: Path) -> None:
    assert v4_type_files(project, "api::talk.talk") == {}
    (project / "package.json").write_text('{"dependencies": {"@strapi/strapi": "4.26.2"}}')
    found = v4_type_files(project, "api::talk.talk")
    assert [*found] == [f"src/api/talk/{folder}/talk.js" for folder in ("controllers", "routes", "services")]
    assert found["src/api/talk/routes/talk.js"].decode().endswith("= createCoreRouter('api::talk.talk');\n")
    controller = project / "src/api/talk/controllers/talk.js"
    controller.parent.mkdir(parents=True)
    controller.write_text(
        "module.exports = require('@strapi/strapi').factories.createCoreController('api::talk.talk');"
    )
    assert len(v4_type_files(project, "api::talk.talk")) == 3
    controller.write_text("module.exports = createCoreController('api::talk.talk', () => ({ own() {} }));")
    assert len(v4_type_files(project, "api::talk.talk")) == 2
    (project / "tsconfig.json").write_text("{}")
    assert "src/api/talk/services/talk.ts" in v4_type_files(project, "api::talk.talk")
