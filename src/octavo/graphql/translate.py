"""Selection sets to Query and Answer: one root field, whatever its depth, becomes one read.

What the caller may not read, and lists whose arguments are refused, become null with a mark in front, which tells the
error wherever the null is answered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
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

from octavo.access.permissions import PermissionSet
from octavo.controllers import ContentController, finder
from octavo.errors import OctavoError
from octavo.graphql.cost import REPEATED, Cost
from octavo.graphql.customization import Customization
from octavo.graphql.enums import names_by_value
from octavo.graphql.marks import Marks, is_error, one_null
from octavo.graphql.meaning import AttributeField, Part, PartField, Shape, field_meaning, type_meaning
from octavo.graphql.queries import ListLimits, read_arguments
from octavo.graphql.selection import TYPENAME, Selected, Selections
from octavo.query.answer import Answer, Fixed, Kinds, Object, Reached, Value
from octavo.query.ast import PublicationState, Query
from octavo.schema.attributes import ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.values import SCALAR_TYPES

SELF: Final = "__self"
"""The key of what code sees as the parent of a field: everything stored in the entry."""
NULL: Final = Fixed("null")
SelectionSets = Iterable[SelectionSetNode]


class _RefusedArguments(Exception):
    """Arguments below a root field that mean nothing, or name what may not be named."""

    def __init__(self, error: OctavoError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Translator:
    """Translates for one caller. `state` is the publication state that to-one relations inherit.

    `times` is how often, at most, what is translated will stand in the answer; `cost` counts the values.
    """

    selections: Selections
    controller: ContentController
    permissions: PermissionSet
    limits: ListLimits
    cost: Cost
    marks: Marks
    state: PublicationState | None = None
    customization: Customization | None = None
    times: int = 1
    is_gone: bool = False

    def entity(self, entity: GraphQLObjectType, sets: SelectionSets) -> Answer:
        """`id`, `attributes` and `__typename` of an entry."""
        asked = self.selections.of(entity, sets)
        self.cost.add(self.times * len(asked))
        return Object(tuple((item.key, self._entity_member(entity, item)) for item in asked))

    def _entity_member(self, entity: GraphQLObjectType, item: Selected) -> Answer:
        if item.name == TYPENAME:
            return _typename(entity)
        field = entity.fields[item.name]
        if _part(field) is Part.ID:
            return Value(None)
        if _part(field) is None:
            return NULL  # a field that a project added; its code answers
        return self.shown(_object(field.type), item.selection_sets)

    def shown(self, parent: GraphQLObjectType, sets: SelectionSets) -> Answer:
        """The attributes, or none of them where one that must not be null is an error."""
        found, asked = self.attributes(parent, sets), self.selections.of(parent, sets)
        required = {item.key for item in asked if _is_required(parent, item)}
        if any(key in required and is_error(answer) for key, answer in found.members):
            return one_null(answer for _, answer in found.members)
        return found

    def attributes(self, parent: GraphQLObjectType, sets: SelectionSets) -> Object:
        """The attributes of an entry or a component."""
        asked = self.selections.of(parent, sets)
        self.cost.add(self.times * len(asked))
        members = [(item.key, self.attribute(parent, item)) for item in asked]
        if self.customization and any(self.customization.of(parent.name, item.name) for item in asked):
            members.append((SELF, _stored(parent)))
        return Object(tuple(members))

    def attribute(self, parent: GraphQLObjectType, item: Selected) -> Answer:
        """What is asked of one attribute."""
        if item.name == TYPENAME:
            return _typename(parent)
        field = parent.fields[item.name]
        meaning = field_meaning(field)
        if not isinstance(meaning, AttributeField):
            return Value(None) if _part(field) is Part.ID else NULL
        try:
            return self._meant(item, field, meaning)
        except _RefusedArguments as refused:
            return self.marks.null(refused.error)

    def _meant(self, item: Selected, field: GraphQLField, meaning: AttributeField) -> Answer:
        match meaning.attribute:
            case Scalar() as scalar:
                return _scalar(scalar, field.type)
            case DynamicZone() | Relation(target=None) if self._has_lost(field):
                return NULL
            case DynamicZone():
                return self._zone(item, field, meaning)
            case Relation(target=None):
                return self._morph(item, field, meaning)
            case ComponentField():
                target = self.controller.registry.components[meaning.attribute.component]
                query, component = self._query(item, field, target), _object(field.type)
                if self._has_lost(field):
                    return NULL
                inner = self._below(meaning.attribute, query)
                return Reached(item.name, query, inner.shown(component, item.selection_sets))
            case Relation() | Media():
                return self._related(item, field, meaning)

    def _related(self, item: Selected, field: GraphQLField, meaning: AttributeField) -> Answer:
        attribute = meaning.attribute
        assert isinstance(attribute, Relation | Media)
        target = self.controller.registry.target(attribute)
        assert target is not None
        if isinstance(attribute, Relation) and not self._may_find(target.uid):
            in_entry = isinstance(meaning.definition, ContentType)
            return self.marks.forbidden() if in_entry else self._hidden(item, field, attribute)
        wrapper, query = _object(field.type), self._query(item, field, target)
        if self.is_gone:
            return self._hidden(item, field, attribute)
        inner = self._below(attribute, query)
        members: list[tuple[str, Answer]] = []
        for below in self.selections.of(wrapper, item.selection_sets):
            if below.name == TYPENAME:
                members.append((below.key, _typename(wrapper)))
            else:
                entity = _object(wrapper.fields[below.name].type)
                members.append((below.key, Reached(item.name, query, inner.entity(entity, below.selection_sets))))
        return Object(tuple(members))

    def _has_lost(self, field: GraphQLField) -> bool:
        """Whether what belonged to a deleted entry is no longer shown. What must not be null still is."""
        return self.is_gone and not isinstance(field.type, GraphQLNonNull)

    def _hidden(self, item: Selected, field: GraphQLField, relation: Relation | Media) -> Answer:
        """What a component's relation shows to those who may not read its entries: that it has none."""
        wrapper, nothing = _object(field.type), Fixed("[]" if relation.to_many else "null")
        asked = self.selections.of(wrapper, item.selection_sets)
        return Object(tuple((one.key, _typename(wrapper) if one.name == TYPENAME else nothing) for one in asked))

    def _zone(self, item: Selected, field: GraphQLField, meaning: AttributeField) -> Answer:
        return Kinds(item.name, Query(publication_state=self.state), tuple(self._branches(item, field)))

    def _morph(self, item: Selected, field: GraphQLField, meaning: AttributeField) -> Answer:
        branches = tuple(branch for branch in self._branches(item, field) if self._may_find(branch[0]))
        return Kinds(item.name, Query(publication_state=self.state), branches)

    def _branches(self, item: Selected, field: GraphQLField) -> Iterable[tuple[str, Answer]]:
        union = get_named_type(field.type)
        assert isinstance(union, GraphQLUnionType)
        inner = replace(self, times=self.times * REPEATED) if isinstance(field.type, GraphQLList) else self
        for member in union.types:
            meaning = type_meaning(member)
            if meaning is not None and meaning.definition is not None and meaning.shape is not Shape.ERROR:
                shown = inner.attributes(member, item.selection_sets)
                if self.customization:  # what chose the member has to say which it was
                    others = (one for one in shown.members if one[0] != TYPENAME)
                    shown = Object((*others, (TYPENAME, _typename(member))))
                yield meaning.definition.uid, shown

    def _below(self, attribute: Relation | Media | ComponentField, query: Query) -> "Translator":
        """For what a relation or component leads to."""
        if not attribute.to_many or query.page is None:
            return self
        return replace(self, times=self.times * (query.page.limit or 1))

    def _may_find(self, uid: str) -> bool:
        return uid in self.controller.registry.components or finder(self.permissions)(uid)

    def _query(self, item: Selected, field: GraphQLField, target: Definition) -> Query:
        arguments = self.selections.arguments(field, item)
        try:
            query = read_arguments(arguments, self.limits, (item.key,))
        except OctavoError as error:
            raise _RefusedArguments(error) from None
        self.cost.add_query(query, item.key)
        if "publicationState" not in field.args:
            query = Query(filters=query.filters, sort=query.sort, page=query.page, publication_state=self.state)
        try:
            return self.controller.sanitize(query, target, self.permissions)
        except OctavoError as error:
            raise _RefusedArguments(error) from None


def _stored(parent: GraphQLObjectType) -> Answer:
    """An entry's or a component's id and scalars, private ones too; no passwords."""
    meaning = type_meaning(parent)
    assert meaning is not None
    assert meaning.definition is not None
    scalars = (item for item in meaning.definition.attributes.values() if isinstance(item, Scalar))
    values = tuple((item.name, Value(item.name)) for item in scalars if not SCALAR_TYPES[item.type].secret)
    return Object((("uid", Fixed(f'"{meaning.definition.uid}"')), ("entry", Object((("id", Value(None)), *values)))))


def _part(field: GraphQLField) -> Part | None:
    meaning = field_meaning(field)
    return meaning.part if isinstance(meaning, PartField) else None


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
