"""What GraphQL is given: what the settings say, and the services that answer. Imports no graphql-core."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from octavo.access.accounts import Accounts
from octavo.access.authenticator import Authenticator
from octavo.access.role_administration import RoleAdministration
from octavo.access.user_administration import UserAdministration
from octavo.content.files import FileService
from octavo.controllers import ContentController
from octavo.graphql.extension import Extending
from octavo.graphql.queries import ListLimits
from octavo.graphql.texts import CacheLimits
from octavo.graphql.tracing import TraceClock

ParseText = Callable[[str], Mapping[str, Any]]
"""Untangles the query of an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most of each.

    `fields` counts what all operations select once fragments are filled in; `comparisons` the pairs of
    fields that share a place in the answer and have to be compared with each other; `nesting` is of brackets;
    `schema_lists` are lists of types, fields and the like below `__schema`.
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
    """What the settings say. `cache` bounds documents, and apart from them `persisted` queries, if there are any."""

    limits: Limits = field(default_factory=Limits)
    lists: ListLimits = field(default_factory=ListLimits)
    cache: CacheLimits = field(default_factory=CacheLimits)
    generate: bool = True
    playground: bool = False
    persisted: bool = False
    batch: int = 10
    simple_forms: bool = True
    trace_clock: TraceClock | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlContent:
    """What operations are answered from."""

    authenticator: Authenticator
    controller: ContentController
    accounts: Accounts
    users: UserAdministration
    roles: RoleAdministration
    files: FileService
    extending: Extending
