"""`octavo develop`: secrets, seed, and changes of a project while it is served."""

import json
import signal
import stat
import threading
from pathlib import Path
from typing import Self

import pytest

from tests.cli.processes import Server, free_port, run, serving
from tests.cli.projects import STORY, database_variables, make_project, write_type

SEED = {
    "locales": [{"code": "en", "name": "English (en)"}],
    "entries": ["entries.json"],
    "permissions": {"public": ["api::story.story.find"]},
    "requests": [{"title": "All [stories]", "path": "/api/stories?sort[0]=title"}],
}
SCHEMA = "src/api/story/content-types/story/schema.json"
CODE = "async def bootstrap(app): await app.entries('api::story.story').create({'title': 'By code'})\n"
ENTRIES = [{"uid": "api::story.story", "key": "one", "data": {"title": "The one"}}]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a seed."""
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
        "Created secrets in .env: APP_KEYS, API_TOKEN_SALT, ADMIN_JWT_SECRET, JWT_SECRET",
        "Loaded the sample content: 1 entry, 0 files",
        "",
        "Try it when the service is ready:",
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


class Callers:
    """Send requests in a loop, each over a new connection, until the block ends."""

    def __init__(self, server: Server, path: str) -> None:
        self.answered = 0
        self.failures: list[object] = []
        self._server, self._path = server, path
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(2)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        while not self._ended.wait(0.02):
            try:
                status = self._server.get(self._path)[0]
            except Exception as error:
                self.failures.append(error)
            else:
                self.answered += 1
                self.failures += [status] if status != 200 else []


def test_follows_every_change(project: Path) -> None:
    """The port responds all the time."""
    with serving("develop", project, "--seed") as server:
        server.hear("Octavo")
        with Callers(server, "/api/stories") as callers:
            write_type(project, "{")
            lines = server.hear("Waiting")
            assert f"Changed: {SCHEMA}" in lines
            place = f"  {SCHEMA}: line 1: is not valid JSON: Expecting property name enclosed in double quotes"
            reported = lines[lines.index(place) - 1]
            assert reported.endswith("the previous version is still served. 1 problem in the content type definitions:")
            assert titles(server.get("/api/stories")[1]) == ["The one"]
            assert "line 1: is not valid JSON" in server.text("/")
            assert "GET '/api/stories': 200" in server.hear_of("by the previous version of the site")[-1]
            write_type(project, {**STORY, "attributes": {**STORY["attributes"], "subtitle": {"type": "string"}}})
            server.hear("Reloaded")
            entry = server.get("/api/stories?filters[subtitle][$null]=true")[1]["data"][0]
            assert entry["attributes"].keys() == {"title", "subtitle", "createdAt", "updatedAt"}
            assert "is not valid JSON" not in server.text("/")
            (project / "src/index.py").write_text(CODE)
            server.hear("Reloaded")
            assert titles(server.get("/api/stories?sort=id")[1]) == ["The one", "By code"]
            with (project / ".env").open("a") as env:
                env.write("OCTAVO_API__REST__MAX_LIMIT=1\n")
            assert "Changed: .env" in server.hear("Reloaded")
            assert len(titles(server.get("/api/stories")[1])) == 1
        assert callers.failures == []
        assert callers.answered > 0
        assert server.stop()[0] == 0


STOPS = (
    "import sys; sys.exit(3)",
    "raise KeyboardInterrupt",
    "raise SystemExit",
    "import asyncio; raise asyncio.CancelledError",
)


def test_changed_code_that_would_end_the_process_is_a_problem(project: Path) -> None:
    """At import, in its own file, in `register` and in `bootstrap`: the previous version is still served."""
    with serving("develop", project, "--seed") as server:
        server.hear("Octavo")
        for statement in STOPS:
            (project / "src/index.py").write_text(f"{statement}\n")
            assert any("src/index.py:1" in line for line in server.hear("Waiting"))
            (project / "src/other.py").write_text(f"{statement}\n")
            (project / "src/index.py").write_text("from . import other\n")
            assert any("src/other.py:1" in line for line in server.hear("Waiting"))
            for name in ("register", "bootstrap"):
                (project / "src/index.py").write_text(f"async def {name}(app):\n    {statement}\n")
                assert any("src/index.py:2" in line for line in server.hear("Waiting"))
            assert server.get("/api/stories")[0] == 200
        (project / "src/index.py").write_text(CODE)
        server.hear("Reloaded")
        assert server.stop()[0] == 0


NOISE = ("4913", ".schema.json.swp", ".#schema.json", "#schema.json#", "schema.json~", "schema.json___jb_tmp___")


def test_temporary_files_of_editors_are_ignored(project: Path) -> None:
    """Locks, swap files, backups, and a file that replaces another: only the replaced file counts, once."""
    with serving("develop", project) as server:
        server.hear("Octavo")
        folder = (project / SCHEMA).parent
        for name in NOISE:
            (folder / name).write_text("{")
        (project / "src/components/parts").mkdir(parents=True)
        (project / "src/components/parts/.#seo.json").symlink_to("nobody@nowhere.1")
        (project / "src/index.py.tmp").write_text("1 / 0")
        for name in NOISE[:3]:
            (folder / name).unlink()
        new = folder / "schema.json.tmp.4711"
        new.write_text(json.dumps({**STORY, "attributes": {**STORY["attributes"], "subtitle": {"type": "string"}}}))
        new.rename(project / SCHEMA)
        changed, tables, *_, serves = server.hear("Reloaded")
        assert (changed, serves) == (f"Changed: {SCHEMA}", "Reloaded")
        assert tables.endswith("Tables: 1 column added")
        assert server.stop(signal.SIGINT) == (0, "")


def test_a_failed_first_start_ends_the_command(project: Path) -> None:
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
