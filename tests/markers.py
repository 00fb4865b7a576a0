"""Mark each test by what it needs, so that `make check` can skip tests that are slow to start."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
FOLDERS = {"pages": "browser", "panel": "browser", "conformance": "recording"}
"""Folders whose tests all have one marker."""
SLOW = (
    "agreement/",
    "api/admin/api/test_ended_secrets.py",
    "api/admin/api/test_no_leaks.py",
    "api/graphql/document/test_documents.py",
    "api/graphql/test_abuse.py",
    "api/graphql/test_literals.py",
    "api/graphql/test_prepared_mutations.py",
    "api/graphql/test_shapes.py",
    "api/http/test_crowding.py",
    "api/rest/test_accounts.py",
    "api/rest/test_bounds.py",
    "api/rest/test_ended_secrets.py",
    "cli/",
    "clients/",
    "concurrency/",
    "content/controllers/test_scheduling.py",
    "content/test_prepared_writes.py",
    "content/validation_matrix/",
    "database/test_replicas.py",
    "database/test_sqlite.py",
    "database/test_substring_indexes.py",
    "events/jobs/test_jobs.py",
    "events/webhooks/",
    "modeling/typings/test_python.py",
    "operations/runtime/test_change_memory.py",
    "operations/runtime/test_reload.py",
    "operations/runtime/test_reload_signal.py",
    "operations/runtime/test_scheduled_backups.py",
    "option_changes/",
    "query/sql/dialects/test_portability.py",
    "robustness/",
    "security/",
    "test_extending_docs.py",
    "translations/",
    "v4/code/test_guard_forms.py",
    "v4/javascript/test_parse.py",
    "webhook_bodies/",
)
"""Folders and modules with tests that wait for time to pass or compare large data."""
ANY_PYTHON = (
    "agreement/",
    "api/admin/",
    "api/graphql/test_abuse.py",
    "api/graphql/test_literals.py",
    "api/graphql/test_prepared_mutations.py",
    "api/graphql/test_shapes.py",
    "api/http/test_crowding.py",
    "api/rest/openapi/test_conformance.py",
    "api/rest/test_accounts.py",
    "api/rest/test_bounds.py",
    "api/rest/test_ended_secrets.py",
    "api/rest/test_feed.py",
    "api/rest/test_file_permissions.py",
    "api/rest/test_response_cache.py",
    "api/rest/test_upload_corpus.py",
    "cli/test_advise.py",
    "cli/test_archives.py",
    "cli/test_compare.py",
    "cli/test_config.py",
    "cli/test_doctor.py",
    "cli/test_help_on_errors.py",
    "cli/test_live_settings.py",
    "cli/test_log.py",
    "cli/test_log_reader.py",
    "cli/test_long_requests.py",
    "cli/test_migrations.py",
    "cli/test_no_migrate.py",
    "cli/test_purge.py",
    "cli/test_reload_signal.py",
    "cli/test_shadow.py",
    "cli/test_start_wait.py",
    "cli/test_users.py",
    "cli/test_watching.py",
    "clients/",
    "concurrency/",
    "conformance/",
    "content/controllers/test_scheduling.py",
    "content/media/test_file_cleaner.py",
    "content/media/test_storage_cleanup.py",
    "content/test_prepared_writes.py",
    "content/validation_matrix/",
    "database/test_mysql_interruptions.py",
    "database/test_totals_of_many.py",
    "events/purging/",
    "events/webhooks/",
    "examples/",
    "golden/",
    "operations/comparison/",
    "operations/manual/",
    "operations/runtime/test_reload.py",
    "operations/transfer/",
    "option_changes/",
    "pages/",
    "panel/",
    "robustness/",
    "security/test_visibility.py",
    "test_bench_peers.py",
    "test_benchmarks.py",
    "test_distribution.py",
    "test_docs.py",
    "test_guides.py",
    "test_layers.py",
    "test_release.py",
    "test_soak.py",
    "test_statement_counts.py",
    "test_wording.py",
    "translations/",
    "v4/code/",
    "v4/javascript/test_parse.py",
    "v4/rehearsal/",
    "webhook_bodies/",
)
"""Folders and modules that test responses, pages, repository files or SQL, or wait for time to pass.

The Python version affects none of them. Other tests run on each Python: the server, processes, drivers, types and all
fast tests.
"""
DRIVER = "database/"
"""The folder with tests of database drivers. Elsewhere, tests on PostgreSQL and MySQL test SQL."""
PROCESSES = ("import subprocess", "from subprocess ", "tests.cli.processes", "tests.docs_reader", "tests.scripts")
"""Imports that identify modules with tests of whole processes."""
POSTGRESQL = {"postgresql_server", "postgresql_url", "own_postgresql_server"}
"""Fixtures that provide a PostgreSQL database."""
MYSQL = {"mysql_server", "mysql_name", "own_mysql_server"}
"""Fixtures that provide a MySQL database."""
ON_MYSQL = re.compile(r"[\[-]mysql[\]-]")
"""The parameter of a test on MySQL. Other tests contain the word in names and URLs, and need no server."""
SERVERS = {"s3_server", "counting_server", "one_openid_server", "own_postgresql_server", "own_mysql_server"}
"""Fixtures that start programs besides the service."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules whose tests run on the oldest Python only: importing them takes a third of the collection."""
    if config.getoption("markexpr") != "not any_python" or not collection_path.is_relative_to(ROOT):
        return None
    path = collection_path.relative_to(ROOT).as_posix()
    return True if f"{path}/".startswith(ANY_PYTHON) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the markers that pyproject.toml describes."""
    for item in items:
        path = item.path.relative_to(ROOT).as_posix()
        fixtures = set(getattr(item, "fixturenames", ()))
        on_postgresql = "postgresql" in item.name or bool(fixtures & POSTGRESQL)
        on_mysql = bool(ON_MYSQL.search(item.name) or fixtures & MYSQL)
        folder = FOLDERS.get(path.partition("/")[0])
        if folder:
            item.add_marker(folder)
        if on_postgresql:
            item.add_marker("postgresql")
        if on_mysql:
            item.add_marker("mysql")
        if path.startswith(SLOW) or starts_processes(item.path) or fixtures & SERVERS:
            item.add_marker("slow")
        if path.startswith(ANY_PYTHON) or ((on_postgresql or on_mysql) and not path.startswith(DRIVER)):
            item.add_marker("any_python")


@cache
def starts_processes(module: Path) -> bool:
    """Return whether a test module starts processes."""
    source = module.read_text("utf-8")
    return any(name in source for name in PROCESSES)
