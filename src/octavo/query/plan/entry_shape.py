"""Build the shape of entries in REST: `{id, attributes, meta}`, populated relations, components, zones, morphs.

`Shaper` holds the options that apply to all levels. Targets of morph relations, and everything below them, are
written flat, without `data` and `attributes` (observed.md, 6). The rule `morphRelations` wraps the targets only.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from octavo.core.values import dataclass
from octavo.query.ast import And, At, Filter, Not, Or, Page, Populate, PublicationState, Query
from octavo.query.plan.filters import both, plan_filter, plan_guard, plan_order, plan_step
from octavo.query.plan.nodes import (
    BranchShape,
    CountShape,
    GuardShape,
    KindShape,
    LiteralShape,
    ManyShape,
    Member,
    ObjectShape,
    OneShape,
    Parameter,
    ParameterKind,
    ScalarRun,
    ScalarShape,
    Selection,
    Shape,
    Step,
    VariantShape,
)
from octavo.query.plan.planning import Planning
from octavo.query.plan.scopes import published, visible
from octavo.schema.attributes import (
    CREATORS,
    LOCALE,
    LOCALIZATIONS,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.scalar_types import SCALAR_TYPES

MARK: Final = "\x11"
_UNLISTED_MARK: Final = re.compile(f"{MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}([^{MARK}]*){MARK}".encode())


class Unlisted(NamedTuple):
    """A component in a zone that does not list it. `owner` is the UID of the definition with the zone."""

    owner: str
    zone: str
    component: str


def kind_of_unlisted(definition: Definition, zone: DynamicZone) -> KindShape:
    """Return the placeholder shape of a component without a branch."""
    return KindShape(f"{MARK}{definition.uid}{MARK}{zone.name}{MARK}", MARK)


def find_unlisted_components(answer: bytes) -> Iterator[Unlisted]:
    """Yield the unlisted components that a response contains placeholders for."""
    if MARK.encode() in answer:
        for owner, zone, component in _UNLISTED_MARK.findall(answer):
            yield Unlisted(owner.decode(), zone.decode(), component.decode())


ABSENT = ""
FLAT_META = "$meta"

_WHOLE: WeakKeyDictionary[Definition, ScalarRun] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Shaper:
    """Builds shapes for one publication state, wrapped in `data` and `attributes` or flat.

    `place` is the path of the fields, for field permissions; None if every field is readable.
    """

    planning: Planning
    state: PublicationState | None
    is_flat: bool = False
    wraps_morphs: bool = False
    place: FieldPlace | None = None

    def top_entry(self, query: Query, content_type: Definition) -> ObjectShape:
        """Return `{id, attributes, meta}`, or a flat entry with `$meta`; that of a localized type has
        `availableLocales`."""
        entry, name = self.entry(query, content_type), FLAT_META if self.is_flat else "meta"
        return replace(entry, members=(*entry.members, (name, self._meta(content_type))))

    def entry(self, query: Query, definition: Definition) -> ObjectShape:
        """Return `{id, attributes: {...}}`, or the flat form."""
        if self.is_flat:
            return self.flat(query, definition)
        attributes = self._attributes(query, definition)
        return ObjectShape((("id", ScalarShape(None)), ("attributes", attributes)))

    def flat(self, query: Query, definition: Definition) -> ObjectShape:
        """Return `{id, ...}`, the form of components and flat entries."""
        attributes = self._attributes(query, definition)
        return replace(attributes, members=(("id", ScalarShape(None)), *attributes.members))

    def _meta(self, content_type: Definition) -> Shape:
        if not content_type.localized:
            return LiteralShape("{}")
        step = plan_step(content_type, content_type.attributes[LOCALIZATIONS], self.planning)
        locale = content_type.attributes[LOCALE]
        assert isinstance(locale, Scalar)
        selection = Selection(content_type, published(content_type, self.state, self.planning))
        return ObjectShape((("availableLocales", ManyShape(step, selection, ScalarShape(locale))),))

    def _attributes(self, query: Query, definition: Definition) -> ObjectShape:
        scalars = scalar_run(query, definition, private=self.planning.knows_private)
        optional: list[tuple[str, Shape]] = []
        if self.place is not None:
            scalars, optional = self._known_scalars(scalars, self.place)
        members: list[Member] = [scalars] if scalars.members else []
        for populate in query.populate:
            shape = self._in_state(populate.query).populated(populate, query, definition)
            guard = None if self.place is None else plan_guard(self.place, populate.name, self.planning)
            if guard is not None:
                shape = GuardShape(guard, shape)
            may_be_absent = isinstance(shape, VariantShape) and shape.empty == ABSENT
            if may_be_absent or guard is not None:
                optional.append((populate.name, shape))
            else:
                members.append((populate.name, shape))
        return ObjectShape(tuple(members), tuple(optional))

    def _in_state(self, query: Query) -> "Shaper":
        """Return the Shaper for the publication state of a query, if it has one."""
        state = query.publication_state
        return self if state is None or state is self.state else replace(self, state=state)

    def _known_scalars(self, run: ScalarRun, place: FieldPlace) -> tuple[ScalarRun, list[tuple[str, Shape]]]:
        """Split the scalars into those readable on every entry and those readable on some entries only."""
        always: list[tuple[str, ScalarShape]] = []
        guarded: list[tuple[str, Shape]] = []
        for name, shape in run.members:
            if self.planning.shows(place, name):
                guard = plan_guard(place, name, self.planning)
                if guard is None:
                    always.append((name, shape))
                else:
                    guarded.append((name, GuardShape(guard, shape)))
        return ScalarRun(tuple(always)), guarded

    def below(self, attribute: AnyAttribute, target: Definition) -> "Shaper":
        """Return the Shaper for the targets of an attribute, if field permissions apply."""
        assert self.place is not None, "asked only where places matter: it would cost every plan a call for each step"
        return replace(self, place=self.place.below(attribute, target))

    def populated(self, populate: Populate, query: Query, definition: Definition) -> Shape:
        """Return the shape of one Populate."""
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
        step = plan_step(definition, attribute, self.planning)
        query = with_sorted_fields(populate.query, step.target)
        is_morph = isinstance(attribute, Relation) and attribute.is_morph
        # In v4, creators are not relations and cannot be counted (observed).
        if populate.count and isinstance(attribute, Relation) and not is_morph and attribute.name not in CREATORS:
            return self._count(query, step)
        inside = self if self.place is None else self.below(attribute, step.target)
        data: Shape
        if is_morph and populate.query.fields is not None and self._is_held_by_columns(attribute):
            data = LiteralShape("null")  # `fields` leaves out the columns that name the target (observed.md, 6)
        elif attribute.to_many:
            empty = "null" if isinstance(attribute, Media) or is_morph else "[]"
            selection = select(query, step.target, self.planning, self.state, paged=True)
            data = ManyShape(step, selection, inside.entry(query, step.target), empty)
        else:
            selection = select(query, step.target, self.planning, self.state, paged=False)
            data = OneShape(step, selection, inside.entry(query, step.target))
        return data if self.is_flat else ObjectShape((("data", data),))

    def _is_held_by_columns(self, attribute: Relation | Media) -> bool:
        """Return whether the target's morph relation is stored in its own columns (morphToOne)."""
        target = self.planning.registry.target(attribute)
        owning = target.attributes.get(str(getattr(attribute, "morph_by", ""))) if target else None
        return isinstance(owning, Relation) and owning.kind == "morphToOne"

    def _count(self, query: Query, step: Step) -> Shape:
        selection = select(query, step.target, self.planning, self.state, paged=False)
        count = ObjectShape((("count", CountShape(step, selection)),))
        return count if self.is_flat else ObjectShape((("data", ObjectShape((("attributes", count),))),))

    def _component(self, populate: Populate, attribute: ComponentField, definition: Definition) -> Shape:
        step = plan_step(definition, attribute, self.planning)
        paged = attribute.repeatable and not populate.count
        selection = select(populate.query, step.target, self.planning, self.state, paged=paged)
        if populate.count:
            return ObjectShape((("count", CountShape(step, selection)),))
        inside = self if self.place is None else self.below(attribute, step.target)
        shape = inside.flat(with_sorted_fields(populate.query, step.target), step.target)
        return ManyShape(step, selection, shape) if attribute.repeatable else OneShape(step, selection, shape)

    def _zone(self, populate: Populate, attribute: DynamicZone, definition: Definition) -> Shape:
        branches = []
        for branch in populate.branches or ():
            component = self.planning.registry.components[branch.component]
            inside = self._in_state(branch.query)
            if self.place is not None:
                inside = inside.below(attribute, component)
            shape = inside.flat(branch.query, component)
            identity, *rest = shape.members
            kind = ("__component", LiteralShape(f'"{component.uid}"'))
            named = replace(shape, members=(identity, kind, *rest))
            self.planning.join()
            branches.append(BranchShape(component, plan_filter(branch.query.filters, component, self.planning), named))
        others = kind_of_unlisted(definition, attribute) if populate.unlisted else None
        return VariantShape(definition, attribute, tuple(branches), others=others)

    def _morph(self, populate: Populate, attribute: Relation, query: Query, definition: Definition) -> Shape:
        many = attribute.kind == "morphToMany"
        if not many and query.fields is not None:
            return LiteralShape("null")  # `fields` leaves out the columns that name the target (observed.md, 6)
        wrapped = self.wraps_morphs and not self.is_flat
        inside, branches = replace(self, is_flat=True), []
        for branch in populate.branches or ():
            target = self.planning.registry.definition(branch.component)
            at = inside if self.place is None else inside.below(attribute, target)
            shape = at.flat(branch.query, target)
            if many:
                shape = replace(shape, members=(*shape.members, ("__type", LiteralShape(f'"{target.uid}"'))))
            if wrapped:
                identity, *rest = shape.members
                shape = ObjectShape((identity, ("attributes", replace(shape, members=tuple(rest)))))
            self.planning.join()
            filtered = plan_filter(branch.query.filters, target, self.planning)
            condition = both(visible(target, self.state, self.planning), filtered)
            branches.append(BranchShape(target, condition, shape))
        if many:
            return VariantShape(definition, attribute, tuple(branches), empty=ABSENT, wrapped=wrapped)
        data = VariantShape(definition, attribute, tuple(branches), many=False, empty="null")
        return ObjectShape((("data", data),)) if wrapped else data


def select(
    query: Query, target: Definition, planning: Planning, state: PublicationState | None, *, paged: bool
) -> Selection:
    """Return the selection of a level: filters, publication state, order and, for a list, the page."""
    condition = both(plan_filter(query.filters, target, planning), published(target, state, planning))
    order = plan_order(query.sort, target, planning)
    page = (query.page if paged else None) or Page()
    return Selection(target, condition, order, _bound(page.limit, planning), _bound(page.start or None, planning))


def _bound(value: int | None, planning: Planning) -> Parameter | None:
    return None if value is None else planning.bind(ParameterKind.INTEGER, value)


def scalar_run(query: Query, definition: Definition, *, private: bool = False) -> ScalarRun:
    """Return the scalars of `fields`. `private` ones are included only if named, passwords never."""
    whole = _WHOLE.get(definition)
    if whole is None:
        whole = _WHOLE[definition] = ScalarRun(tuple(_visible_scalars(definition)), whole=True)
    if query.fields is None:
        return whole
    known = whole.members if not private else tuple(_visible_scalars(definition, private=True))
    return ScalarRun(tuple([member for member in known if member[0] in query.fields]))


def _visible_scalars(definition: Definition, *, private: bool = False) -> Iterator[tuple[str, ScalarShape]]:
    for attribute in definition.scalars:
        if (private or not attribute.private) and not SCALAR_TYPES[attribute.type].secret:
            yield attribute.name, ScalarShape(attribute)


def with_sorted_fields(query: Query, target: Definition) -> Query:
    """Return a query that also includes the fields it is sorted by, as for populated lists (observed)."""
    if query.fields is None:
        return query
    names = [sort.names[0] for sort in query.sort if len(sort.names) == 1 and sort.names[0] in target.attributes]
    return replace(query, fields=tuple(dict.fromkeys((*query.fields, *names))))


def uses_relations(query: Query, definition: Definition) -> bool:
    """Return whether a query filters or sorts by relations. Its sort fields are then included, too."""
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
