"""Indexes: those of our own, made beside those of Strapi v4, and those that content-types declare.

Nothing breaks where they are missing.
"""

from collections.abc import Iterator
from hashlib import sha256

from octavo.core.values import dataclass
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import LOCALE, PUBLISHED_AT, STAMPED, UPDATED_AT
from octavo.schema.content_types import USER, ContentType
from octavo.schema.declared_indexes import CONTAINS, DeclaredIndex
from octavo.schema.managed import is_managed
from octavo.schema.registry import Registry

OWN_PREFIX = "octavo_"
DECLARED_PREFIX = "octavo_ix_"
_FOUND_BY = {"username", "email"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index; `where` makes it partial: a condition, of a wanted one with its columns in braces.

    `descending` are those of its columns that count downwards. `declared`: a content-type asks for it, and it may be
    made while the table is in use. `contains`: it finds parts of texts, regardless of case. What a database tells of an
    index holds neither; names of declared ones tell them apart.
    """

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    where: str | None = None
    descending: frozenset[str] = frozenset()
    declared: bool = False
    contains: bool = False

    @property
    def told_columns(self) -> tuple[str, ...]:
        """Its columns as a database tells them: expressions have no name."""
        return ("",) * len(self.columns) if self.contains else self.columns


def extra_indexes(registry: Registry) -> Iterator[tuple[str, tuple[Index, ...]]]:
    """The indexes of our own: the table and its indexes.

    Counting the published entries, and taking a page of them, is forty times faster through `octavo_<table>_published`;
    those of one locale through `octavo_<table>_localized`. Both hold `published_at` too, because SQLite does not see
    that the condition of the index speaks for it. Where all entries of a table are counted at once, `.._drafts` tells
    how many to take off. Lists in the order of what entries are called, or of when they were changed, take their first
    page from `.._called` and `.._changed`. Logins find users by name and address. Those that types declare come last.
    """
    for content_type in registry.content_types.values():
        indexes = tuple(_extra_indexes(content_type))
        if indexes:
            yield table_name(content_type), indexes


def _extra_indexes(content_type: ContentType) -> Iterator[Index]:
    prefix = f"{OWN_PREFIX}{table_name(content_type)}_"
    columns: tuple[str, ...] = ("id",)
    where: str | None = None
    if content_type.draft_and_publish:
        columns, where = ("id", "published_at"), "{published_at} IS NOT NULL"
        yield Index(name=f"{prefix}published", columns=columns, where=where)
        yield Index(name=f"{prefix}drafts", columns=columns, where="{published_at} IS NULL")
    if content_type.localized:
        yield Index(name=f"{prefix}localized", columns=("locale", *columns), where=where)
    if is_managed(content_type):
        for name, column in _sorted_by(content_type):
            yield Index(name=f"{prefix}{name}", columns=("locale", column) if content_type.localized else (column,))
    if content_type.uid == USER:
        for name in sorted(_FOUND_BY & content_type.attributes.keys()):
            yield Index(name=f"{prefix}{name}", columns=(name,))
    yield from (_declared_index(content_type, declared) for declared in content_type.declared_indexes)


def _sorted_by(content_type: ContentType) -> Iterator[tuple[str, str]]:
    """What pages of administrators sort by: what entries are called, the first text, and when they were changed."""
    own = (one for one in content_type.scalars if one.name not in STAMPED)
    called = next((one for one in own if one.type == "string"), None)
    if called is not None and called.column is None:
        yield "called", column_name(called)
    if UPDATED_AT in content_type.attributes:
        yield "changed", column_name(content_type.scalar(UPDATED_AT))


def _declared_index(content_type: ContentType, declared: DeclaredIndex) -> Index:
    """Its name begins with a digest of all that it is, so that another one is another index, however names are cut."""
    columns, descending = _declared_columns(content_type, declared)
    table = table_name(content_type)
    told = "|".join((table, declared.kind, *(f"{name} {name in descending}" for name in columns)))
    return Index(
        name=f"{DECLARED_PREFIX}{sha256(told.encode()).hexdigest()[:10]}_{table}",
        columns=columns,
        descending=descending,
        declared=True,
        contains=declared.kind == CONTAINS,
    )


def _declared_columns(content_type: ContentType, declared: DeclaredIndex) -> tuple[tuple[str, ...], frozenset[str]]:
    """What is sorted by, in one locale, ends with the id, as every order does; with what is published, so that pages of
    ids are taken from the index alone."""
    names = [key.attribute for key in declared.keys]
    descending = frozenset(column_name(content_type.scalar(key.attribute)) for key in declared.keys if key.descending)
    columns = [column_name(content_type.scalar(name)) for name in names]
    if declared.kind == CONTAINS:
        return tuple(columns), descending
    if content_type.localized and LOCALE not in names:
        columns.insert(0, column_name(content_type.scalar(LOCALE)))
    columns.append("id")
    if content_type.draft_and_publish and PUBLISHED_AT not in names:
        columns.append(column_name(content_type.scalar(PUBLISHED_AT)))
    return tuple(columns), descending
