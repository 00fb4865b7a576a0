"""`plugins.toml`: the plugins that are built in, the larger ones in modules of their own, and those of a project."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from octavo.settings.files.plugin_graphql import Graphql
from octavo.settings.files.plugin_upload import Upload
from octavo.settings.files.plugin_users_permissions import UsersPermissions
from octavo.settings.keys import setting, table


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailProviderOptions:
    """The mail server."""

    host: str | None = setting(None, "Mail server; without one, development puts mail into `.octavo/mail`.")
    port: int = setting(587, "Port of the mail server.", bounds=(1, 65535))
    security: Literal["none", "starttls", "tls"] = setting("starttls", "Encryption on the way to the mail server.")
    user: str | None = setting(None, "User of the mail server.", variable="SMTP_USERNAME")
    password: str | None = setting(None, "Password of that user.", variable="SMTP_PASSWORD", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSettings:
    """What messages say that say nothing themselves."""

    default_from: str = setting("no-reply@localhost", "Whom messages come from.")
    default_reply_to: str = setting("", "Where answers go.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailConfig:
    """Mail to users."""

    provider_options: EmailProviderOptions = table(EmailProviderOptions, "The mail server.")
    settings: EmailSettings = table(EmailSettings, "Senders.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """The email plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: EmailConfig = table(EmailConfig)


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
    others: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Plugins of the project: any table.", name="<plugin>", others=True, entry_names="kebab"
    )
