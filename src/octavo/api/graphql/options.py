"""Options and services of the GraphQL API. Does not import graphql-core."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.accounts.users.accounts import Accounts
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_management import UserManagement
from octavo.api.graphql.customization.extension import Extending
from octavo.api.graphql.execution.argument_parser import ListLimits
from octavo.api.graphql.tracing import TraceClock
from octavo.content.controllers.content import ContentController
from octavo.content.media.files import FileService
from octavo.core.cache import CacheScope
from octavo.core.values import dataclass

MOST_LOGINS: Final = 5
"""Default limit of root fields in a request that check credentials."""

ParseText = Callable[[str], Mapping[str, Any]]
"""Parses a query string."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of documents.

    `fields` counts the selected fields of all operations, with fragments expanded. `comparisons` counts pairs of fields
    with the same response key, which validation compares. `nesting` is the depth of brackets. `schema_lists` counts
    lists of types, fields and so on below `__schema`.
    """

    depth: int = 7
    nesting: int = 100
    tokens: int = 15_000
    operations: int = 100
    fragments: int = 500
    fields: int = 5_000
    root_fields: int = 200
    aliases: int = 500
    variables: int = 500
    directives: int = 500
    comparisons: int = 20_000
    schema_lists: int = 24
    introspection: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlOptions:
    """The options of the GraphQL API.

    `persisted`: clients can send the hash of a query. `schedules`: fields for scheduled publishing exist. `cursors`:
    lists have cursors.

    `simple_forms` accepts forms that pages of other sites can send, `url_encoded` operations in URL-encoded forms.
    `json_errors` returns all errors as JSON. `digit_ids` accepts only digits as ids. `logins` limits the root fields of
    a request that check credentials. `unkept`: responses forbid CDNs and reverse proxies to cache them.
    `base_path` is the path of the public URL.
    """

    limits: Limits = field(default_factory=Limits)
    lists: ListLimits = field(default_factory=ListLimits)
    generate: bool = True
    playground: bool = False
    persisted: bool = False
    schedules: bool = False
    cursors: bool = False
    batch: int = 10
    simple_forms: bool = True
    url_encoded: bool = True
    json_errors: bool = False
    digit_ids: bool = False
    logins: int | None = None
    base_path: str = ""
    trace_clock: TraceClock | None = None
    unkept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlContent:
    """The services that resolve operations."""

    authenticator: Authenticator
    controller: ContentController
    accounts: Accounts
    users: UserManagement
    roles: RoleManagement
    files: FileService
    extending: Extending
    caches: CacheScope
