"""`plugins.toml`: the built-in plugins, the larger ones in separate modules, and the project's own plugins."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal

from octavo.core.values import dataclass
from octavo.settings.files.plugin_email import Email
from octavo.settings.files.plugin_upload import Upload
from octavo.settings.files.plugin_users_permissions import UsersPermissions
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, kebab, setting, table
from octavo.settings.values import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlLimits:
    """Limits of an operation; far above what applications need."""

    aliases: int = setting(500, "Maximum aliases of a document; lower it for public APIs.", bounds=AT_LEAST_ZERO)
    values: int = setting(
        500_000,
        "Maximum values in a response: the fields of each entry times the maximum size of its lists.",
        bounds=AT_LEAST_ONE,
    )
    batch: int = setting(10, "Maximum operations in a batch; 1 for no batches.", bounds=AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApolloServer:
    """Server options of a v4 project, under their names there. Keys of `graphql.config` take precedence."""

    tracing: bool | None = setting(None, "Report the duration of each stage in `extensions` of the response.")
    introspection: bool | None = setting(None, "Allow introspection of the schema.")
    persisted_queries: bool | None = setting(None, "Let clients send the hash of a query instead of its text.")
    cache: Literal["bounded"] = setting(
        "bounded", "Accepted without effect: caches are limited by `caches` in `server.toml`."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlConfig:
    """The GraphQL API."""

    endpoint: str = setting("/graphql", "Path of the endpoint.", kind=PATH)
    shadow_crud: bool = setting(
        True, "Generate types, queries and mutations from the content types.", name="shadowCRUD"
    )
    playground_always: bool = setting(False, "Serve the playground in production too, for public APIs.")
    introspection: bool = setting(True, "Allow introspection of the schema.", default_doc="true outside production")
    depth_limit: int = setting(7, "Maximum nesting of an operation.", bounds=AT_LEAST_ONE)
    amount_limit: int = setting(100, "Maximum page size.", bounds=AT_LEAST_ONE)
    max_limit: int = setting(-1, "Maximum page size of a request; -1 for `amountLimit`.", bounds=(-1, None))
    default_limit: int = setting(10, "Default page size.", bounds=AT_LEAST_ONE)
    persisted_queries: bool = setting(
        True, "Let clients send the hash of a query instead of its text.", default_doc="true in profile v4"
    )
    tracing: bool = setting(False, "Report the duration of each stage in `extensions` of the response, to clients too.")
    schedules: bool = setting(
        False,
        "Add fields for scheduled publishing to the schema: `articleSchedule` and `updateArticleSchedule`.",
    )
    cursors: bool = setting(
        False, "Add cursors to the schema: `after` in `pagination` of root lists, and in `meta.pagination`."
    )
    limits: GraphqlLimits = table(
        GraphqlLimits,
        "Limits of operations, far above what applications need ([details](graphql.md#limits-and-settings)).",
    )
    apollo_server: ApolloServer = table(ApolloServer, "Server options of v4; the same keys above take precedence.")

    @property
    def largest_page(self) -> int | None:
        """`max_limit`, if it is set."""
        return self.max_limit if self.max_limit > 0 else None

    @property
    def most_items(self) -> int:
        """Maximum number of items of any list."""
        return self.amount_limit if self.max_limit < 1 else min(self.amount_limit, self.max_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphql:
    """The GraphQL plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: GraphqlConfig = table(GraphqlConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationConfig:
    """The URL of the documentation, and its access rules."""

    path: str = setting("/documentation", "Path of the page; the document is at `openapi.json` below it.", kind=PATH)
    always: bool = setting(False, "Serve it in production too, for public APIs.")
    access: Literal["everyone", "tokens"] = setting(
        "everyone",
        "Access to the document: `everyone`, or only API tokens with full access (`tokens`).",
        former={"everybody": "everyone"},
    )
    title: str = setting("API", "Name of the API.")
    version: str = setting("1.0.0", "Version of the API; the page is also at `/v` followed by it, as in v4.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """OpenAPI."""

    enabled: bool = setting(
        True,
        "Use the plugin.",
        default_doc="true; in v4 projects where `package.json` has `@strapi/plugin-documentation`",
    )
    config: DocumentationConfig = table(DocumentationConfig)


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
    """Plugins: the built-in ones with known keys, others unchanged."""

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
"""The names of the built-in plugins, with their attributes."""
