"""`octavo doctor`: a file for bug reports, complete even in a broken project, and without secrets."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo import __version__
from tests.cli.processes import free_port, run, serving
from tests.cli.projects import make_project, write_type

SECRET = "hush-4711-hush-4711"
TOKEN = {"OCTAVO_SERVER__METRICS__TOKEN": SECRET}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site", secrets=f"JWT_SECRET={SECRET}\nAPI_TOKEN_SALT={SECRET}\n")


def report_of(project: Path, **variables: str) -> tuple[dict[str, Any], str]:
    """Return the report and the output."""
    file = project.parent / "report.json"
    code, output = run("doctor", "--project", str(project), "--file", str(file), **variables)
    assert code == 0, output
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text("utf-8")
    assert SECRET not in text + output
    return json.loads(text), output


def test_collects_facts_of_a_running_service(project: Path) -> None:
    with serving("start", project, **TOKEN) as server:
        server.hear_of("Octavo serves")
        report, output = report_of(project, **TOKEN)
        assert server.stop()[0] == 0
    assert "Not collected" not in output
    assert report["versions"]["octavo"] == __version__
    assert "granian" in report["versions"]["packages"]
    [token] = [one for one in report["settings"]["changed"] if one["key"] == "metrics.token"]
    assert token["source"] == "OCTAVO_SERVER__METRICS__TOKEN"
    assert report["definitions"]["contentTypes"] == ["api::place.place", "api::story.story"]
    assert report["database"]["system"] == "SQLite"
    assert "stories" in report["database"]["tables"]
    assert report["service"]["ready"] is True
    assert isinstance(report["service"]["log"], list)


def test_missing_sections_are_reported(project: Path) -> None:
    write_type(project, "{")
    address = f"postgresql://somebody:{SECRET}@127.0.0.1:{free_port()}/nothing"
    report, output = report_of(project, DATABASE_URL=address)
    assert "schema.json" in report["definitions"]["problem"]
    assert report["database"]["problem"].startswith("PostgreSQL at 127.0.0.1:")
    assert output.count("Not collected: ") == 3
    assert report["settings"]["profile"] == "v4"


def test_settings_that_are_invalid(project: Path) -> None:
    report, output = report_of(project, PORT="x")
    assert sorted(report) == ["settings", "versions"]
    assert "PORT: server.port" in report["settings"]["problem"]
    assert "Not collected: settings: " in output
