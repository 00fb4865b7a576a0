"""The only entry point to `octavo.v4`: that package is imported for Strapi v4 projects only, through these protocols.

Besides this module, only `octavo.v4` and the command line import it; `tests/test_layers.py` checks this.
"""

from collections.abc import Iterable, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Protocol

from octavo.core.errors import MissingExtra, is_missing_parser
from octavo.settings.findings import Finding
from octavo.settings.model import Settings
from octavo.settings.package_json import CORE, DeclaredPlugin, depends_on, find_v4_project
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import Found, Given

Place = tuple[str, ...]


class V4Configuration(Protocol):
    """The configuration of a v4 project, as a source of settings."""

    @property
    def defaults(self) -> Iterable[Given]:
        """v4's defaults that differ from Octavo's."""

    @property
    def given(self) -> Iterable[Given]:
        """The project's values."""

    @property
    def plugins(self) -> tuple[DeclaredPlugin, ...]:
        """The plugins in `config/plugins`, in order."""

    def visible(self, variables: Found) -> Found:
        """Return the environment variables that v4 would also read."""

    def resolve_origins(self, chosen: MutableMapping[Place, Given], anybody: str) -> None:
        """Replace a `*` in the project's list of origins. `anybody` is the rule that allows any origin."""

    def missing(self, chosen: Mapping[Place, Given]) -> Iterable[SettingsProblem]:
        """Return the settings that the start requires and no source provides."""

    def findings(self, settings: Settings) -> Iterable[Finding]:
        """Return the outcome for each key."""


def read_v4_configuration(project: Path, variables: Mapping[str, str]) -> V4Configuration | None:
    """Return the configuration of a v4 project, or None for any other.

    Raises ValueError for an invalid `package.json`, and MissingExtra."""
    if find_v4_project(project) is None:
        return None
    try:
        configuration: V4Configuration = load_v4("config.configuration").read_configuration(project, variables)
    except ModuleNotFoundError as error:
        if is_missing_parser(error):
            raise MissingExtra from None
        raise
    return configuration


def v4_type_files(project: Path, uid: str) -> dict[str, bytes]:
    """Return the JavaScript files that v4 needs for a new content type, by path; none in other projects."""
    if not depends_on(project, CORE):
        return {}
    files: dict[str, bytes] = load_v4("type_files").type_files(project, uid)
    return files


def load_v4(module: str) -> ModuleType:
    """Import a module of `octavo.v4`."""
    return import_module(f"octavo.v4.{module}")
