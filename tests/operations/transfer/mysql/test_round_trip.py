"""The recorded content, copied from database to database and back: equal rows and responses everywhere."""

import shutil
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.database import open_database
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.process import build
from octavo.operations.transfer.database_copy import CopyOptions, copy_database
from octavo.operations.transfer.mysql.address import read_address
from octavo.operations.transfer.mysql.source import MysqlSource
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from tests.conformance.corpus import make_project, unpack
from tests.models.site import Site, mysql_variables
from tests.mysql_server import MysqlServer
from tests.operations.transfer.mysql.test_recorded_content import everything

AUDITED = """INSERT INTO octavo_audit (created_at, administrator_id, door, action, entry_id, details)
VALUES (1, 1, 'session', 'update', ?, 'é')"""
"""Inserts a row of a table without a content type, which is read in batches."""
pytestmark = [pytest.mark.anyio, pytest.mark.mysql, pytest.mark.recording]


@asynccontextmanager
async def opened(source: Any) -> AsyncIterator[Any]:
    await source.connect()
    try:
        yield source
    finally:
        await source.close()


async def answers(project: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the service's lists of all content types, with drafts and all relations."""
    octavo = build(load_settings(project, variables, mode="production"))
    await octavo.asgi.start()
    try:
        site, found = Site(octavo), {}
        token = (project / ".env").read_text("utf-8").partition("TOKEN_FULL=")[2].partition("\n")[0]
        for one in load_registry(project).content_types.values():
            if one.is_api:
                name = one.singular_name if one.is_single else one.plural_name
                for more in ("", "&locale=all", "&sort=id:desc&pagination[pageSize]=3"):
                    path = f"/api/{name}?populate=*&publicationState=preview{more}"
                    answer = await site.get(path, token)
                    found[path] = answer.status, orjson.loads(answer.body)
        return found
    finally:
        await octavo.asgi.stop()


async def test_rows_and_answers_stay_the_same(mysql_server: MysqlServer, postgresql_url: str, tmp_path: Path) -> None:
    project = make_project(unpack("blog", tmp_path), tmp_path / "site")
    registry, own = load_registry(project), own_tables(load_settings(project, {}, mode="production"))
    names = [mysql_server.create_database(collation="utf8mb4_general_ci") for _ in range(2)]
    urls = [mysql_server.url(name) for name in names]
    end = tmp_path / "end.db"
    places = [f"sqlite:///{project}/.tmp/data.db", urls[0], postgresql_url, urls[1], f"sqlite:///{end}"]
    before = await answers(project, {})
    with closing(sqlite3.connect(project / ".tmp/data.db")) as file, file:
        file.executemany(AUDITED, [(number,) for number in range(1, 2001)])
    rows, counts = [], []
    for source, target in pairwise(places):
        reader: Any = MysqlSource(read_address(source)) if source in urls else open_database(source)
        async with opened(reader) as opened_source, opened(open_database(target)) as written:
            report = await copy_database(opened_source, written, registry, own, CopyOptions(), lambda *_: None)
            audited = await written.fetch_row("SELECT count(*), sum(entry_id) FROM octavo_audit WHERE details = 'é'")
            rows.append([await everything(written, registry), tuple(map(int, audited))])
            counts.append((sum(report.rows.values()), report.left_out, report.unknown))
    assert counts[0][0] > 4000
    assert rows[0][1] == (2000, 2001000)
    assert (counts, rows) == ([counts[0]] * 4, [rows[0]] * 4)
    on_mysql = [await answers(project, mysql_variables(url)) for url in urls]
    shutil.copy(end, project / ".tmp/data.db")
    assert on_mysql[0] == on_mysql[1]
    assert await answers(project, {}) == before
    assert len(before) > 20
    assert {status for status, _ in before.values()} == {200}
    for name in names:
        mysql_server.drop_database(name)
