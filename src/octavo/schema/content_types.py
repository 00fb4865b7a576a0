"""ContentType and Component: named sets of attributes with their options and declared indexes."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, Relation, Scalar

CONTAINS: Final = "contains"
"""A substring index."""
ORDER: Final = "order"
"""An index for sorting and comparing."""


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One attribute of an index, and its direction."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredIndex:
    """An index over scalars of a content type, in order of significance. `kind` is `ORDER` or `CONTAINS`."""

    keys: tuple[IndexKey, ...]
    kind: str = ORDER


UPLOAD: Final = "plugin::upload"
USERS_PERMISSIONS: Final = "plugin::users-permissions"
I18N: Final = "plugin::i18n"
EMAIL: Final = "plugin::email"
CONTENT_TYPE_BUILDER: Final = "plugin::content-type-builder"
CONTENT_RELEASES: Final = "plugin::content-releases"

FILE: Final = f"{UPLOAD}.file"
FOLDER: Final = f"{UPLOAD}.folder"
USER: Final = f"{USERS_PERMISSIONS}.user"
ROLE: Final = f"{USERS_PERMISSIONS}.role"
PERMISSION: Final = f"{USERS_PERMISSIONS}.permission"
LOCALE: Final = f"{I18N}.locale"
RELEASE: Final = f"{CONTENT_RELEASES}.release"
RELEASE_ACTION: Final = f"{CONTENT_RELEASES}.release-action"

ADMIN_USER: Final = "admin::user"
ADMIN_ROLE: Final = "admin::role"
ADMIN_PERMISSION: Final = "admin::permission"
API_TOKEN: Final = "admin::api-token"
ACCOUNTS: Final = frozenset({USER, ADMIN_USER})
"""The content types whose entries can sign in."""

TRANSFER_TOKEN: Final = "admin::transfer-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index in a definition: its name and its columns."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Definition:
    """The base class of content types and components. Compared by identity: the registry has one of each.

    `raw` is the definition as JSON.
    """

    uid: str
    collection_name: str
    display_name: str
    attributes: Mapping[str, AnyAttribute]
    options: Mapping[str, Any] = field(default_factory=dict)
    plugin_options: Mapping[str, Any] = field(default_factory=dict)
    indexes: tuple[Index, ...] = ()
    source: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    localized: bool = False
    """Whether its entries belong to locales. Components never do."""
    writable_names: tuple[str, ...] = field(init=False, repr=False)
    """The attributes that a request body can set, in the definition's order."""
    asked_names: frozenset[str] = field(init=False, repr=False)
    """Those of them that are validated for new entries even if they are missing: required ones, and defaults."""
    scalars: tuple[Scalar, ...] = field(init=False, repr=False)
    """The attributes stored in columns of the definition's table, in the definition's order."""
    passwords: tuple[str, ...] = field(init=False, repr=False)
    pointers: tuple[str, ...] = field(init=False, repr=False)
    """The relations stored in columns of the definition's table: those of kind morphToOne."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))
        names = tuple(name for name, attribute in self.attributes.items() if attribute.writable)
        object.__setattr__(self, "writable_names", names)
        object.__setattr__(self, "asked_names", frozenset(filter(self._is_asked, names)))
        scalars = tuple(attribute for attribute in self.attributes.values() if isinstance(attribute, Scalar))
        object.__setattr__(self, "scalars", scalars)
        object.__setattr__(self, "passwords", tuple(item.name for item in scalars if item.type == "password"))
        relations = [item for item in self.attributes.values() if isinstance(item, Relation)]
        object.__setattr__(self, "pointers", tuple(item.name for item in relations if item.kind == "morphToOne"))

    def _is_asked(self, name: str) -> bool:
        attribute = self.attributes[name]
        return attribute.required or (isinstance(attribute, Scalar) and attribute.has_default)

    def scalar(self, name: str) -> Scalar:
        """Return the scalar with that name. Raises KeyError or TypeError if there is none."""
        attribute = self.attributes[name]
        if not isinstance(attribute, Scalar):
            raise TypeError(f"{self.uid}.{name} is not a scalar")
        return attribute

    def relation(self, name: str) -> Relation:
        """Return the relation with that name. Raises KeyError or TypeError if there is none."""
        attribute = self.attributes[name]
        if not isinstance(attribute, Relation):
            raise TypeError(f"{self.uid}.{name} is not a relation")
        return attribute


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContentType(Definition):
    """A collection type or a single type."""

    kind: str
    singular_name: str
    plural_name: str
    description: str = ""
    draft_and_publish: bool = False
    populate_creator_fields: bool = False
    declared_indexes: tuple[DeclaredIndex, ...] = ()

    @property
    def is_single(self) -> bool:
        return self.kind == "singleType"

    @property
    def is_api(self) -> bool:
        """Whether it has REST endpoints (`api::...`)."""
        return self.uid.startswith("api::")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Component(Definition):
    """A reusable group of attributes, named `category.name`. It has no endpoints."""

    category: str
