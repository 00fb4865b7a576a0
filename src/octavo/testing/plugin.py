"""The pytest plugin with the fixture `site`: `pytest_plugins = ["octavo.testing.plugin"]` in `conftest.py`.

Asynchronous tests that use `site` need no other plugin: they run in its event loop. The service starts once for all
tests. Each test begins with the initial data.
"""

import asyncio
import inspect
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from octavo.operations.runtime.prepare_database import StartFailed
from octavo.project import InvalidCode
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import SettingsError
from octavo.testing.site import Site, open_site


@pytest.fixture(scope="session")
def octavo_project(pytestconfig: pytest.Config) -> Path:
    """Return the project under test: pytest's root folder. Override it for another one."""
    return pytestconfig.rootpath


@pytest.fixture(scope="session")
def octavo_database() -> str | None:
    """Return the database for tests: None for SQLite, or a PostgreSQL URL from OCTAVO_TEST_DATABASE."""
    return os.environ.get("OCTAVO_TEST_DATABASE") or None


@pytest.fixture(scope="session")
def octavo_variables() -> dict[str, str]:
    """Return settings for tests, named as in `.env`, which is not read. Override it to set some."""
    return {}


@pytest.fixture(scope="session")
def octavo_runner() -> Iterator[asyncio.Runner]:
    """Provide the event loop of the site and of the tests that use it."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def octavo_site(
    octavo_runner: asyncio.Runner, octavo_project: Path, octavo_database: str | None, octavo_variables: dict[str, str]
) -> Iterator[Site]:
    """Serve the project. Its data is the state that the last test left."""
    stack = AsyncExitStack()
    opening = open_site(octavo_project, database=octavo_database, variables=octavo_variables)
    try:
        site = octavo_runner.run(stack.enter_async_context(opening))
    except (SettingsError, InvalidDefinitions, InvalidCode, StartFailed) as error:
        pytest.fail(str(error), pytrace=False)  # the message has the location; a traceback would hide it
    site.runner = octavo_runner
    yield site
    octavo_runner.run(stack.aclose())


@pytest.fixture
def site(octavo_runner: asyncio.Runner, octavo_site: Site) -> Site:
    """Serve the project, with the initial data."""
    octavo_runner.run(octavo_site.reset())
    return octavo_site


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run asynchronous tests that use `site` in its event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or "site" not in pyfuncitem.funcargs:
        return None
    site: Site = pyfuncitem.funcargs["site"]  # type: ignore[assignment]
    names = inspect.signature(pyfuncitem.obj).parameters
    site.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
