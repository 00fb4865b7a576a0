"""`octavo new`: a project that starts."""

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.settings import load_settings, missing_secrets
from tests.cli.conftest import refused, said

FILES = {".env", ".gitignore", "config/api.toml", "config/server.toml", "public/uploads/.gitkeep"}


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("blank", [False, True])
def test_makes_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blank: bool) -> None:
    monkeypatch.chdir(tmp_path)
    lines = said(CliRunner().invoke(main, ["new", "our site", *(["--blank"] if blank else [])]))
    assert lines[:4] == ["Made our site. Next:", "", "  cd 'our site'", f"  octavo develop{'' if blank else ' --seed'}"]
    made = files(tmp_path / "our site")
    assert made >= FILES
    assert ("seed/seed.json" in made) is not blank
    assert stat.S_IMODE((tmp_path / "our site/.env").stat().st_mode) == 0o600
    settings = load_settings(tmp_path / "our site", {}, "production")
    assert (settings.profile, settings.adopted, missing_secrets(settings)) == ("safe", False, ())
    result = CliRunner().invoke(main, ["content-types", "list", "--project", "our site", "--json"])
    assert ("api::article.article" in result.stdout) is not blank


def test_secrets_are_never_the_same(tmp_path: Path) -> None:
    for name in ("one", "two"):
        said(CliRunner().invoke(main, ["new", str(tmp_path / name), "--blank"]))
    one, two = ((tmp_path / name / ".env").read_text("utf-8").splitlines()[1:] for name in ("one", "two"))
    assert len(set(one) | set(two)) == 10


def test_leaves_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").touch()
    message = f"{tmp_path} is there already and not empty"
    assert refused(CliRunner().invoke(main, ["new", str(tmp_path)])) == message
    assert files(tmp_path) == {"kept.txt"}
