"""examine: create the complete adoption report of a v4 project. Errors in one part are reported with the others."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.operations.runtime.definitions import project_registry, warnings_of
from octavo.operations.runtime.open_resources import place_of_database
from octavo.project import InvalidCode
from octavo.schema.custom_fields import known_custom_fields
from octavo.schema.loader import inspect_definitions
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.settings import Settings, SettingsError, load_settings, missing_secrets
from octavo.settings.loader import REQUIRED_SECRETS
from octavo.settings.package_json import V4Project
from octavo.settings.sources import read_env_file
from octavo.v4.adoption.assemble import assemble, setting_items
from octavo.v4.adoption.database import UNUSABLE, look_into
from octavo.v4.adoption.plugins import counterparts
from octavo.v4.adoption.report import DatabaseReport, Item, Report
from octavo.v4.code import Code
from octavo.v4.code.allowances import allow
from octavo.v4.code.read import read_code
from octavo.v4.config.read import read_v4

_NO_SETTINGS: Final = "not inspected, because the settings do not determine the database"
_NO_DEFINITIONS: Final = "not inspected, because the definitions are invalid"
_NOTHING: Final = Registry((), ())


def examine(folder: Path, v4: V4Project, environment: Mapping[str, str]) -> Report:
    """Return the report on a project, as `octavo start` would run it with these environment variables."""
    variables = _variables(folder) | dict(environment)
    report = _examine(folder, v4, environment, variables)
    name = variables.get("NODE_ENV") or "development"
    return replace(report, environment=name, other_environments=_environments(folder))


def _examine(folder: Path, v4: V4Project, environment: Mapping[str, str], variables: Mapping[str, str]) -> Report:
    try:
        settings = load_settings(folder, environment, default_mode="production", require_secrets=False)
    except SettingsError as error:
        return _without_settings(folder, v4, variables, error)
    stops = list(_missing(settings))
    try:
        registry = project_registry(settings)
    except InvalidDefinitions as error:
        stops += map(_definition, error.problems)
        report = assemble(settings, None, read_code(folder, _NOTHING), ())
        return replace(report, stops=(*report.stops, *stops), database=_uninspected_database(settings))
    code = _code(folder, registry, settings.api.adoption.allow, stops)
    database = asyncio.run(look_into(settings, registry))
    stops += _database(database)
    report = assemble(settings, registry, code, warnings_of(registry, settings))
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


def _without_settings(folder: Path, v4: V4Project, variables: Mapping[str, str], error: SettingsError) -> Report:
    """Return a partial report for a project whose settings prevent the start."""
    stops = [Item(problem.source, problem.key, problem.message) for problem in error.problems]
    try:
        configuration = read_v4(folder, variables, variables.get("NODE_ENV") or "development")
    except ValueError:
        configuration = None
    found = inspect_definitions(folder, known_custom_fields(folder))
    stops += [_definition(problem) for problem in found.problems if problem.severity == "error"]
    report = Report(
        project=str(folder),
        version=v4.version,
        version_source="package.json",
        settings=setting_items(configuration.findings) if configuration else (),
        plugins=tuple(counterparts(v4.packages)),
        database=DatabaseReport("", "", _NO_SETTINGS),
    )
    code = read_code(folder, found.registry or _NOTHING)
    remarks = found.registry.remarks if found.registry else ()
    made = assemble(Settings(project=folder), found.registry, code, remarks)
    kept = {name: getattr(made, name) for name in ("closed", "code", "definitions", "populates", "has_definitions")}
    return replace(report, stops=tuple(stops), **kept)


def _code(folder: Path, registry: Registry, allowed: tuple[str, ...], stops: list[Item]) -> Code:
    code = read_code(folder, registry)
    try:
        return allow(code, allowed)
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
