"""Substring searches on a PostgreSQL with pg_trgm, which Debian's has and the one from PyPI lacks."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.database.postgresql import PostgresqlDatabase
from tests.cluster.debian_postgresql import DebianPostgresql
from tests.database.test_declared_indexes import search_by_index

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(anyio_backend: str, debian_postgresql: DebianPostgresql) -> AsyncIterator[PostgresqlDatabase]:
    made = PostgresqlDatabase(debian_postgresql.create_database("trigrams"))
    await made.connect()
    yield made
    await made.close()


async def test_parts_of_texts_are_found_by_the_index(database: PostgresqlDatabase, tmp_path: Path) -> None:
    await search_by_index(database, tmp_path)
