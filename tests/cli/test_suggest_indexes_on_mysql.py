"""`octavo db suggest-indexes` on MySQL and MariaDB."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, said
from tests.cli.projects import STORY, write_type
from tests.mysql_server import MysqlServer

FILL = """
INSERT INTO stories (places)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n
"""
pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


def test_an_index_is_tried_and_created(
    call: Call, project: Path, mysql_server: MysqlServer, mysql_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", mysql_server.url(mysql_name))
    write_type(project, {**STORY, "attributes": {**STORY["attributes"], "places": {"type": "integer"}}})
    said(call("db", "upgrade"))
    mysql_server.run_sql(FILL, mysql_name)

    def suggest(query: str, *options: str) -> Any:
        request = f"/api/stories?{query}"
        return json.loads("\n".join(said(call("db", "suggest-indexes", "--json", "--request", request, *options))))

    [found] = suggest("filters[places][$eq]=7")["proposals"]
    assert (found["index"], found["rows"], found["used"], found["reason"]) == (["places"], 900, True, "")
    done = suggest("sort=places", "--apply")["done"]
    assert done[1].startswith("Applied: create index octavo_ix_")
    assert "already declared" in suggest("sort=places")["without"][0]["why"]
