"""`plugins.toml`: the plugins that are built in, the larger ones in modules of their own, and those of a project."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.files.plugin_documentation import Documentation
from octavo.settings.files.plugin_email import Email
from octavo.settings.files.plugin_graphql import Graphql
from octavo.settings.files.plugin_upload import Upload
from octavo.settings.files.plugin_users_permissions import UsersPermissions
from octavo.settings.keys import kebab, setting, table


@dataclass(frozen=True, slots=True, kw_only=True)
class I18nConfig:
    """Locales."""

    default_locale: str = setting(
        "en", "Default locale of a new database.", variable="STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class I18n:
    """The locales plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: I18nConfig = table(I18nConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """Plugins: the built-in ones with known keys, others as they are written."""

    users_permissions: UsersPermissions = table(UsersPermissions, name="users-permissions")
    email: Email = table(Email)
    i18n: I18n = table(I18n)
    upload: Upload = table(Upload)
    graphql: Graphql = table(Graphql)
    documentation: Documentation = table(Documentation)
    others: Mapping[str, Mapping[str, Any]] = setting(
        {},
        "Plugins of packages: `enabled`, and `config`, a table for the plugin. See plugins.md.",
        name="<plugin>",
        others=True,
        entry_names="kebab",
    )


BUILT_IN: Final[Mapping[str, str]] = {kebab(row.name): row.name for row in fields(Plugins) if row.name != "others"}
"""The names of the plugins that are built in, with their attributes."""
