"""Fixtures of the access tests: tables, users, and clocks that a test sets."""

from pathlib import Path

import pytest

from octavo.database.connection import Database
from tests.models.people import Hands, write_people

HERE = Path(__file__).parent


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def empty(database: Database) -> Database:
    """Return a database with empty tables."""
    await database.execute_script((HERE / f"access_tables.{database.dialect.name}.sql").read_text())
    return database


@pytest.fixture
async def people(empty: Database) -> Database:
    """Return a database with roles, users and API tokens."""
    await write_people(empty)
    return empty
