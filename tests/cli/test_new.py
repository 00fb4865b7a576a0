"""`octavo new`: the new project starts."""

import re
import stat
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.settings import load_settings, missing_secrets
from tests.cli.conftest import refused, said

FILES = {".env", ".gitignore", "README.md", "config/api.toml", "config/server.toml", "public/uploads/.gitkeep"}


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("blank", [False, True])
def test_makes_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blank: bool) -> None:
    monkeypatch.chdir(tmp_path)
    lines = said(CliRunner().invoke(main, ["new", "our site", *(["--blank"] if blank else [])]))
    assert lines[:4] == [
        "Created our site. Next:",
        "",
        "  cd 'our site'",
        f"  octavo develop{'' if blank else ' --seed'}",
    ]
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


def test_existing_folders_are_not_changed(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").touch()
    message = f"{tmp_path} already exists and is not empty"
    assert refused(CliRunner().invoke(main, ["new", str(tmp_path)])) == message
    assert files(tmp_path) == {"kept.txt"}


def commands_of(readme: str) -> list[list[str]]:
    code = re.findall(r"^octavo ([^#\n]+)|`octavo ([^`]+)`", readme, re.MULTILINE)
    return [(one or other).split() for one, other in code]


@pytest.mark.parametrize("blank", [False, True])
def test_the_readme_describes_the_project(tmp_path: Path, blank: bool) -> None:
    project = tmp_path / "garden"
    said(CliRunner().invoke(main, ["new", str(project), *(["--blank"] if blank else [])]))
    readme = (project / "README.md").read_text("utf-8")
    assert readme.startswith("# garden\n\n")
    assert ("| Article | `/api/articles` | yes | no |" in readme) is not blank
    assert ("| Homepage | `/api/homepage` | yes | yes |" in readme) is not blank
    assert ("--seed" in readme, "`shared.seo`" in readme) == (not blank, not blank)
    assert ("There are no content types yet" in readme) is blank
    assert "install a wheel or a working copy" in readme
    named = re.findall(r"^\| `([^`]+)` \| [a-z]", readme, re.MULTILINE)
    assert {"config", ".env", "src/api"} <= set(named)
    assert [name for name in named if not (project / name).exists()] == [".octavo", "database/migrations"]
    for words in commands_of(readme):
        command: click.Command | None = main
        for word in words:
            if isinstance(command, click.Group) and not word.startswith("--"):
                command = command.get_command(click.Context(command), word)
                assert command is not None, words
        options = {name for parameter in command.params for name in parameter.opts} if command else set()
        assert {word for word in words if word.startswith("--")} <= options | {"--help"}, words
