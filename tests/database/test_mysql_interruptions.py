"""A process that is killed during DDL on MariaDB and MySQL: the next start continues."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from octavo.database.mysql import MysqlDatabase
from octavo.database.synchronize import found_tables, plan_changes, synchronize
from octavo.schema.registry import Registry
from tests.cli.processes import ROOT
from tests.database.test_synchronize import content_type, note
from tests.layouts import registry_of
from tests.mysql_server import MysqlServer

pytestmark = pytest.mark.mysql

SYNCHRONIZED = """
import asyncio, os, re, signal, sys
from pathlib import Path
from octavo.database.connection import Watch
from octavo.database.leases import TABLE
from octavo.database.mysql import MysqlDatabase
from octavo.database.synchronize import synchronize
from octavo.schema.loader import load_registry

CHANGES_TABLES = re.compile(r"\\s*(?:CREATE|ALTER|DROP|SET @octavo)\\b")
registry = load_registry(Path(sys.argv[2]))

async def change() -> None:
    database = MysqlDatabase(sys.argv[1])
    await database.connect()
    database.watch = Watch(note=lambda _: None, see=kill)
    await synchronize(database, registry, [TABLE], allow_data_loss=True)
    await database.close()

def kill(text: str, _: float) -> None:
    if CHANGES_TABLES.match(text) and "octavo_locks" not in text:
        os.kill(os.getpid(), signal.SIGKILL)

for killed in range(100):
    if not (child := os.fork()):
        asyncio.run(change())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        print(killed, status)
        break
"""
"""Synchronizes a database in processes that are killed after their first table change, until one changes none."""

DRAFTS = {"options": {"draftAndPublish": True}}
COUNTED: dict[str, Any] = {"type": "string", "unique": True, "column": {"unique": True}}
AUTHOR = {"type": "relation", "relation": "manyToOne", "target": "api::tag.tag"}
BEFORE = {
    **note(count={"type": "string"}, code=COUNTED, kind={"type": "string"}, gone={"type": "string"}),
    **content_type("page", {"title": {"type": "string"}}, **DRAFTS),
    **content_type("tag", {"title": {"type": "string"}}),
}
AFTER = {
    **note(count={"type": "integer"}, code={"type": "text"}, kind={"type": "string"}, body={"type": "text"}),
    **content_type("page", {"title": {"type": "string"}, "size": {"type": "decimal"}}),
    **content_type("tag", {"title": {"type": "string"}, "author": AUTHOR}, **DRAFTS),
}
CONTENT = """
CREATE INDEX mine ON notes (count, kind); CREATE UNIQUE INDEX both_gone ON notes (gone, count);
INSERT INTO notes (id, title, count, code, kind, gone) VALUES (1, 'a', '12', 'x', 'k', 'g'),
  (2, 'b', 'two', 'y', 'k', '');
INSERT INTO pages (id, title, published_at) VALUES (1, 'draft', NULL), (2, 'live', '2024-01-01');
INSERT INTO tags (id, title) VALUES (1, 'tag');
"""
ROWS = """
SELECT id, title, count, code, kind, body FROM notes; SELECT id, title, size FROM pages; SELECT id, title FROM tags
WHERE published_at IS NOT NULL; SELECT collection, entry_id, reason FROM octavo_hidden_entries;
SELECT `key`, value FROM octavo_state ORDER BY `key`;
"""


async def prepare(url: str, registry: Registry) -> None:
    database = MysqlDatabase(url)
    await database.connect()
    await synchronize(database, registry)
    await database.execute_script(CONTENT)
    await database.close()


async def described(url: str, registry: Registry) -> tuple[Any, tuple[Any, ...]]:
    """Return all tables and the remaining changes."""
    database = MysqlDatabase(url)
    await database.connect()
    try:
        return await found_tables(database, database.dialect), (await plan_changes(database, registry)).every
    finally:
        await database.close()


def run_script(script: str, *arguments: object) -> str:
    """Run a script and return its output."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": "src"}
    found = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() or found.stderr


def test_a_process_that_is_killed_after_each_change(mysql_server: MysqlServer, tmp_path: Path) -> None:
    before, after = registry_of(BEFORE, tmp_path / "before"), registry_of(AFTER, tmp_path / "after")
    killed, whole = mysql_server.create_database(), mysql_server.create_database()
    for name in (killed, whole):
        asyncio.run(prepare(mysql_server.url(name), before))
    whole_run = SYNCHRONIZED.replace("os.kill(os.getpid(), signal.SIGKILL)", "pass")
    assert run_script(whole_run, mysql_server.url(whole), tmp_path / "after") == "0 0"
    times, status = run_script(SYNCHRONIZED, mysql_server.url(killed), tmp_path / "after").split()
    assert (int(times) > 12, status) == (True, "0")
    tables = [asyncio.run(described(mysql_server.url(name), after)) for name in (killed, whole)]
    assert tables[0] == tables[1]
    assert tables[0][1] == ()
    rows = [mysql_server.run_sql(ROWS, name) for name in (killed, whole)]
    assert rows[0] == rows[1]
    assert rows[0].startswith("1\ta\t12\tx\tk\tNULL\n2\tb\tNULL\ty\tk\tNULL\n")
    assert "pages\t1\tdraft" in rows[0]
    for name in (killed, whole):
        mysql_server.drop_database(name)
