"""Names similar to known ones stop the start. Other names are custom."""

from pathlib import Path

import pytest

from octavo.project import InvalidCode, load_code


def write(project: Path, *files: str) -> Path:
    for name in files:
        path = project / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def policy(context): return True\n", encoding="utf-8")
    return project


def test_unused_names_are_reported_with_the_nearest_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        "api/talk/controler/talk.py",
        "api/talk/service/talk.py",
        "api/talk/routes.py",
        "api/talk/content-types/talk/lifecycle.py",
        "middleware/timing.py",
    )
    (tmp_path / "src/index.py").write_text("def boostrap(app): ...\n", encoding="utf-8")
    hooks = tmp_path / "src/api/walk/content-types/walk/lifecycles.py"
    hooks.parent.mkdir(parents=True)
    hooks.write_text("def aftr_create(event): ...\ndef alter_title(event): ...\ndef before_delete(event): ...\n")
    with pytest.raises(InvalidCode) as caught:
        load_code(tmp_path)
    assert [str(problem) for problem in caught.value.problems] == [
        "src/middleware: unknown folder; did you mean middlewares?",
        "src/api/talk/controler: unknown folder; did you mean controllers?",
        "src/api/talk/routes.py: is not loaded from here. Move it to a folder: routes/NAME.py",
        "src/api/talk/service: unknown folder; did you mean services?",
        "src/api/talk/content-types/talk/lifecycle.py: unknown file; did you mean lifecycles.py?",
        "src/index.py: boostrap: unknown function, which is never called. Did you mean bootstrap?",
        "src/api/walk/content-types/walk/lifecycles.py: aftr_create: unknown function, which is never called. "
        "Did you mean after_create?",
    ]


def test_less_similar_names_are_custom(tmp_path: Path) -> None:
    own = ("api/talk/devices/lamp.py", "api/talk/prices.py", "api/talk/content-types/talk/words.py", "types.py")
    write(tmp_path, *own, "policies/good.py")
    (tmp_path / "src/controllers").mkdir()
    (tmp_path / "src/index.py").write_text("from os import register_at_fork as registers\n", encoding="utf-8")
    assert set(load_code(tmp_path).policies) == {"global::good"}
