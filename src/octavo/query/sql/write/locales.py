"""Statements on the locales of a project (tables `i18n_locale` and `strapi_core_store_settings`)."""

from typing import Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.schema.content_types import Definition

LIST_LOCALES: Final = "SELECT id, code, name FROM i18n_locale ORDER BY id"
_KEY: Final = "'plugin_i18n_default_locale'"


def compile_entries_of_locale(definition: Definition, dialect: Dialect) -> str:
    """Return the SELECT of the ids of a type's entries in a locale."""
    return f"SELECT id FROM {dialect.quote(table_name(definition))} WHERE locale = {_text(dialect)} ORDER BY id"


def compile_change_default(dialect: Dialect) -> str:
    """Return the UPDATE of the default locale, as JSON, if there is one."""
    return f"UPDATE strapi_core_store_settings SET value = {_text(dialect)} WHERE {dialect.quote('key')} = {_KEY}"


def compile_insert_default(dialect: Dialect) -> str:
    """Return the INSERT of the first default locale, as JSON."""
    columns = f"{dialect.quote('key')}, value, type"
    return f"INSERT INTO strapi_core_store_settings ({columns}) VALUES ({_KEY}, {_text(dialect)}, 'string')"


def _text(dialect: Dialect) -> str:
    return dialect.parameter(Parameter(0, ParameterKind.TEXT))
