"""examine: create the complete adoption report of a v4 project. Errors in one part are reported with the others."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.operations.runtime.definitions import project_registry, warnings_of
from octavo.operations.runtime.open_resources import place_of_database
from octavo.project import InvalidCode
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.settings import Settings, inspect_settings, missing_secrets
from octavo.settings.loader import REQUIRED_SECRETS
from octavo.settings.sources import read_env_file
from octavo.v4.adoption.assemble import assemble
from octavo.v4.adoption.database import UNUSABLE, inspect_database
from octavo.v4.adoption.panel_customizations import find_customizations
from octavo.v4.adoption.report import DatabaseReport, Item, Report
from octavo.v4.adoption.source_secrets import find_secrets
from octavo.v4.code import Code
from octavo.v4.code.allowances import allow
from octavo.v4.code.read import read_code

_NO_DATABASE: Final = DatabaseReport("", "", "not inspected, because the settings do not determine the database")
_NO_DEFINITIONS: Final = "not inspected, because the definitions are invalid"
_NOTHING: Final = Registry((), ())


def examine(folder: Path, environment: Mapping[str, str]) -> Report:
    """Return the report on a project, as `octavo start` would run it with these environment variables."""
    variables = _variables(folder) | dict(environment)
    return replace(
        _examine(folder, environment),
        environment=variables.get("NODE_ENV") or "development",
        other_environments=_environments(folder),
        source_secrets=tuple(find_secrets(folder)),
        panel=tuple(find_customizations(folder)),
    )


def _examine(folder: Path, environment: Mapping[str, str]) -> Report:
    settings, problems = inspect_settings(folder, environment, default_mode="production", require_secrets=False)
    stops = [Item(problem.source, problem.key, problem.message) for problem in problems] or [*_missing(settings)]
    try:
        registry = project_registry(settings, connect=not problems)
    except InvalidDefinitions as error:
        stops += map(_definition, error.problems)
        report = assemble(settings, None, read_code(folder, _NOTHING, settings.named_plugins), ())
        database = _uninspected_database(settings)
    else:
        code = _code(settings, registry, stops)
        report = assemble(settings, registry, code, warnings_of(registry, settings))
        database = _NO_DATABASE if problems else asyncio.run(inspect_database(settings, registry))
    stops += _database(database)
    return replace(report, stops=(*report.stops, *stops), database=database)


def _variables(folder: Path) -> dict[str, str]:
    """Return the variables of `.env`. Read errors are reported with the settings."""
    try:
        return read_env_file(folder)
    except (UnicodeDecodeError, OSError):
        return {}


def _environments(folder: Path) -> tuple[str, ...]:
    """Return the values of `NODE_ENV` for which the project has configuration files."""
    try:
        return tuple(sorted(path.name for path in (folder / "config" / "env").iterdir() if path.is_dir()))
    except OSError:
        return ()


def _code(settings: Settings, registry: Registry, stops: list[Item]) -> Code:
    code = read_code(settings.project, registry, settings.named_plugins)
    try:
        return allow(code, settings.api.adoption.allow)
    except InvalidCode as error:
        stops += [Item(problem.place, "", problem.message) for problem in error.problems]
        return code


def _missing(settings: Settings) -> Iterator[Item]:
    for name in missing_secrets(settings):
        if name in REQUIRED_SECRETS and settings.mode != "development":
            yield Item(name, "", "missing secret, required in production; set it in .env to the same value as in v4")


def _database(found: DatabaseReport) -> Iterator[Item]:
    if found.problem.startswith(UNUSABLE):
        yield Item(found.source, found.where, found.problem)
    for change in found.contradicting:
        says = "contradicts its definition; correct the definition, or convert with octavo db upgrade --allow-data-loss"
        yield Item(found.where, change, says)


def _definition(problem: DefinitionProblem) -> Item:
    return Item(problem.source, problem.path, problem.message)


def _uninspected_database(settings: Settings) -> DatabaseReport:
    source = settings.sources.get(("database", "client"), "default")
    return DatabaseReport(place_of_database(settings), source, _NO_DEFINITIONS)
