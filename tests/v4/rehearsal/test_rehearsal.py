"""`octavo adopt --rehearse` on SQLite and PostgreSQL, with another Octavo in place of v4."""

import json
import os
import shlex
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.content import schedules
from octavo.content.media import storage_cleanup
from octavo.events import outbox
from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.sending import Answer
from octavo.query.sql.dialects.sqlite import SQLiteDialect
from octavo.v4.rehearsal.copies import copied_project
from octavo.v4.rehearsal.rehearsal import unanswered
from tests.cli.processes import PATIENCE, ROOT, spawn
from tests.cli.projects import PLACE, SECRETS, database_variables, write_type
from tests.postgresql_server import PostgresqlServer, database_name
from tests.v4.config.project import write

START = f"{sys.executable} -m octavo start"
PART = {
    "collectionName": "components_shared_parts",
    "info": {"displayName": "Part"},
    "attributes": {"label": {"type": "string", "required": True}, "size": {"type": "decimal", "min": 0.5, "max": 3}},
}
STORY: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "stories",
    "info": {"singularName": "story", "pluralName": "stories", "displayName": "Story"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "title": {"type": "string", "required": True, "minLength": 20, "unique": True},
        "slug": {"type": "uid", "targetField": "title"},
        "kind": {"type": "enumeration", "enum": ["one", "two"]},
        "day": {"type": "date"},
        "moment": {"type": "datetime"},
        "payload": {"type": "json"},
        "secret": {"type": "password"},
        "part": {"type": "component", "component": "shared.part", "required": True},
        "parts": {"type": "component", "component": "shared.part", "repeatable": True, "min": 2},
        "blocks": {"type": "dynamiczone", "components": ["shared.part"]},
        "place": {"type": "relation", "relation": "manyToOne", "target": "api::place.place"},
    },
}
CODE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "codes",
    "info": {"singularName": "code", "pluralName": "codes", "displayName": "Code"},
    "attributes": {"value": {"type": "string", "required": True, "regex": "^[A-Z]{3}$"}},
}
HOME: dict[str, Any] = {
    "kind": "singleType",
    "collectionName": "homes",
    "info": {"singularName": "home", "pluralName": "homes", "displayName": "Home"},
    "attributes": {"claim": {"type": "string"}},
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a v4 project with content in an SQLite file."""
    project = tmp_path / "site"
    database = {"connection": {"client": "sqlite", "connection": {"filename": ".tmp/data.db"}}}
    write(project, {".env": SECRETS, "config/database.json": database, "src/components/shared/part.json": PART})
    for definition in (STORY, PLACE, CODE, HOME):
        write_type(project, definition)
        name = definition["info"]["singularName"]
        for folder, made in (("routes", "Router"), ("controllers", "Controller")):
            code = f"module.exports = require('@strapi/strapi').factories.createCore{made}('api::{name}.{name}')"
            (project / f"src/api/{name}/{folder}").mkdir()
            (project / f"src/api/{name}/{folder}/{name}.js").write_text(code)
    (project / "public/uploads").mkdir(parents=True)
    (project / "public/uploads/old.txt").write_text("old")
    (project / "node_modules").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    return project


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["adopt", *map(str, arguments)])


def prepared(site: Path, variables: Mapping[str, str] | None = None) -> None:
    """Create the tables and some content."""
    made = CliRunner().invoke(
        main, ["tokens", "create", "shop", "--project", str(site)], env=variables, catch_exceptions=False
    )
    assert made.exit_code == 0, made.output


def files_of(site: Path) -> dict[str, bytes]:
    return {str(file.relative_to(site)): file.read_bytes() for file in site.rglob("*") if file.is_file()}


def test_the_way_back_holds(site: Path) -> None:
    prepared(site)
    before = files_of(site)
    result = call(site, "--rehearse", "--v4-command", START, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["holds"] is True
    assert found["problems"] == []
    assert found["refused"] == [
        "v4: POST /api/codes: 400 value must be defined.",
        "Octavo: POST /api/codes: 400 value must be defined.",
    ]
    assert found["written"] == {"v4": 16, "Octavo": 6}
    assert found["rows"] == {  # the folder of API uploads
        "strapi_core_store_settings": {"before": 1, "after": 2},
        "upload_folders": {"before": 0, "after": 1},
    }
    assert [(title, one["different"]) for title, one in found["comparisons"].items()] == [
        ("Octavo reads what v4 has written", 0),
        ("v4 reads what Octavo has written", 0),
        ("v4 finds all other content unchanged", 0),
    ]
    assert files_of(site) == before


def test_pending_work_of_the_original_is_not_done_again(site: Path, tmp_path: Path) -> None:
    prepared(site)
    with closing(sqlite3.connect(site / ".tmp/data.db", isolation_level=None)) as connection:
        for table in (outbox.TABLE, schedules.TABLE, storage_cleanup.TABLE):
            connection.executescript(table.script(SQLiteDialect()))
        connection.execute(
            "INSERT INTO octavo_outbox (topic, ordering_key, payload, created_at, due_at, attempts) "
            "VALUES ('webhook', 'k', '{}', 0, 9999999999999, 0)"
        )
        connection.execute("INSERT INTO octavo_schedules VALUES ('api::story.story', 1, 'publish', 9999999999999, 1)")
        connection.execute("INSERT INTO octavo_storage_cleanup VALUES ('uploads/a.txt', 1, 9999999999999)")
    script = tmp_path / "start.py"
    script.write_text(f"""
import sqlite3, sys
tables = ("octavo_outbox", "octavo_schedules", "octavo_storage_cleanup")
with sqlite3.connect("../rehearsal.db") as connection:
    counts = [connection.execute("SELECT count(*) FROM " + table).fetchone()[0] for table in tables]
open({str(tmp_path / "counts")!r}, "w").write(repr(counts))
sys.exit(3)
""")
    result = call(site, "--rehearse", "--v4-command", f"{sys.executable} {script}")
    assert "v4 ended with exit code 3" in result.output
    assert (tmp_path / "counts").read_text() == "[0, 0, 0]"


def test_changed_content_is_found(site: Path, tmp_path: Path) -> None:
    """A service that drops a word at its second start."""
    prepared(site)
    script = tmp_path / "start.py"
    script.write_text(f"""
import os, sqlite3, sys
file = "../rehearsal.db"
if os.path.exists("started"):
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE components_shared_parts SET label = 'lost'")
open("started", "w").close()
os.execv(sys.executable, {[sys.executable, "-m", "octavo", "start"]!r})
""")
    result = call(site, "--rehearse", "--v4-command", f"{sys.executable} {script}")
    assert result.exit_code == 1
    assert "Difference: v4 reads what Octavo has written: value at $.data" in result.output
    assert "Not rehearsed: v4: POST /api/codes: 400 value must be defined." in result.output
    assert result.output.endswith("Error: Rehearsal failed: v4 cannot read or write everything after Octavo\n")


@pytest.mark.parametrize(
    "command, message",
    [
        ("none-of-this-name", "v4: none-of-this-name cannot be started: No such file or directory"),
        (
            f"{sys.executable} -c 'print(12345); raise SystemExit(3)'",
            "v4 ended with exit code 3. The end of its output:",
        ),
        ("'", "--v4-command: No closing quotation"),
        ("", "--v4-command: expected a command"),
    ],
)
def test_a_command_that_fails(site: Path, command: str, message: str) -> None:
    prepared(site)
    result = call(site, "--rehearse", "--v4-command", command)
    assert result.exit_code == 1
    assert message in result.output


def test_a_signal_stops_all_processes_and_removes_files(site: Path, tmp_path: Path) -> None:
    prepared(site)
    scratch, file = tmp_path / "scratch", tmp_path / "pid"
    scratch.mkdir()
    code = f"import os, time; open({str(file)!r}, 'w').write(str(os.getpid())); print('started'); time.sleep(600)"
    command = shlex.join([sys.executable, "-c", code])
    process = spawn("adopt", str(site), "--rehearse", "--v4-command", command, TMPDIR=str(scratch))
    deadline = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM, output
    assert list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


def test_a_database_without_tables(site: Path) -> None:
    (site / ".tmp").mkdir()
    with closing(sqlite3.connect(site / ".tmp/data.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE other (id INTEGER)")
    result = call(site, "--rehearse", "--v4-command", START)
    assert result.exit_code == 1
    assert "the database has no tables of v4; start v4 once, then rehearse" in result.output


def test_mysql_is_not_supported(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_DATABASE__URL", "mysql://u@127.0.0.1:1/n")
    result = call(site, "--rehearse", "--v4-command", START)
    assert result.exit_code == 1
    assert "`--rehearse` does not support MySQL and MariaDB. To rehearse the switch, copy the data to" in result.output


def test_settings_that_point_to_the_original_are_refused(site: Path) -> None:
    prepared(site)
    (site / ".env").write_text(f"{SECRETS}OCTAVO_DATABASE__FILENAME={site}/.tmp/data.db\n")
    result = call(site, "--rehearse", "--v4-command", START)
    assert result.exit_code == 1
    assert "the copy would use the original database; remove OCTAVO_DATABASE__... from .env" in result.output
    with closing(sqlite3.connect(site / ".tmp/data.db", isolation_level=None)) as connection:
        assert connection.execute("SELECT count(*) FROM strapi_api_tokens").fetchone() == (1,)


SERVES_ERRORS = """
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response({status})
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_GET = do_POST = do_PUT = do_DELETE = answer
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def test_a_service_that_refuses_everything(site: Path, tmp_path: Path) -> None:
    """Nothing was rehearsed: v4 responds to every request with 401, and writes nothing."""
    prepared(site)
    script = tmp_path / "start.py"
    script.write_text(SERVES_ERRORS.replace("{status}", "401"))
    result = call(site, "--rehearse", "--v4-command", f"{sys.executable} {script}", "--json")
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["problems"]
    assert problems[0].startswith(
        "v4 wrote no entry of the project's 3 collection types, so its writes are not rehearsed"
    )
    assert "v4 finds all other content unchanged: none of " in problems[-1]
    assert ": 401" in problems[-1]


@pytest.mark.parametrize(
    "statuses, problems",
    [
        ([], ["t: none of 0 requests succeeded"]),
        ([(401, 401), (403, 403)], ["t: none of 2 requests succeeded, for example GET /0: 401"]),
        ([(200, 500)], ["t: none of 1 request succeeded, for example GET /0: 500"]),
        ([(200, 200), (500, 500), (0, 0), (404, 404), (500, 501)], ["t: GET /1: 500", "t: GET /2: timeout"]),
    ],
)
def test_inconclusive_comparisons_are_problems(statuses: list[tuple[int, int]], problems: list[str]) -> None:
    def answer(status: int) -> Answer:
        return Answer(status, failure="" if status else "timeout")

    pairs = [
        (ComparedRequest("GET", f"/{number}"), answer(one), answer(other))
        for number, (one, other) in enumerate(statuses)
    ]
    assert list(unanswered("t", pairs)) == problems


def test_projects_without_successful_writes_do_not_hold(site: Path) -> None:
    """Each entry is rejected, because a sample value does not match."""
    for name in ("story", "place", "home"):
        shutil.rmtree(site / "src/api" / name)
    prepared(site)
    result = call(site, "--rehearse", "--v4-command", START, "--json")
    assert result.exit_code == 1
    rest = "wrote no entry of the project's 1 collection type, so its writes are not rehearsed: see the rejected writes"
    assert json.loads(result.stdout)["problems"] == [f"v4 {rest}", f"Octavo {rest}"]


DATABASE = "module.exports = { connection: { client: 'sqlite', connection: { filename: '.tmp/data.db' } } };"


@pytest.mark.parametrize(
    "files, folder",
    [
        ({"tsconfig.json": '{"compilerOptions": {"outDir": "./build/",} /* a, // b */}'}, "build"),
        ({"tsconfig.json": '{"extends": "./base"}', "base.json": '{"compilerOptions": {"outDir": "out"}}'}, "out"),
        (
            {
                "tsconfig.json": '{"extends": ["@acme/ts/server", "./none.json"], // "outDir"\n}',
                "node_modules/@acme/ts/server.json": '{"compilerOptions": {"outDir": "${configDir}/../../../b"}}',
            },
            "b",
        ),
        ({"tsconfig.json": '{"extends": "@strapi/typescript-utils/tsconfigs/server"}'}, "dist"),
        ({}, "dist"),
    ],
)
def test_the_compiled_settings_are_replaced(site: Path, files: dict[str, str], folder: str) -> None:
    prepared(site)
    write(site, {**files, f"{folder}/config/env/production/database.js": DATABASE, f"{folder}/config/a.js": ""})
    with copied_project(site, dict(os.environ)) as copy:
        found = sorted(file.relative_to(copy.folder).as_posix() for file in copy.folder.rglob("database.*"))
        assert found == sorted(["config/database.js", f"{folder}/config/database.js"])
        assert "rehearsal.db" in (copy.folder / folder / "config/database.js").read_text()


@pytest.mark.parametrize(
    "files, message",
    [
        (
            {"build/config/env/test/database.js": DATABASE},
            "v4 could read the original database's settings from build/config/env/test/database.js; delete or rename",
        ),
        ({"src/plugins/a/config/database.json": "{}"}, "settings from src/plugins/a/config/database.json; delete"),
        ({"tsconfig.json": '{"compilerOptions": {"outDir": "../b"}}'}, "/b, which is not copied, so v4 would use"),
        ({"tsconfig.json": '{"compilerOptions": {"outDir": "node_modules/b"}}'}, "/b, which is not copied, so v4"),
        ({"tsconfig.json": "{"}, "tsconfig.json cannot be read, and a rehearsal needs its outDir: Expecting"),
        ({"tsconfig.json": '{"extends": "./tsconfig.json"}'}, "extends more than 20 files"),
    ],
)
def test_other_settings_of_the_original_are_refused(site: Path, files: dict[str, str], message: str) -> None:
    prepared(site)
    write(site, files)
    result = call(site, "--rehearse", "--v4-command", START)
    assert result.exit_code == 1
    assert message in result.output


@pytest.mark.postgresql
def test_a_copy_on_postgresql(
    site: Path, postgresql_server: PostgresqlServer, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{postgresql_server.binaries}{os.pathsep}{os.environ['PATH']}")
    (site / "config/database.json").unlink()
    for name, value in database_variables(postgresql_url).items():
        monkeypatch.setenv(name, value)
    prepared(site)
    counted = "SELECT count(*) FROM strapi_api_tokens"
    result = call(site, "--rehearse", "--v4-command", START)
    assert result.exit_code == 0, result.output
    assert "Rehearsal passed: you can switch back to v4." in result.output
    assert postgresql_server.run_sql(database_name(postgresql_url), counted).strip() == "1"
    databases = postgresql_server.run_sql("postgres", "SELECT datname FROM pg_database")
    assert "octavo_rehearsal" not in databases
