"""Indexes that Octavo adds to those of Strapi v4, and those that content types declare.

They only improve performance: everything works without them.
"""

from collections.abc import Iterator
from hashlib import sha256

from octavo.core.values import dataclass
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import LOCALE, PUBLISHED_AT, STAMPED, UPDATED_AT
from octavo.schema.content_types import CONTAINS, USER, ContentType, DeclaredIndex
from octavo.schema.managed import is_managed
from octavo.schema.registry import Registry

OWN_PREFIX = "octavo_"
DECLARED_PREFIX = "octavo_ix_"
_FOUND_BY = {"username", "email"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index. `where` makes it partial: a condition, with column names in braces if the index is not created yet.

    `descending` are its descending columns. `declared`: a content type declares it, and it can be created while the
    table is in use. `contains`: a case-insensitive substring index. Databases do not report `descending` and
    `contains`, so the names of declared indexes identify them. `prefixes`: columns of which only some characters are
    indexed, and how many.
    """

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    where: str | None = None
    descending: frozenset[str] = frozenset()
    declared: bool = False
    contains: bool = False
    prefixes: tuple[tuple[str, int], ...] = ()

    @property
    def is_part_unique(self) -> bool:
        """Whether different values would be duplicates, because only their beginnings are indexed."""
        return self.unique and bool(self.prefixes)

    @property
    def introspected_columns(self) -> tuple[str, ...]:
        """The column names that a database reports: expressions have no name."""
        return ("",) * len(self.columns) if self.contains else self.columns


def extra_indexes(registry: Registry) -> Iterator[tuple[str, tuple[Index, ...]]]:
    """Yield each table with the indexes that Octavo adds.

    `octavo_<table>_published` makes counting and paging published entries forty times faster, `.._localized` those of
    one locale. Both include `published_at`, because SQLite does not see that the condition of the index implies it.
    Where a database counts all rows of a table without reading them, `.._drafts` gives the number to subtract.
    `.._called` and `.._changed` serve the first page of lists sorted by main field or update time. Sign-in looks up
    users by name and email address. The indexes that types declare come last.
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
    """Yield the columns that admin panel lists sort by: the main field, the first text, and the update time."""
    own = (one for one in content_type.scalars if one.name not in STAMPED)
    called = next((one for one in own if one.type == "string"), None)
    if called is not None and called.column is None:
        yield "called", column_name(called)
    if UPDATED_AT in content_type.attributes:
        yield "changed", column_name(content_type.scalar(UPDATED_AT))


def _declared_index(content_type: ContentType, declared: DeclaredIndex) -> Index:
    """Return a declared index. Its name starts with a digest of its definition, so that truncated names stay unique."""
    columns, descending = _declared_columns(content_type, declared)
    table = table_name(content_type)
    definition = "|".join((table, declared.kind, *(f"{name} {name in descending}" for name in columns)))
    return Index(
        name=f"{DECLARED_PREFIX}{sha256(definition.encode()).hexdigest()[:10]}_{table}",
        columns=columns,
        descending=descending,
        declared=True,
        contains=declared.kind == CONTAINS,
    )


def _declared_columns(content_type: ContentType, declared: DeclaredIndex) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the columns and the descending ones. An index for sorting in one locale ends with the publication date and
    the id, which breaks ties, so that pages of ids are read from the index alone."""
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
