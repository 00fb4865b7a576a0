"""Fixtures of the access tests: the tables, some users in them, and clocks that a test moves."""

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
    """A database with the tables and nothing in them."""
    await database.execute_script((HERE / f"access_tables.{database.dialect.name}.sql").read_text())
    return database


@pytest.fixture
async def people(empty: Database) -> Database:
    """A database with roles, users and API tokens."""
    await write_people(empty)
    return empty
