"""A project, and commands that run in this process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from tests.cli.projects import database_variables, make_project

Call = Callable[..., Result]

CACHES = """
[caching.surrogateKeys]
headers = ["Surrogate-Key"]
[caching.purge.caches.front]
kind = "purge"
url = "http://127.0.0.1:9"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A v4 project with stories and places."""
    return make_project(tmp_path / "site")


@pytest.fixture(params=["sqlite", "postgresql"])
def call(request: pytest.FixtureRequest, project: Path) -> Call:
    """Return a function that runs a command on the project, with each database."""
    on_server = request.param == "postgresql"
    variables = database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(main, [*arguments, "--project", str(project)], env=variables, **options)

    return run


@pytest.fixture
def cached(project: Path) -> Path:
    """The project with an unreachable CDN."""
    (project / "config").mkdir(exist_ok=True)
    (project / "config/api.toml").write_text(CACHES, "utf-8")
    return project


def said(result: Result) -> list[str]:
    """Return the output lines of a successful command, without trailing blanks."""
    assert result.exit_code == 0, result.output
    return [line.rstrip() for line in result.stdout.splitlines()]


def answered(result: Result) -> Any:
    """Return the JSON of a successful command."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(result: Result) -> str:
    """Return the error message of a failed command."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    return result.stderr.removeprefix("Error: ").rstrip()


def purges(call: Call) -> list[list[str]]:
    """Return the tags of pending purges, in order."""
    found = sorted(answered(call("jobs", "list", "--json"))["waiting"], key=lambda one: one["id"])
    return [one["payload"]["tags"] for one in found if one["topic"] == "purge"]
