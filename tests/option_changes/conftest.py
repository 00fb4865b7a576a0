"""A project on each database."""

from pathlib import Path

import pytest

from tests.cli.projects import database_variables
from tests.option_changes.project import Project


@pytest.fixture(params=["sqlite", "postgresql"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A project without definitions."""
    variables = {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))
    return Project(tmp_path, variables)
