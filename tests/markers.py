"""Mark each test by what it needs, so that `make check` can leave out what is slow to start."""

from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
FOLDERS = {"pages": "browser", "panel": "browser", "conformance": "recording"}
"""Folders whose tests all have one marker."""
SLOW = (
    "admin/api/test_ended_secrets.py",
    "agreement/",
    "at_once/",
    "cli/",
    "clients/",
    "content/validation_matrix/",
    "controllers/test_scheduling.py",
    "graphql/test_abuse.py",
    "graphql/test_shapes.py",
    "http/test_crowding.py",
    "javascript/test_parse.py",
    "jobs/test_jobs.py",
    "option_changes/",
    "project/v4/test_guard_forms.py",
    "robustness/",
    "rest/test_accounts.py",
    "rest/test_ended_secrets.py",
    "runtime/test_change_memory.py",
    "runtime/test_reload.py",
    "security/",
    "sql/dialects/test_third_dialect.py",
    "translations/",
    "typings/test_python.py",
    "webhook_bodies/",
    "webhooks/",
)
"""Folders and modules whose tests wait for time to pass, or run large comparisons."""
PROCESSES = ("import subprocess", "from subprocess ", "tests.cli.processes", "tests.docs_reader", "tests.scripts")
"""What a module with tests of whole processes imports."""
SERVERS = {"s3_server", "counting_server", "one_openid_server", "own_postgresql_server"}
"""Fixtures that start programs beside the service."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the markers `browser`, `recording`, `postgresql` and `slow`, which pyproject.toml describes."""
    for item in items:
        place = item.path.relative_to(ROOT)
        folder = FOLDERS.get(place.parts[0])
        if folder:
            item.add_marker(folder)
        fixtures = set(getattr(item, "fixturenames", ()))
        if "postgresql" in item.name or "postgresql_url" in fixtures:
            item.add_marker("postgresql")
        if place.as_posix().startswith(SLOW) or starts_processes(item.path) or fixtures & SERVERS:
            item.add_marker("slow")


@cache
def starts_processes(module: Path) -> bool:
    """Return whether a module of tests starts processes."""
    source = module.read_text("utf-8")
    return any(name in source for name in PROCESSES)
