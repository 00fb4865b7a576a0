"""Plans and advice on Debian's PostgreSQL: versions before 16 have plans, and get no statement that they refuse."""

import asyncio
from pathlib import Path

from tests.cli.projects import database_variables
from tests.cli.test_advise import check_suggested_indexes, fill, make_project
from tests.cluster.debian_postgresql import DebianPostgresql


def test_slow_requests_get_an_index(debian_postgresql: DebianPostgresql, tmp_path: Path) -> None:
    variables = database_variables(debian_postgresql.create_database("plans"))
    project = make_project(tmp_path / "site")
    asyncio.run(fill(project, variables))
    before = debian_postgresql.errors()
    check_suggested_indexes(project, variables)
    assert debian_postgresql.errors() == before
