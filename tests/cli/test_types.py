"""`octavo types` writes a file, and `--check` fails if it is not up to date."""

from pathlib import Path

from click.testing import CliRunner, Result

from octavo.cli import main
from tests.modeling.typings.projects import write_project


def run(project: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["types", "--project", str(project), *arguments])


def test_a_file_is_written_and_checked(tmp_path: Path) -> None:
    project, file = write_project(tmp_path / "conference"), tmp_path / "site/src/content.ts"
    assert run(project, "--typescript", "--check", "--output", str(file)).exit_code == 1
    written = run(project, "--typescript", "--output", str(file))
    assert (written.exit_code, written.output) == (0, f"Wrote {file}\n")
    assert file.read_text() == run(project, "--typescript").output
    assert run(project, "--typescript", "--check", "--output", str(file)).exit_code == 0
    file.write_text("")
    stale = run(project, "--typescript", "--check", "--output", str(file))
    assert (stale.exit_code, "is not up to date" in stale.output) == (1, True)


def test_missing_options_are_reported(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    assert "Pass --typescript" in run(project).output
    assert "--strapi requires --typescript" in run(project, "--strapi").output
    assert "--check needs --output" in run(project, "--typescript", "--check").output
    assert "declare module" in run(project, "--typescript", "--strapi").output
