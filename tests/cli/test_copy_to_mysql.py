"""`octavo db copy` to MySQL and MariaDB: interrupted and repeated copies."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused, said
from tests.cli.processes import ROOT, run
from tests.mysql_server import MysqlServer

STORIES = 3000
ROWS = f"""
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {STORIES})
INSERT INTO stories (id, title) SELECT i, 'Story ' || i FROM n;
INSERT INTO stories_sequel_links (story_id, inv_story_id) SELECT id, id + 1 FROM stories WHERE id < {STORIES};
"""
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from octavo.database import open_database
from octavo.operations.transfer.database_copy import CopyOptions, copy_database
from octavo.schema.loader import load_registry

def kill(done: int, _: int) -> None:
    if done > %d:
        os.kill(os.getpid(), signal.SIGKILL)

async def copy(project: str, source: str, target: str) -> None:
    reading, writing = open_database(source), open_database(target)
    await reading.connect()
    await writing.connect()
    await copy_database(reading, writing, load_registry(Path(project)), [], CopyOptions(), kill)

asyncio.run(copy(*sys.argv[1:]))
"""
"""A copy that kills its process after a number of rows."""


def test_a_killed_copy_leaves_nothing_and_can_be_repeated(
    project: Path, mysql_server: MysqlServer, mysql_name: str
) -> None:
    source, url = project / "source.db", mysql_server.url(mysql_name)
    assert run("db", "upgrade", "--project", str(project), DATABASE_FILENAME=str(source))[0] == 0
    with closing(sqlite3.connect(source)) as file:
        file.executescript(ROWS)
    arguments = (sys.executable, "-c", KILLED % (STORIES + 1000), str(project), f"sqlite:///{source}", url)
    killed = subprocess.run(arguments, env={**os.environ, "PYTHONPATH": "src"}, cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert mysql_server.run_sql("SELECT count(*) FROM stories", mysql_name) == "0\n"
    code, output = run("db", "copy", f"sqlite:///{source}", url, "--project", str(project))
    assert (code, output) == (0, f"Copied {STORIES * 2 - 1:,} rows of 2 tables.\n")
    counts = "SELECT count(*), sum(char_length(title)), (SELECT count(*) FROM stories_sequel_links) FROM stories"
    with closing(sqlite3.connect(source)) as file:
        before = file.execute(counts.replace("char_length", "length")).fetchone()
    assert mysql_server.run_sql(counts, mysql_name).split() == [str(count) for count in before]
    mysql_server.run_sql("INSERT INTO stories (title) VALUES ('new'); DELETE FROM stories WHERE id = 1", mysql_name)
    rest = "SELECT max(id), (SELECT min(story_id) FROM stories_sequel_links) FROM stories"
    assert mysql_server.run_sql(rest, mysql_name) == f"{STORIES + 1}\t2\n"


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_urls_of_targets(
    call: Call, project: Path, mysql_server: MysqlServer, mysql_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_FILENAME", str(project / "source.db"))
    assert said(call("db", "upgrade"))
    with closing(sqlite3.connect(project / "source.db")) as file, file:
        file.execute("INSERT INTO stories (title) VALUES ('one')")
    source, url = "sqlite:///source.db", mysql_server.url(mysql_name)
    user, _, rest = url.removeprefix("mysql://").partition(":")
    without_password = f"mariadb://{user}@{rest.partition('@')[2]}?ssl=prefer"
    assert "Access denied" in refused(call("db", "copy", source, without_password))
    monkeypatch.setenv("MYSQL_PWD", "a secret / % @")
    [copied] = said(call("db", "copy", source, without_password))
    assert "--force replaces its data" in refused(call("db", "copy", source, url))
    socket = f"mysql://root@/{mysql_name}?socket={mysql_server.socket}"
    monkeypatch.delenv("MYSQL_PWD")
    assert said(call("db", "copy", source, socket, "--force")) == [copied]
    assert refused(call("db", "copy", source, "mysql://h")).endswith("the name of the database is missing")
    assert refused(call("db", "copy", url, url)) == "source and target are the same database"
