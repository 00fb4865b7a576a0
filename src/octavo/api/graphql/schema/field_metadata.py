"""Metadata of the schema's types and fields, from which selection sets are compiled.

Each generated type and field has one of these values in its `extensions`. Other types and fields (a project's own,
introspection) have none.
"""

from enum import Enum
from typing import Any, Final, Literal

from graphql import GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLNamedType, GraphQLObjectType

from octavo.api.graphql.schema.exclusions import Action
from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute
from octavo.schema.content_types import ContentType, Definition

KEY: Final = "octavo"


class TypeRole(Enum):
    """The role of a type."""

    RESPONSE = "response"
    """`data`: one entry, or null."""
    COLLECTION = "collection"
    """`data` and `meta`: a page of a list."""
    RELATION_COLLECTION = "relation collection"
    """`data`: a list."""
    ENTITY = "entity"
    """`id` and `attributes`."""
    ATTRIBUTES = "attributes"
    """A content-type's attributes."""
    COMPONENT = "component"
    """`id` and a component's attributes."""
    META = "meta"
    """`pagination` of a collection."""
    PAGINATION = "pagination"
    """`page`, `pageSize`, `pageCount`, `total`; with cursors `after`."""
    MORPH = "morph"
    """A union of all types that a morph relation can link to: attributes and components."""
    ZONE = "zone"
    """A union of a dynamic zone's components."""
    ERROR = "error"
    """The member of zones that represents a component that no longer exists."""
    PAYLOAD = "payload"
    """The result of a plugin's own field."""
    INPUT = "input"
    """The data of a create or update, for a content type or a component."""
    FILTERS = "filters"
    """Conditions on a content type or a component."""
    ENUM = "enum"
    """The values of an enumeration."""
    SCALAR_FILTER = "scalar filter"
    """Conditions on one value: `eq`, `in`, ..."""


class Part(Enum):
    """A field without an attribute: wrappers, ids, page numbers."""

    DATA = "data"
    ID = "id"
    ATTRIBUTES = "attributes"
    META = "meta"
    PAGINATION = "pagination"
    PAGE = "page"
    PAGE_SIZE = "pageSize"
    PAGE_COUNT = "pageCount"
    TOTAL = "total"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class TypeMetadata:
    """The role of a named type, and its definition and attribute, if any."""

    role: TypeRole
    definition: Definition | None = None
    attribute: AnyAttribute | None = None


@dataclass(frozen=True, slots=True)
class RootField:
    """A generated field of Query or Mutation: an action on a content type."""

    content_type: ContentType
    action: Action


@dataclass(frozen=True, slots=True)
class PluginField:
    """A plugin's own field of Query or Mutation, such as `login`, `upload` or `me`. `name` is the field's name."""

    name: str


@dataclass(frozen=True, slots=True)
class ScheduleField:
    """A field of Query or Mutation that returns or changes when an entry is published and unpublished."""

    content_type: ContentType


@dataclass(frozen=True, slots=True)
class AttributeField:
    """An attribute of an object type, an input or a filter."""

    definition: Definition
    attribute: AnyAttribute


@dataclass(frozen=True, slots=True)
class PartField:
    """A wrapper's field, or the id of an entity, a component, a filter or an input."""

    part: Part


@dataclass(frozen=True, slots=True)
class LogicField:
    """`and`, `or`, `not` of a filter."""

    word: Literal["and", "or", "not"]


@dataclass(frozen=True, slots=True)
class OperatorField:
    """An operator of a scalar filter, as in a query: `$eq`, `$notIn`."""

    operator: str


FieldMetadata = RootField | PluginField | ScheduleField | AttributeField | PartField | LogicField | OperatorField


def with_metadata(metadata: TypeMetadata | FieldMetadata) -> dict[str, Any]:
    """Return the `extensions` with this metadata."""
    return {KEY: metadata}


def metadata_of_field(field: GraphQLField | GraphQLInputField | GraphQLArgument) -> FieldMetadata | None:
    """Return the metadata of a field, or None for a field that was not generated."""
    metadata: FieldMetadata | None = field.extensions.get(KEY)
    return metadata


def part_of(parent: GraphQLObjectType, name: str) -> Part | None:
    """Return the part of a wrapper that a field is, or None for other fields and `__typename`."""
    field = parent.fields.get(name)
    metadata = metadata_of_field(field) if field else None
    return metadata.part if isinstance(metadata, PartField) else None


def metadata_of_type(named: GraphQLNamedType) -> TypeMetadata | None:
    """Return the metadata of a named type, or None for a type that was not generated."""
    metadata: TypeMetadata | None = named.extensions.get(KEY)
    return metadata
