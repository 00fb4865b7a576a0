"""What the types and fields of the schema stand for: the side table by which selection sets are compiled.

Each generated type and field carries one of these values in its `extensions`. Types and fields of other origin (a
project's own, introspection) carry none.
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
    """What an object type is made of."""

    RESPONSE = "response"
    """`data`: one entry, or null."""
    COLLECTION = "collection"
    """`data` and `meta`: a list with its page."""
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
    """A union of everything a row can name: attributes and components."""
    ZONE = "zone"
    """A union of a dynamic zone's components."""
    ERROR = "error"
    """The member of zones that stands for a component that does not exist any more."""
    PAYLOAD = "payload"
    """Made by a plugin's own field."""
    INPUT = "input"
    """What a create or update takes, of a content-type or a component."""
    FILTERS = "filters"
    """Conditions on a content-type or a component."""
    ENUM = "enum"
    """The values of an enumeration."""
    SCALAR_FILTER = "scalar filter"
    """Conditions on one value: `eq`, `in`, ..."""


class Part(Enum):
    """A field that belongs to no attribute: wrappers, ids, page numbers."""

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
    """What a named type is; of which definition, where it is of one; of which attribute, where it is of one."""

    role: TypeRole
    definition: Definition | None = None
    attribute: AnyAttribute | None = None


@dataclass(frozen=True, slots=True)
class RootField:
    """A generated field of Query or Mutation: an action on a content-type."""

    content_type: ContentType
    action: Action


@dataclass(frozen=True, slots=True)
class PluginField:
    """A field of Query or Mutation of a meaning of its own: `login`, `upload`, `me`, ... `name` is the field's."""

    name: str


@dataclass(frozen=True, slots=True)
class ScheduleField:
    """A field of Query or Mutation that shows, or changes, when an entry is to be published and taken back."""

    content_type: ContentType


@dataclass(frozen=True, slots=True)
class AttributeField:
    """An attribute: of an object type, of an input, of a filter."""

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
    """An operator of a scalar filter, as the query calls it: `$eq`, `$notIn`."""

    operator: str


FieldMetadata = RootField | PluginField | ScheduleField | AttributeField | PartField | LogicField | OperatorField


def with_metadata(metadata: TypeMetadata | FieldMetadata) -> dict[str, Any]:
    """The `extensions` of something with this metadata."""
    return {KEY: metadata}


def metadata_of_field(field: GraphQLField | GraphQLInputField | GraphQLArgument) -> FieldMetadata | None:
    """What a field stands for; None for a field that is not ours."""
    found: FieldMetadata | None = field.extensions.get(KEY)
    return found


def part_of(parent: GraphQLObjectType, name: str) -> Part | None:
    """Which part of a wrapper a field is; None for other fields and for `__typename`."""
    field = parent.fields.get(name)
    metadata = metadata_of_field(field) if field else None
    return metadata.part if isinstance(metadata, PartField) else None


def metadata_of_type(named: GraphQLNamedType) -> TypeMetadata | None:
    """What a named type stands for; None for a type that is not ours."""
    found: TypeMetadata | None = named.extensions.get(KEY)
    return found
