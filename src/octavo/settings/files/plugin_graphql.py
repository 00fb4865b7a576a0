"""`plugins.toml`, `[graphql]`: the GraphQL door."""

from typing import Literal

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlLimits:
    """The most that an operation may ask for; far above what applications ask."""

    tokens: int = setting(15_000, "Maximum tokens of a document.", bounds=AT_LEAST_ONE)
    aliases: int = setting(500, "Maximum aliases of a document.", bounds=AT_LEAST_ZERO)
    root_fields: int = setting(200, "Maximum fields of Query or Mutation in an operation.", bounds=AT_LEAST_ONE)
    fields: int = setting(5_000, "Maximum fields of a document, with its fragments.", bounds=AT_LEAST_ONE)
    values: int = setting(
        500_000,
        "Maximum values in a response: the fields of each entry times the maximum size of its lists.",
        bounds=AT_LEAST_ONE,
    )
    batch: int = setting(10, "Maximum operations in a batch; 1 for no batches.", bounds=AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApolloServer:
    """Server options of a v4 project, under their names there. What `graphql.config` itself says wins."""

    tracing: bool | None = setting(None, "Report the duration of each stage in `extensions` of the response.")
    introspection: bool | None = setting(None, "Allow introspection of the schema.")
    persisted_queries: bool | None = setting(None, "Let clients send the hash of a query instead of its text.")
    cache: Literal["bounded"] = setting(
        "bounded", "Accepted without effect: caches are limited by `caches` in `server.toml`."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlConfig:
    """The GraphQL door."""

    endpoint: str = setting("/graphql", "Path of the endpoint.", kind=PATH)
    shadow_crud: bool = setting(
        True, "Generate types, queries and mutations from the content types.", name="shadowCRUD"
    )
    playground_always: bool = setting(False, "Serve the playground in production too.")
    introspection: bool = setting(True, "Allow introspection of the schema.", default_doc="true outside production")
    depth_limit: int = setting(7, "Maximum nesting of an operation.", bounds=AT_LEAST_ONE)
    amount_limit: int = setting(100, "Maximum entries of any list.", bounds=AT_LEAST_ONE)
    max_limit: int = setting(-1, "Also the maximum entries of any list; -1 for `amountLimit` alone.", bounds=(-1, None))
    default_limit: int = setting(10, "Entries of a list if an operation sets none.", bounds=AT_LEAST_ONE)
    persisted_queries: bool = setting(
        True, "Let clients send the hash of a query instead of its text.", default_doc="true in profile v4"
    )
    tracing: bool = setting(False, "Report the duration of each stage in `extensions` of the response.")
    schedules: bool = setting(
        False,
        "Add fields for scheduled publishing to the schema: `articleSchedule` and `updateArticleSchedule`.",
    )
    cursors: bool = setting(
        False, "Add cursors to the schema: `after` in `pagination` of root lists, and in `meta.pagination`."
    )
    limits: GraphqlLimits = table(GraphqlLimits, "Limits of operations.")
    apollo_server: ApolloServer = table(ApolloServer, "Server options of a v4 project.")

    @property
    def largest_page(self) -> int | None:
        """`max_limit`, where it is set."""
        return self.max_limit if self.max_limit > 0 else None

    @property
    def most_items(self) -> int:
        """Of any list."""
        return self.amount_limit if self.max_limit < 1 else min(self.amount_limit, self.max_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphql:
    """The GraphQL plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: GraphqlConfig = table(GraphqlConfig)
