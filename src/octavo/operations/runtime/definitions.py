"""The definitions of a project: the registry that is served with its settings, and problems with it."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeVar

from octavo.api.graphql.schema.name_conflicts import left_out
from octavo.content.validation.patterns import is_pattern
from octavo.core.errors import ServiceUnavailable
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.open_resources import has_database, open_project_database
from octavo.operations.runtime.options import makes_schema
from octavo.project.plugins import plugins_in_use, project_custom_fields, v4_plugin_definitions
from octavo.query.sql.ddl.physical import type_word
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, Scalar
from octavo.schema.content_types import Component, ContentType
from octavo.schema.custom_fields import CustomFields
from octavo.schema.loader import Inspection, inspect_definitions
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions, warning
from octavo.schema.registry import Registry
from octavo.settings import Settings

logger = logging.getLogger(__name__)
MOST_LISTED: Final = 5
"""Warnings that a start logs one by one. `octavo config check` shows all."""

DefinitionT = TypeVar("DefinitionT", ContentType, Component)


def with_private(registry: Registry, names: Collection[str]) -> Registry:
    """Return the registry with the attributes of these names private; `id` is always visible."""
    if not names:
        return registry
    content_types = [_hidden(item, names) for item in registry.content_types.values()]
    return Registry(content_types, [_hidden(item, names) for item in registry.components.values()], registry.remarks)


def _hidden(definition: DefinitionT, names: Collection[str]) -> DefinitionT:
    attributes = {
        name: replace(attribute, private=True) if name in names else attribute
        for name, attribute in definition.attributes.items()
    }
    return replace(definition, attributes=attributes)


def without_locales(registry: Registry) -> Registry:
    """Return the registry without localized types and attributes."""
    content_types = [_plain(item) for item in registry.content_types.values()]
    return Registry(content_types, registry.components.values(), registry.remarks)


def _plain(content_type: ContentType) -> ContentType:
    if not content_type.localized:
        return content_type
    attributes = {
        name: replace(attribute, localized=False)
        for name, attribute in content_type.attributes.items()
        if name not in (LOCALE, LOCALIZATIONS)
    }
    return replace(content_type, attributes=attributes, localized=False)


def project_registry(settings: Settings, *, connect: bool = True) -> Registry:
    """Return a project's registry, with the types of custom fields from their columns unless `connect` is false.

    Raises InvalidDefinitions.
    """
    inspected = inspect_project(settings, connect=connect)
    if inspected.registry is None:
        raise InvalidDefinitions(problem for problem in inspected.problems if problem.severity == "error")
    return served_registry(settings, inspected.registry)


def served_registry(settings: Settings, registry: Registry) -> Registry:
    """Return definitions as a service with these settings serves them."""
    localized = registry if settings.plugins.i18n.enabled else without_locales(registry)
    return with_private(localized, settings.api.responses.private_attributes)


def warnings_of(registry: Registry, settings: Settings) -> tuple[DefinitionProblem, ...]:
    """Return warnings about the served definitions."""
    unnamed = left_out(registry).problems if makes_schema(settings) else ()
    return (*registry.remarks, *_no_patterns(registry), *unnamed)


def log_warnings(warnings: Iterable[DefinitionProblem]) -> None:
    """Log the first warnings, and the number of others."""
    messages = tuple(warnings)
    for problem in messages[:MOST_LISTED]:
        logger.warning("%s", problem)
    if len(messages) > MOST_LISTED:
        logger.warning("%d more remarks on the definitions; run octavo config check", len(messages) - MOST_LISTED)


def _no_patterns(registry: Registry) -> Iterator[DefinitionProblem]:
    for definition in registry.definitions():
        for attribute in definition.attributes.values():
            if isinstance(attribute, Scalar) and attribute.regex and not is_pattern(attribute.regex):
                message = (
                    "is not a valid JavaScript regular expression, so every value is rejected. Correct or remove it"
                )
                yield warning(definition.source, f"attributes.{attribute.name}.regex", message)


def inspect_project(settings: Settings, *, connect: bool) -> Inspection:
    """Inspect the definitions of a project and all of its plugins."""
    fields = project_custom_fields(settings)
    plugins = [plugin.source for plugin in plugins_in_use(settings.plugins.others)]
    of_v4 = v4_plugin_definitions(settings)
    inspection = inspect_definitions(settings.project, fields, plugins, of_v4)
    if not connect or inspection.registry is None or not any(fields.unknown(inspection.registry)):
        return inspection
    types = _column_types(settings, fields, inspection.registry)
    return inspect_definitions(settings.project, replace(fields, found=types), plugins, of_v4) if types else inspection


def _column_types(settings: Settings, fields: CustomFields, registry: Registry) -> dict[str, str]:
    """Return the types of unknown custom fields, from their existing columns.

    Queries the database in a separate event loop: definitions are read before anything is served.
    """
    if not has_database(settings):
        return {}
    with ThreadPoolExecutor(max_workers=1) as executor:
        tables = executor.submit(lambda: asyncio.run(_found_tables(settings))).result()
    types: dict[str, str] = {}
    for name, definition, attribute in fields.unknown(registry):
        table = tables.get(table_name(definition))
        column = column_name(definition.scalar(attribute))
        word = next((type_word(item.type) for item in table.columns if item.name == column), None) if table else None
        if word is not None:
            types.setdefault(name, word)
    return types


async def _found_tables(settings: Settings) -> dict[str, Table]:
    """Return the database's tables, or none if it cannot be reached, which the start reports."""
    database = open_project_database(settings, untouched=True)
    try:
        await database.connect()
        return await found_tables(database, database.dialect)
    except ServiceUnavailable:
        return {}
    finally:
        await database.close()
