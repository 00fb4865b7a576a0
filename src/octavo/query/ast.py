"""Query: what the caller asked, as frozen values. `path`s are where a part stood in the request, for error messages."""

from dataclasses import field
from enum import Enum

from octavo.core.values import dataclass
from octavo.query.operators import Operator

Path = tuple[str, ...]
Value = str | int | float | bool | None
ALL_LOCALES = "all"
"""Stands among the locales of a query for every one of them."""


class PublicationState(Enum):
    """`live`: published entries only. `preview`: drafts too."""

    LIVE = "live"
    PREVIEW = "preview"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """The enclosing attribute, compared. One value for most operators, several where the operator takes several."""

    operator: Operator
    values: tuple[Value, ...]
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something under an attribute that looks like an operator and is none (`filters[title][$nope]=1`)."""

    name: str
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """A filter about one attribute: a comparison of its value, or, for a relation, a filter on what it leads to."""

    attribute: str
    filter: "Filter"
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFrom:
    """What an attribute of one entry leads to: a condition of our own, which no request can name."""

    uid: str
    attribute: str
    entry_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All of them. Without items: no restriction."""

    items: tuple["Filter", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one of them. Without items: no restriction."""

    items: tuple["Filter", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The opposite."""

    item: "Filter"


Filter = Compare | Unknown | LinkedFrom | At | And | Or | Not


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """Order by the attribute at the end of a path of relations. `direction` is the word the caller wrote, if any."""

    names: tuple[str, ...]
    descending: bool = False
    direction: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which part of a list: `limit` entries from `start`. None as limit: all of them.

    `number` and `size` are set when the caller counted in pages; they come back in `meta.pagination`.
    `most_counted`: a total is not counted beyond. `after` is a cursor, empty for the beginning: what comes behind the
    entry that it was made of, whose `keys` (what it is sorted by, and its id) are read from it; `mark` is the list's
    own (`cursors`).
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
    """What to read of one kind of component in a dynamic zone (`populate[zone][on][category.name]`)."""

    component: str
    query: "Query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Populate:
    """Include what an attribute leads to. `branches` (None: all kinds) limits a dynamic zone to some components.

    With `unlisted` a zone's components without a branch are looked for all the same. `fault` is what is wrong with the
    form of what was asked: it is the caller's error if there is such an attribute to be read.
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
    """One level of a read. `fields` None means all; `populate_all` is `populate=*`.

    `locale_filter` compares the locale of entries (`locale[$ne]=en`); other types than localized ones have none.
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
