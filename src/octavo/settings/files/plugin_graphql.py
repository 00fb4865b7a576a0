"""`plugins.toml`, `[graphql]`: the GraphQL door."""

from typing import Literal

from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting, table
from octavo.settings.values import PATH
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlLimits:
    """The most that an operation may ask for; far above what applications ask."""

    tokens: int = setting(15_000, "Words and signs of a document.", bounds=AT_LEAST_ONE)
    aliases: int = setting(500, "Aliases of a document.", bounds=AT_LEAST_ZERO)
    root_fields: int = setting(200, "Fields of Query or Mutation in an operation.", bounds=AT_LEAST_ONE)
    fields: int = setting(5_000, "Fields of a document, its fragments filled in.", bounds=AT_LEAST_ONE)
    values: int = setting(
        500_000,
        "Values that an answer may come to have: the fields of each entry, times the entries its lists may have.",
        bounds=AT_LEAST_ONE,
    )
    batch: int = setting(10, "Operations sent together; 1 for no batches.", bounds=AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApolloServer:
    """Server options of a v4 project, under their names there. What `graphql.config` itself says wins."""

    tracing: bool | None = setting(None, "As `tracing`.")
    introspection: bool | None = setting(None, "As `introspection`.")
    persisted_queries: bool | None = setting(None, "As `persistedQueries`.")
    cache: Literal["bounded"] = setting("bounded", "Taken: caches are bounded, see `caches` in `server.toml`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlConfig:
    """The GraphQL door."""

    endpoint: str = setting("/graphql", "Path of the endpoint.", kind=PATH)
    shadow_crud: bool = setting(True, "Make types, queries and mutations from the content-types.", name="shadowCRUD")
    playground_always: bool = setting(False, "Show the playground in production too.")
    introspection: bool = setting(True, "Answer questions about the schema.", default_doc="true outside production")
    depth_limit: int = setting(7, "Deepest nesting of an operation.", bounds=AT_LEAST_ONE)
    amount_limit: int = setting(100, "Most items of any list.", bounds=AT_LEAST_ONE)
    max_limit: int = setting(-1, "Also the most items of any list; -1 leaves it to `amountLimit`.", bounds=(-1, None))
    default_limit: int = setting(10, "Items of a list when an operation does not say.", bounds=AT_LEAST_ONE)
    persisted_queries: bool = setting(
        True, "Let clients send the hash of a query in place of its text.", default_doc="true in profile v4"
    )
    tracing: bool = setting(False, "Tell in `extensions` of each answer how long each stage took.")
    schedules: bool = setting(
        False,
        "Add fields for scheduled publishing to the schema: `articleSchedule` and `updateArticleSchedule`.",
    )
    cursors: bool = setting(
        False, "Add cursors to the schema: `after` in `pagination`, of lists at the root, and in `meta.pagination`."
    )
    limits: GraphqlLimits = table(GraphqlLimits, "The most that an operation may ask for.")
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
