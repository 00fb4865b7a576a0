"""Attributes: one frozen class for each kind of attribute of content types and components.

The kinds are those of the service document ("Content type definition"): scalars (with enumeration and UID), relations,
media, components and dynamic zones.
"""

from dataclasses import field
from typing import Any, Final, Literal

from octavo.core.values import dataclass

CREATED_AT: Final = "createdAt"
UPDATED_AT: Final = "updatedAt"
PUBLISHED_AT: Final = "publishedAt"
CREATED_BY: Final = "createdBy"
UPDATED_BY: Final = "updatedBy"
LOCALE: Final = "locale"
LOCALIZATIONS: Final = "localizations"

TIMESTAMPS: Final = (CREATED_AT, UPDATED_AT)
CREATORS: Final = (CREATED_BY, UPDATED_BY)
STAMPED: Final = frozenset({*TIMESTAMPS, PUBLISHED_AT, LOCALE})
"""Attributes that the service sets in an entry's row on every write."""


RelationKind = Literal[
    "oneToOne", "oneToMany", "manyToOne", "manyToMany", "morphToOne", "morphToMany", "morphOne", "morphMany"
]

TO_MANY: frozenset[str] = frozenset({"oneToMany", "manyToMany", "morphToMany", "morphMany"})
MORPH: frozenset[str] = frozenset({"morphToOne", "morphToMany", "morphOne", "morphMany"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """The base class. `localized`: each locale has a separate value (i18n plugin option)."""

    name: str
    required: bool = False
    private: bool = False
    configurable: bool = True
    writable: bool = True
    visible: bool = True
    localized: bool = False

    def __hash__(self) -> int:
        """Hash by name only: plans are looked up by their contents, and an attribute has twenty fields."""
        return hash(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """The column options of a definition (v4's `column` option). `type` is a type name of `query.sql.ddl.tables`."""

    type: str | None = None
    unique: bool = False
    nullable: bool = True
    default: Any = field(default=None, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar(Attribute):
    """A value in a column of the owner's table. `type` is the type name in definitions: `string`, `biginteger`, ..."""

    __hash__ = Attribute.__hash__

    type: str
    unique: bool = False
    default: Any = field(default=None, hash=False)  # JSON attributes have lists and objects
    has_default: bool = False
    minimum: float | int | None = None
    maximum: float | int | None = None
    min_length: int | None = None
    max_length: int | None = None
    regex: str | None = None
    column: ColumnOptions | None = None
    parts_index_of: str | None = None
    """The collection whose content type declares a substring index for this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration(Scalar):
    """One of a fixed list of strings. `type_name` is the name of its GraphQL type (`enumName`)."""

    __hash__ = Attribute.__hash__

    values: tuple[str, ...]
    type_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UID(Scalar):
    """A unique, URL-safe string, generated from `target_field` by default."""

    __hash__ = Attribute.__hash__

    target_field: str | None = None
    separator: str = "-"
    lowercase: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Attribute):
    """A link to other content. The owning side of a two-way relation has `inversed_by`, the other side `mapped_by`.

    `target` is None for morphToOne and morphToMany, whose rows contain the type of the target. `morph_by` is the
    target's polymorphic attribute, of which a morphOne or morphMany is the inverse. `stored_by` is the target's
    relation whose table contains the links although this side has no `mapped_by` (see `shared_links`).
    """

    __hash__ = Attribute.__hash__

    kind: RelationKind
    target: str | None = None
    inversed_by: str | None = None
    mapped_by: str | None = None
    morph_by: str | None = None
    stored_by: str | None = None

    @property
    def owner(self) -> str | None:
        """The target's relation whose table contains the links, or None if this side has its own."""
        return self.mapped_by or self.stored_by

    @property
    def inverse(self) -> str | None:
        """The target's relation that is the other side of a two-way relation."""
        return self.owner or self.inversed_by

    @property
    def to_many(self) -> bool:
        return self.kind in TO_MANY

    @property
    def is_morph(self) -> bool:
        return self.kind in MORPH


@dataclass(frozen=True, slots=True, kw_only=True)
class Media(Attribute):
    """One file, or an ordered list of files."""

    __hash__ = Attribute.__hash__

    multiple: bool = False
    allowed_types: tuple[str, ...] = ()

    @property
    def to_many(self) -> bool:
        return self.multiple


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentField(Attribute):
    """One component, or an ordered list of components of one type."""

    __hash__ = Attribute.__hash__

    component: str
    repeatable: bool = False
    minimum: int | None = None
    maximum: int | None = None

    @property
    def to_many(self) -> bool:
        return self.repeatable


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicZone(Attribute):
    """An ordered list of components of several types."""

    __hash__ = Attribute.__hash__

    components: tuple[str, ...]
    minimum: int | None = None
    maximum: int | None = None

    @property
    def to_many(self) -> bool:
        return True


AnyAttribute = Scalar | Relation | Media | ComponentField | DynamicZone


def components_of(attribute: AnyAttribute) -> tuple[str, ...]:
    """Return the UIDs of the components that an attribute can contain."""
    match attribute:
        case ComponentField(component=uid):
            return (uid,)
        case DynamicZone(components=uids):
            return uids
        case _:
            return ()
