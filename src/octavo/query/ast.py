"""Query: a parsed read request, as frozen values. Each `path` is the position in the request, for error messages."""

from dataclasses import field
from enum import Enum

from octavo.core.values import dataclass
from octavo.query.operators import Operator

Path = tuple[str, ...]
Value = str | int | float | bool | None
ALL_LOCALES = "all"
"""Selects every locale if it is among the locales of a query."""


class PublicationState(Enum):
    """`live`: published entries only. `preview`: drafts too."""

    LIVE = "live"
    PREVIEW = "preview"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """A comparison of the enclosing attribute: one value for most operators, several where the operator takes a
    list."""

    operator: Operator
    values: tuple[Value, ...]
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A key under an attribute that looks like an operator but is not one (`filters[title][$nope]=1`)."""

    name: str
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """A filter on one attribute: a comparison of its value or, for a relation, a filter on the related entries."""

    attribute: str
    filter: "Filter"
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFrom:
    """The targets of one entry's attribute: a server-side condition that requests cannot express."""

    uid: str
    attribute: str
    entry_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """Files that no entry and no component refers to: a server-side condition for lists of files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All of the items must match. Without items: no restriction."""

    items: tuple["Filter", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one of the items must match. Without items: no restriction."""

    items: tuple["Filter", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """Negates a filter."""

    item: "Filter"


Filter = Compare | Unknown | LinkedFrom | Unused | At | And | Or | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """Order by the attribute at the end of a path of relations. `direction` is the word the caller wrote, if any."""

    names: tuple[str, ...]
    descending: bool = False
    direction: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a list: `limit` entries from `start`. With None as limit, all entries.

    `number` and `size` are set if the caller used page numbers; they are returned in `meta.pagination`. `most_counted`
    caps the total. `after` is a cursor, empty for the first page: the page starts after the entry that the cursor was
    created from. `keys` (its sort values and id) are decoded from the cursor; `mark` identifies the list (`cursors`).
    """

    start: int = 0
    limit: int | None = None
    number: int | None = None
    with_count: bool = True
    most_counted: int | None = None
    after: str | None = None
    keys: tuple[Value, ...] = ()
    mark: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The query for one component of a dynamic zone (`populate[zone][on][category.name]`)."""

    component: str
    query: "Query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Populate:
    """Include the targets of an attribute. `branches` (None: all) limits a dynamic zone to some components.

    With `unlisted`, components of a zone without a branch are read as well. `fault` describes a malformed parameter; it
    is raised only if the attribute exists and is readable.
    """

    name: str
    query: "Query"
    count: bool = False
    branches: tuple[Branch, ...] | None = None
    unlisted: bool = False
    fault: str = ""
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One level of a read. `fields` None means all fields; `populate_all` is `populate=*`.

    `locale_filter` compares the locale of entries (`locale[$ne]=en`). It applies to localized types only.
    """

    fields: tuple[str, ...] | None = None
    filters: Filter | None = None
    sort: tuple[Sort, ...] = ()
    populate: tuple[Populate, ...] = ()
    populate_all: bool = False
    page: Page | None = None
    publication_state: PublicationState | None = None
    locales: tuple[str, ...] | None = None
    locale_filter: Filter | None = None
    search: str | None = None


EVERYTHING = Query()
