"""ContentType and Component: named sets of attributes with their options."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, Relation, Scalar
from octavo.schema.declared_indexes import DeclaredIndex

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
"""The content-types whose entries sign in."""

TRANSFER_TOKEN: Final = "admin::transfer-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index that a definition asks for: its name and its columns."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Definition:
    """What content-types and components share. Compared and hashed by identity: the registry holds one of each.

    `raw` is the definition as it was written, for those who ask how it reads.
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
    """Whether its entries belong to locales: those of content-types may, components never do."""
    writable_names: tuple[str, ...] = field(init=False, repr=False)
    """The attributes that a body may set, in order of definition."""
    asked_names: frozenset[str] = field(init=False, repr=False)
    """Of those, what a new entry is looked at for also where they are missing: what is required, and defaults."""
    scalars: tuple[Scalar, ...] = field(init=False, repr=False)
    """The attributes that live in columns of the own table, in order of definition."""
    passwords: tuple[str, ...] = field(init=False, repr=False)
    pointers: tuple[str, ...] = field(init=False, repr=False)
    """The relations that live in columns of the own table, too: those of kind morphToOne."""

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
        """The scalar of that name. Raises KeyError or TypeError when there is none."""
        attribute = self.attributes[name]
        if not isinstance(attribute, Scalar):
            raise TypeError(f"{self.uid}.{name} is not a scalar")
        return attribute

    def relation(self, name: str) -> Relation:
        """The relation of that name. Raises KeyError or TypeError when there is none."""
        attribute = self.attributes[name]
        if not isinstance(attribute, Relation):
            raise TypeError(f"{self.uid}.{name} is not a relation")
        return attribute


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContentType(Definition):
    """A kind of content: a collection type or a single type."""

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
        """Whether REST endpoints are generated for it (`api::...`)."""
        return self.uid.startswith("api::")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Component(Definition):
    """A reusable group of attributes, named `category.name`. It has no endpoints of its own."""

    category: str
