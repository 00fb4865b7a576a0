"""The shape of entries as REST shows them: `{id, attributes, meta}`, populated relations, components, zones, morphs.

`Shaper` holds what stays the same on the way down; the targets of morph relations are written raw, without `data` and
`attributes`, and so is everything below them (observed.md, 6).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from octavo.plan.context import Planning
from octavo.plan.filters import plan_filter
from octavo.plan.nodes import (
    BranchShape,
    CountShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    Parameter,
    ParameterKind,
    ScalarShape,
    Selection,
    Shape,
    Step,
    VariantShape,
)
from octavo.plan.scopes import both, published
from octavo.plan.sorting import plan_order
from octavo.query.ast import And, At, Filter, Not, Or, Page, Populate, PublicationState, Query
from octavo.schema.attributes import ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.values import SCALAR_TYPES

ABSENT = ""
CREATORS = ("createdBy", "updatedBy")
"""They are no relations of v4's: there is no counting them (observed)."""
Member = tuple[str, Shape]


@dataclass(frozen=True, slots=True)
class Shaper:
    """Makes shapes for one publication state, wrapped in `data` and `attributes` or raw."""

    planning: Planning
    state: PublicationState | None
    raw: bool = False

    def top_entry(self, query: Query, content_type: ContentType) -> ObjectShape:
        """`{id, attributes, meta}`; a localized type tells the other locales in `meta.availableLocales`."""
        entry = self.entry(query, content_type)
        return replace(entry, members=(*entry.members, ("meta", self._meta(content_type))))

    def entry(self, query: Query, definition: Definition) -> ObjectShape:
        """`{id, attributes: {...}}`, or the raw form."""
        if self.raw:
            return self.flat(query, definition)
        attributes = self._attributes(query, definition)
        return ObjectShape((("id", ScalarShape(None)), ("attributes", attributes)))

    def flat(self, query: Query, definition: Definition) -> ObjectShape:
        """`{id, ...}`: components, and raw entries."""
        attributes = self._attributes(query, definition)
        return replace(attributes, members=(("id", ScalarShape(None)), *attributes.members))

    def _meta(self, content_type: ContentType) -> Shape:
        if not content_type.localized:
            return LiteralShape("{}")
        step = self.planning.step(content_type, content_type.attributes["localizations"])
        locale = content_type.attributes["locale"]
        assert isinstance(locale, Scalar)
        selection = Selection(content_type, published(content_type, self.planning.state(content_type, self.state)))
        return ObjectShape((("availableLocales", ManyShape(step, selection, ScalarShape(locale))),))

    def _attributes(self, query: Query, definition: Definition) -> ObjectShape:
        members: list[Member] = list(scalar_members(query, definition))
        optional: list[Member] = []
        for populate in query.populate:
            shaper = replace(self, state=populate.query.publication_state or self.state)
            shape = shaper.populated(populate, query, definition)
            may_be_absent = isinstance(shape, VariantShape) and shape.empty == ABSENT
            (optional if may_be_absent else members).append((populate.name, shape))
        return ObjectShape(tuple(members), tuple(optional))

    def populated(self, populate: Populate, query: Query, definition: Definition) -> Shape:
        """The shape of what one Populate asks for."""
        attribute = definition.attributes[populate.name]
        match attribute:
            case DynamicZone():
                return self._zone(populate, attribute, definition)
            case Relation(target=None):
                return self._morph(populate, attribute, query, definition)
            case ComponentField():
                return self._component(populate, attribute, definition)
            case Relation() | Media():
                return self._related(populate, attribute, definition)
            case _:
                raise TypeError(f"{definition.uid}.{attribute.name} cannot be populated")

    def _related(self, populate: Populate, attribute: Relation | Media, definition: Definition) -> Shape:
        step = self.planning.step(definition, attribute)
        query = with_sorted_fields(populate.query, step.target)
        is_morph = isinstance(attribute, Relation) and attribute.is_morph
        if populate.count and isinstance(attribute, Relation) and not is_morph and attribute.name not in CREATORS:
            return self._count(query, step)
        data: Shape
        if is_morph and populate.query.fields is not None and self._is_held_by_columns(attribute):
            data = LiteralShape("null")  # `fields` leaves the columns out that name the target (observed.md, 6)
        elif attribute.to_many:
            empty = "null" if isinstance(attribute, Media) or is_morph else "[]"
            selection = select(query, step.target, self.planning, self.state, paged=True)
            data = ManyShape(step, selection, self.entry(query, step.target), empty)
        else:
            selection = select(query, step.target, self.planning, self.state, paged=False)
            data = OneShape(step, selection, self.entry(query, step.target))
        return data if self.raw else ObjectShape((("data", data),))

    def _is_held_by_columns(self, attribute: Relation | Media) -> bool:
        """Whether what leads here by a morph relation does so by columns of its own."""
        target = self.planning.registry.target(attribute)
        owning = target.attributes.get(str(getattr(attribute, "morph_by", ""))) if target else None
        return isinstance(owning, Relation) and owning.kind == "morphToOne"

    def _count(self, query: Query, step: Step) -> Shape:
        selection = select(query, step.target, self.planning, self.state, paged=False)
        count = ObjectShape((("count", CountShape(step, selection)),))
        return count if self.raw else ObjectShape((("data", ObjectShape((("attributes", count),))),))

    def _component(self, populate: Populate, attribute: ComponentField, definition: Definition) -> Shape:
        step = self.planning.step(definition, attribute)
        paged = attribute.repeatable and not populate.count
        selection = select(populate.query, step.target, self.planning, self.state, paged=paged)
        if populate.count:
            return ObjectShape((("count", CountShape(step, selection)),))
        shape = self.flat(with_sorted_fields(populate.query, step.target), step.target)
        return ManyShape(step, selection, shape) if attribute.repeatable else OneShape(step, selection, shape)

    def _zone(self, populate: Populate, attribute: DynamicZone, definition: Definition) -> Shape:
        branches = []
        for branch in populate.branches or ():
            component = self.planning.registry.components[branch.component]
            inside = replace(self, state=branch.query.publication_state or self.state)
            shape = inside.flat(branch.query, component)
            named = replace(shape, members=(("__component", LiteralShape(f'"{component.uid}"')), *shape.members))
            branches.append(BranchShape(component, plan_filter(branch.query.filters, component, self.planning), named))
        return VariantShape(definition, attribute, tuple(branches))

    def _morph(self, populate: Populate, attribute: Relation, query: Query, definition: Definition) -> Shape:
        many = attribute.kind == "morphToMany"
        if not many and query.fields is not None:
            return LiteralShape("null")  # `fields` leaves the columns out that name the target (observed.md, 6)
        raw, branches = replace(self, raw=True), []
        for branch in populate.branches or ():
            target = self.planning.registry.definition(branch.component)
            shape = raw.flat(branch.query, target)
            if many:
                shape = replace(shape, members=(*shape.members, ("__type", LiteralShape(f'"{target.uid}"'))))
            branches.append(BranchShape(target, published(target, self.planning.state(target, self.state)), shape))
        return VariantShape(definition, attribute, tuple(branches), many=many, empty=ABSENT if many else "null")


def select(
    query: Query, target: Definition, planning: Planning, state: PublicationState | None, *, paged: bool
) -> Selection:
    """Which entries of a level: filtered, in the publication state, in order, and of a list a part of them."""
    condition = both(plan_filter(query.filters, target, planning), published(target, planning.state(target, state)))
    order = plan_order(query.sort, target, planning)
    page = (query.page if paged else None) or Page()
    return Selection(target, condition, order, _bound(page.limit, planning), _bound(page.start or None, planning))


def _bound(value: int | None, planning: Planning) -> Parameter | None:
    return None if value is None else planning.bind(ParameterKind.INTEGER, value)


def scalar_members(query: Query, definition: Definition) -> Iterator[Member]:
    """The scalars that the query's `fields` ask for, private and password ones never."""
    for attribute in definition.scalars():
        chosen = query.fields is None or attribute.name in query.fields
        if chosen and not attribute.private and not SCALAR_TYPES[attribute.type].secret:
            yield attribute.name, ScalarShape(attribute)


def with_sorted_fields(query: Query, target: Definition) -> Query:
    """What is populated also shows the fields that it is sorted by (observed)."""
    if query.fields is None:
        return query
    names = [sort.names[0] for sort in query.sort if len(sort.names) == 1 and sort.names[0] in target.attributes]
    return replace(query, fields=tuple(dict.fromkeys((*query.fields, *names))))


def leads_elsewhere(query: Query, definition: Definition) -> bool:
    """Whether a query compares or sorts by what is not in its own entries: then it, too, shows what sorts it."""
    return any(len(sort.names) > 1 for sort in query.sort) or _reaches(query.filters, definition)


def _reaches(asked: Filter | None, definition: Definition) -> bool:
    match asked:
        case And(items=items) | Or(items=items):
            return any(_reaches(item, definition) for item in items)
        case Not(item=item):
            return _reaches(item, definition)
        case At(attribute=name):
            return not isinstance(definition.attributes.get(name), Scalar | None)
        case _:
            return False
