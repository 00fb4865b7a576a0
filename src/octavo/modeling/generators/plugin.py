"""Generate a plugin: a package with the structure of a project's `src`, and a test that serves it."""

from typing import Final

from octavo.modeling.generators.files import NewFile
from octavo.modeling.generators.names import class_name, method_name

_PROJECT: Final = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "octavo-{name}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["octavo"]

[project.optional-dependencies]
test = ["octavo[testing]"]

[project.entry-points."octavo.plugins"]
{name} = "{package}"

[tool.setuptools.packages.find]
include = ["{package}*"]

[tool.setuptools.package-data]
{package} = ["**/*.json", "**/*.py"]
"""
_README: Final = """\
# octavo-{name}

A plugin for Octavo. To test it, run `pip install -e '.[test]'`, then `pytest`. To enable it in a project:

    # config/plugins.toml
    [{name}]
    enabled = true
    config = {{ greeting = "Good morning" }}
"""
_INDEX: Final = '''\
"""The plugin's startup code and its settings: `config` in a project's config/plugins.toml."""

from octavo.core.values import dataclass


@dataclass(frozen=True)
class Settings:
    greeting: str = "Hello"


async def bootstrap(app):
    app.log.info("{name} greets with %s", app.plugin("{name}").config.greeting)
'''
_CONTROLLER: Final = '''\
"""The plugin's REST actions."""

from octavo import Controller, Request


class {class_name}Controller(Controller):
    async def greet(self, request: Request):
        """Return a greeting."""
        return {{"greeting": self.app.plugin("{name}").config.greeting}}
'''
_ROUTES: Final = '''\
"""The plugin's routes."""

from octavo import Route

routes = [Route("GET", "/{name}", "{name}.greet", auth=False)]
'''
_CONFTEST: Final = '''\
"""A project with the plugin enabled, for all tests; `site` serves it."""

import pytest

pytest_plugins = ["octavo.testing.plugin"]


@pytest.fixture(scope="session")
def octavo_project(tmp_path_factory):
    project = tmp_path_factory.mktemp("project")
    for folder in ("src", "config"):
        (project / folder).mkdir()
    (project / "config" / "plugins.toml").write_text("[{name}]\\nenabled = true\\n")
    return project
'''
_TEST: Final = '''\
"""Tests of the plugin's responses."""


async def test_it_greets(site):
    answer = await site.get("/api/{name}")
    assert answer.json() == {{"greeting": "Hello"}}
'''
_FILES: Final = {
    "pyproject.toml": _PROJECT,
    "README.md": _README,
    "{package}/__init__.py": "",
    "{package}/index.py": _INDEX,
    "{package}/api/{name}/controllers/{name}.py": _CONTROLLER,
    "{package}/api/{name}/routes/{name}.py": _ROUTES,
    "tests/conftest.py": _CONFTEST,
    "tests/test_{module}.py": _TEST,
}


def plugin(name: str) -> list[NewFile]:
    """Return the files of a plugin in a new folder: `octavo-reviews`."""
    module = method_name(name)
    words = {"name": name, "module": module, "package": f"octavo_{module}", "class_name": class_name(name)}
    return [
        NewFile(f"octavo-{name}/{path.format(**words)}", text.format(**words) if text else "")
        for path, text in _FILES.items()
    ]
