"""`octavo develop`: secrets, seed, and a new start after every change."""

import json
import stat
from pathlib import Path

import pytest

from tests.cli.processes import free_port, run, serving
from tests.cli.projects import STORY, database_variables, make_project, write_type

SEED = {
    "locales": [{"code": "en", "name": "English (en)"}],
    "entries": ["entries.json"],
    "permissions": {"public": ["api::story.story.find"]},
    "requests": [{"title": "All [stories]", "path": "/api/stories?sort[0]=title"}],
}
SCHEMA = "src/api/story/content-types/story/schema.json"
ENTRIES = [{"uid": "api::story.story", "key": "one", "data": {"title": "The one"}}]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With a seed."""
    made = make_project(tmp_path / "site")
    (made / "seed").mkdir()
    (made / "seed/seed.json").write_text(json.dumps(SEED), "utf-8")
    (made / "seed/entries.json").write_text(json.dumps(ENTRIES), "utf-8")
    return made


def titles(body: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    return [entry["attributes"]["title"] for entry in body["data"]]


def test_makes_secrets_and_loads_the_seed_once(project: Path) -> None:
    (project / ".env").unlink()
    with serving("develop", project, "--seed") as server:
        assert titles(server.get("/api/stories")[1]) == ["The one"]
        lines = server.hear("Octavo")
        assert server.stop() == (0, "")
    address = f"http://localhost:{server.port}"
    assert lines == [
        "Made secrets in .env: APP_KEYS, API_TOKEN_SALT, ADMIN_JWT_SECRET, JWT_SECRET",
        "Loaded the seed: 1 entries, 0 files",
        "",
        "To try, as soon as it serves:",
        "  All [stories]",
        f"  curl -g '{address}/api/stories?sort[0]=title'",
        "",
        f"Octavo serves {project} at {address}",
    ]
    assert stat.S_IMODE((project / ".env").stat().st_mode) == 0o600
    secrets = (project / ".env").read_text("utf-8")
    with serving("develop", project, "--seed") as server:
        assert titles(server.get("/api/stories")[1]) == ["The one"]
        output = server.stop()[1]
    assert "Loaded" not in output
    assert "Made" not in output
    assert (project / ".env").read_text("utf-8") == secrets


def test_loads_the_seed_on_postgresql(project: Path, postgresql_url: str) -> None:
    with serving("develop", project, "--seed", **database_variables(postgresql_url)) as server:
        assert titles(server.get("/api/stories")[1]) == ["The one"]


def test_starts_again_when_something_changes(project: Path) -> None:
    with serving("develop", project, "--seed") as server:
        server.hear("Octavo")
        write_type(project, "{")
        assert server.hear("Waiting") == [
            "Changed: schema.json",
            "Error: 1 problem in the content-type definitions:",
            f"  {SCHEMA}: line 1: is not valid JSON: Expecting property name enclosed in double quotes",
            "Waiting for a change",
        ]
        write_type(project, {**STORY, "attributes": {**STORY["attributes"], "subtitle": {"type": "string"}}})
        assert server.hear("Octavo")[0] == "Changed: schema.json"
        entry = server.get("/api/stories?filters[subtitle][$null]=true")[1]["data"][0]
        assert entry["attributes"].keys() == {"title", "subtitle", "createdAt", "updatedAt"}
        with (project / ".env").open("a") as env:
            env.write("OCTAVO_API__REST__PREFIX=/content\n")
        assert server.hear("Octavo")[0] == "Changed: .env"
        assert titles(server.get("/content/stories")[1]) == ["The one"]
        assert server.stop() == (0, "")


def test_a_first_start_that_fails_ends_it(project: Path) -> None:
    write_type(project, "{")
    code, output = run("develop", "--project", str(project), "--port", str(free_port()))
    assert code == 1
    assert "is not valid JSON" in output


def test_a_seed_that_cannot_be_loaded(project: Path) -> None:
    (project / "seed/entries.json").write_text(json.dumps([{**ENTRIES[0], "data": {}}]), "utf-8")
    code, output = run("develop", "--project", str(project), "--seed", "--port", str(free_port()))
    assert code == 1
    assert output.splitlines()[:2] == [
        "Error: api::story.story 'one' cannot be loaded:",
        "  title: title must be defined.",
    ]
