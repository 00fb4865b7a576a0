"""Compile selection sets to a Query and an Answer: a root field of any depth becomes one read.

Entries that the caller cannot read, and lists with invalid arguments, become null with a sentinel for the error.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLUnionType,
    SelectionSetNode,
    get_named_type,
)

from octavo.access.authorization.ability import FIND, Ability
from octavo.api.graphql.customization.field_customization import Customization
from octavo.api.graphql.document.collect_fields import TYPENAME, Selected, Selections
from octavo.api.graphql.execution.argument_parser import ListLimits, read_arguments
from octavo.api.graphql.execution.cost import REPEATED, Cost
from octavo.api.graphql.execution.error_format import UnlistedComponent
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels, is_error, one_null
from octavo.api.graphql.schema.enums import names_by_value
from octavo.api.graphql.schema.field_metadata import (
    AttributeField,
    Part,
    PartField,
    TypeRole,
    metadata_of_field,
    metadata_of_type,
)
from octavo.content.controllers.reading import ContentReads
from octavo.core.errors import OctavoError, ValidationError
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Fixed, Guarded, Kinds, Nested, Object, Value
from octavo.query.ast import And, Filter, PublicationState, Query
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.scalar_types import SCALAR_TYPES

SELF: Final = "__self"
"""The key of the parent entry for project code: all its stored values."""
NULL: Final = Fixed("null")
_NO_CURSOR: Final = "Invalid pagination: pagination.after is for lists at the root of an operation"
SelectionSets = Iterable[SelectionSetNode]


class _RefusedArguments(Exception):
    """Invalid or forbidden arguments below a root field."""

    def __init__(self, error: OctavoError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionContext:
    """The context of all selections in an operation. `cost` counts the values of all of them.

    `customization` is set if project code receives the data. `is_gone`: the entry was deleted, so its relations are
    empty.
    """

    selections: Selections
    reads: ContentReads
    ability: Ability
    limits: ListLimits
    cost: Cost
    sentinels: ErrorSentinels
    customization: Customization | None = None
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionCompiler:
    """Compiles the selection sets of one field. `state` is the publication state that to-one relations inherit.

    `times` is the maximum number of occurrences in the response. `place` is the path of a component's fields, for
    abilities that restrict fields. `levels` is how many levels up a null can move if the object itself is required,
    which applies to required components.
    """

    context: SelectionContext
    state: PublicationState | None = None
    times: int = 1
    place: FieldPlace | None = None
    levels: int = 0

    def entity(self, entity: GraphQLObjectType, sets: SelectionSets) -> Answer:
        """Return the answer for an entry: `id`, `attributes` and `__typename`."""
        asked = self.context.selections.of(entity, sets)
        self.context.cost.add(self.times * len(asked))
        return Object(tuple((item.key, self._entity_member(entity, item)) for item in asked))

    def _entity_member(self, entity: GraphQLObjectType, item: Selected) -> Answer | Guarded:
        if item.name == TYPENAME:
            return _typename(entity)
        field = entity.fields[item.name]
        if _part(field) is Part.ID:
            return Value(None)
        if _part(field) is None:
            return NULL  # a field that a project added; code resolves it
        return self.compile_object(_object(field.type), item.selection_sets)

    def compile_object(self, parent: GraphQLObjectType, sets: SelectionSets) -> Answer | Guarded:
        """Return the attributes, or an error if a required one is an error."""
        return self.without_nulls(parent, sets, self.attributes(parent, sets))

    def without_nulls(self, parent: GraphQLObjectType, sets: SelectionSets, found: Object) -> Answer | Guarded:
        """Return an object, or null with an error if a required field would be null.

        The null applies to all entries, or to those of which the caller cannot read that field.
        """
        required = {item.key for item in self.context.selections.of(parent, sets) if _is_required(parent, item)}
        if any(key in required and is_error(answer) for key, answer in found.members):
            return one_null(answer for _, answer in found.members)
        guards = dict[Filter, None]()
        members: list[tuple[str, Answer | Guarded]] = []
        for key, answer in found.members:
            if key in required and isinstance(answer, Guarded):
                guards[answer.condition] = None
                answer = answer.answer
            members.append((key, answer))
        if not guards:
            return found
        return Guarded(
            And(items=tuple(guards)), replace(found, members=tuple(members)), self.context.sentinels.forbidden().json
        )

    def attributes(self, parent: GraphQLObjectType, sets: SelectionSets) -> Object:
        """Return the answer for the attributes of an entry or a component."""
        asked = self.context.selections.of(parent, sets)
        self.context.cost.add(self.times * len(asked))
        members = [(item.key, self.attribute(parent, item)) for item in asked]
        if self.context.customization and any(self.context.customization.of(parent.name, item.name) for item in asked):
            members.append((SELF, _stored(parent)))
        return Object(tuple(members), required=tuple(self._required(parent, asked)))

    def _required(self, parent: GraphQLObjectType, asked: Iterable[Selected]) -> Iterator[tuple[str, str]]:
        """Yield the required scalars, with the JSON that replaces the object if they are null."""
        seen = {TYPENAME}
        for item in asked:
            if item.name in seen or not _is_required(parent, item):
                continue
            seen.add(item.name)
            metadata = metadata_of_field(parent.fields[item.name])
            scalar = metadata.attribute if isinstance(metadata, AttributeField) else None
            if isinstance(scalar, Scalar) and not SCALAR_TYPES[scalar.type].secret:
                name = f"{parent.name}.{item.name}"
                yield scalar.name, self.context.sentinels.required_null(name, item.nodes, (item.key,), self.levels)

    def attribute(self, parent: GraphQLObjectType, item: Selected) -> Answer | Guarded:
        """Return the answer for one attribute."""
        if item.name == TYPENAME:
            return _typename(parent)
        field = parent.fields[item.name]
        metadata = metadata_of_field(field)
        if not isinstance(metadata, AttributeField):
            return Value(None) if _part(field) is Part.ID else NULL
        compiler = self._at(metadata)
        if compiler.is_withheld(metadata):
            return self.context.sentinels.forbidden()
        try:
            meant = compiler.meant(item, field, metadata, parent.name)
        except _RefusedArguments as refused:
            return self.context.sentinels.null(refused.error)
        guard = compiler.guard(metadata)
        return meant if guard is None else Guarded(guard, meant, "null")

    def _at(self, metadata: AttributeField) -> "SelectionCompiler":
        """Return the compiler for the fields of a content type, whose paths begin with the field's name."""
        if not self.context.ability.limits_fields or not isinstance(metadata.definition, ContentType):
            return self
        return replace(self, place=FieldPlace(metadata.definition.uid))

    def is_withheld(self, metadata: AttributeField) -> bool:
        """Return whether the caller's ability excludes a field for all entries."""
        if self.place is None:
            return False
        return not self.context.ability.reads(self.place.uid, self.place.field(metadata.attribute.name))

    def guard(self, metadata: AttributeField) -> Filter | None:
        """Return the filter of entries whose field the caller can read, or None if it equals the surrounding filter."""
        if self.place is None:
            return None
        ability, uid, way = self.context.ability, self.place.uid, self.place.way.removesuffix(".")
        guard = ability.field_scope(uid, self.place.field(metadata.attribute.name))
        return None if way and guard == ability.field_scope(uid, way) else guard

    def meant(self, item: Selected, field: GraphQLField, metadata: AttributeField, parent: str) -> Answer:
        """Return the answer for an attribute that the caller can read."""
        match metadata.attribute:
            case Scalar() as scalar:
                return _scalar(scalar, field.type)
            case DynamicZone() | Relation(target=None) if self._has_lost(field):
                return NULL
            case DynamicZone():
                return self._zone(item, field, metadata)
            case Relation(target=None):
                return self._morph(item, field, metadata)
            case ComponentField():
                target = self.context.reads.registry.components[metadata.attribute.component]
                query, component = self._query(item, field, metadata.attribute, target), _object(field.type)
                if self._has_lost(field):
                    return NULL
                inner, missing = self._below(metadata.attribute, query, target), "null"
                levels = 0
                if isinstance(field.type, GraphQLNonNull) and not metadata.attribute.repeatable:
                    levels = self.levels + 1
                    name = f"{parent}.{item.name}"
                    missing = self.context.sentinels.required_null(name, item.nodes, (), levels)
                inner = inner if inner.levels == levels else replace(inner, levels=levels)
                return Nested(item.name, query, inner.compile_object(component, item.selection_sets), missing=missing)
            case Relation() | Media():
                return self._related(item, field, metadata)

    def _related(self, item: Selected, field: GraphQLField, metadata: AttributeField) -> Answer:
        attribute = metadata.attribute
        assert isinstance(attribute, Relation | Media)
        target = self.context.reads.registry.target(attribute)
        assert target is not None
        if isinstance(attribute, Relation) and not self._may_find(target.uid):
            in_entry = isinstance(metadata.definition, ContentType)
            return self.context.sentinels.forbidden() if in_entry else self._hidden(item, field, attribute)
        wrapper, query = _object(field.type), self._query(item, field, attribute, target)
        if self.context.is_gone:
            return self._hidden(item, field, attribute)
        inner = self._below(attribute, query, target)
        members: list[tuple[str, Answer]] = []
        for below in self.context.selections.of(wrapper, item.selection_sets):
            if below.name == TYPENAME:
                members.append((below.key, _typename(wrapper)))
            else:
                entity = _object(wrapper.fields[below.name].type)
                members.append((below.key, Nested(item.name, query, inner.entity(entity, below.selection_sets))))
        return Object(tuple(members))

    def _has_lost(self, field: GraphQLField) -> bool:
        """Return whether an optional value is omitted because its entry was deleted."""
        return self.context.is_gone and not isinstance(field.type, GraphQLNonNull)

    def _hidden(self, item: Selected, field: GraphQLField, relation: Relation | Media) -> Answer:
        """Return the answer for an empty relation, shown if its entries cannot be read or its owner was deleted."""
        wrapper, nothing = _object(field.type), Fixed("[]" if relation.to_many else "null")
        asked = self.context.selections.of(wrapper, item.selection_sets)
        return Object(tuple((one.key, _typename(wrapper) if one.name == TYPENAME else nothing) for one in asked))

    def _zone(self, item: Selected, field: GraphQLField, metadata: AttributeField) -> Answer:
        unlisted = self.context.sentinels.null(UnlistedComponent(get_named_type(field.type).name))
        branches = tuple(self._branches(item, field, metadata))
        return Kinds(item.name, Query(publication_state=self.state), branches, unlisted)

    def _morph(self, item: Selected, field: GraphQLField, metadata: AttributeField) -> Answer:
        branches = tuple(branch for branch in self._branches(item, field, metadata) if self._may_find(branch[0]))
        return Kinds(item.name, Query(publication_state=self.state), branches)

    def _branches(
        self, item: Selected, field: GraphQLField, owning: AttributeField
    ) -> Iterable[tuple[str, Answer | Guarded]]:
        union = get_named_type(field.type)
        assert isinstance(union, GraphQLUnionType)
        inner = replace(self, times=self.times * REPEATED) if isinstance(field.type, GraphQLList) else self
        for member in union.types:
            metadata = metadata_of_type(member)
            if metadata is not None and metadata.definition is not None and metadata.role is not TypeRole.ERROR:
                place = self._place_below(owning.attribute, metadata.definition)
                shown = replace(inner, place=place, levels=0).attributes(member, item.selection_sets)
                if self.context.customization:  # graphql-core needs the type of each member
                    others = (one for one in shown.members if one[0] != TYPENAME)
                    shown = replace(shown, members=(*others, (TYPENAME, _typename(member))))
                yield metadata.definition.uid, inner.without_nulls(member, item.selection_sets, shown)

    def _below(
        self, attribute: Relation | Media | ComponentField, query: Query, target: Definition
    ) -> "SelectionCompiler":
        """Return the compiler for the target of a relation or component."""
        many = attribute.to_many and query.page is not None
        times = self.times * (query.page.limit or 1) if many and query.page else self.times
        if times == self.times and self.place is None and not self.levels:
            return self
        return replace(self, times=times, levels=0, place=self._place_below(attribute, target))

    def _place_below(self, attribute: AnyAttribute, target: Definition) -> FieldPlace | None:
        return None if self.place is None else self.place.below(attribute, target)

    def _may_find(self, uid: str) -> bool:
        return uid in self.context.reads.registry.components or self.context.ability.may(FIND, uid)

    def _query(self, item: Selected, field: GraphQLField, attribute: AnyAttribute, target: Definition) -> Query:
        arguments = self.context.selections.arguments(field, item)
        try:
            query = read_arguments(arguments, self.context.limits, (item.key,))
            if query.page is not None and query.page.after is not None:
                raise ValidationError(_NO_CURSOR)
        except OctavoError as error:
            raise _RefusedArguments(error) from None
        self.context.cost.add_query(query, item.key)
        if "publicationState" not in field.args:
            query = Query(filters=query.filters, sort=query.sort, page=query.page, publication_state=self.state)
        place = self._place_below(attribute, target)
        try:
            return self.context.reads.sanitize(query, target, self.context.ability, place)
        except OctavoError as error:
            raise _RefusedArguments(error) from None


def _stored(parent: GraphQLObjectType) -> Answer:
    """Return the answer for an entry's or component's id and scalars, including private ones, without passwords."""
    metadata = metadata_of_type(parent)
    assert metadata is not None
    assert metadata.definition is not None
    scalars = (item for item in metadata.definition.attributes.values() if isinstance(item, Scalar))
    values = tuple((item.name, Value(item.name)) for item in scalars if not SCALAR_TYPES[item.type].secret)
    return Object((("uid", Fixed(f'"{metadata.definition.uid}"')), ("entry", Object((("id", Value(None)), *values)))))


def _part(field: GraphQLField) -> Part | None:
    metadata = metadata_of_field(field)
    return metadata.part if isinstance(metadata, PartField) else None


def _is_required(parent: GraphQLObjectType, item: Selected) -> bool:
    field = parent.fields.get(item.name)
    return field is not None and isinstance(field.type, GraphQLNonNull)


def _object(kind: GraphQLOutputType) -> GraphQLObjectType:
    named = get_named_type(kind)
    assert isinstance(named, GraphQLObjectType)
    return named


def _typename(kind: GraphQLObjectType) -> Fixed:
    return Fixed(f'"{kind.name}"')


def _scalar(scalar: Scalar, kind: GraphQLOutputType) -> Answer:
    if SCALAR_TYPES[scalar.type].secret:
        return NULL
    while isinstance(kind, GraphQLNonNull | GraphQLList):
        kind = kind.of_type
    if isinstance(kind, GraphQLEnumType):
        renamed = tuple((value, name) for value, name in names_by_value(kind).items() if value != name)
        return Value(scalar.name, renamed)
    return Value(scalar.name)
