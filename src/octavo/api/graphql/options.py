"""What GraphQL is given: what the settings say, and the services that answer. Imports no graphql-core."""

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
"""How many root fields of a request may check credentials, where they are to be few."""

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
    """What the settings say. `persisted`: whether clients may send the hash of a query; `schedules`: whether there are
    fields for scheduled publishing; `cursors`: whether lists have them.

    `simple_forms` accepts forms that pages of any site can send, `url_encoded` operations in url-encoded forms;
    `json_errors` tells everything as JSON; `digit_ids` takes ids of digits only. `logins` is how
    many root fields of a request may check credentials, if that is bounded. `unkept`: caches in front are told to keep
    no answer.
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
    trace_clock: TraceClock | None = None
    unkept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlContent:
    """What operations are answered from."""

    authenticator: Authenticator
    controller: ContentController
    accounts: Accounts
    users: UserManagement
    roles: RoleManagement
    files: FileService
    extending: Extending
    caches: CacheScope
