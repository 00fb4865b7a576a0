"""Resolve every name in a Query, and remove or refuse what the actor has no permission for.

Security promise 1 (names and visibility): every attribute name, at any depth, passes `QuerySanitizer`. Private and
password attributes, fields without read permission, and relations to content types without `find`, are refused in
filters, sort and fields (400) and left out of populate. The result only contains names that exist: no `populate_all`,
and one branch per type in dynamic zones and polymorphic relations.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from octavo.access.authorization.ability import FIND, Ability, reads, reads_always
from octavo.access.authorization.strictness import Checks, Strictness, given_at, keys_at, without_refused
from octavo.core.errors import InvalidParameter, ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import (
    EVERYTHING,
    And,
    At,
    Branch,
    Compare,
    Filter,
    LinkedFrom,
    Not,
    Or,
    Path,
    Populate,
    Query,
    Sort,
    Unknown,
    Unused,
)
from octavo.query.operators import EQUALS
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.json_values import NEVER_POPULATED
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

_ID = "id"


def filter_of_ids(asked: Filter | None, *, drops: bool) -> Filter | None:
    """Return the part of a filter that compares ids, or None. Other parts are dropped or, without `drops`, refused.

    Raises InvalidParameter for another name. Callers sanitize the result, including operators below an id.
    """
    match asked:
        case And(items=items) | Or(items=items):
            kept = tuple(item for one in items if (item := filter_of_ids(one, drops=drops)) is not None)
            return replace(asked, items=kept) if kept else None
        case Not(item=item):
            inner = filter_of_ids(item, drops=drops)
            return Not(item=inner) if inner is not None else None
        case At(attribute=name, filter=compared) if name == _ID:
            inner = _comparisons(compared) if drops else compared
            return replace(asked, filter=inner) if inner is not None else None
        case At(attribute=name, path=path) | Unknown(name=name, path=path) if not drops:
            raise InvalidParameter(name, path)
        case _:
            return None


def refuse_names(asked: Filter) -> None:
    """Raise InvalidParameter for anything but operators below an id."""
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                refuse_names(item)
        case Not(item=item):
            refuse_names(item)
        case At(attribute=name, path=path) | Unknown(name=name, path=path):
            raise InvalidParameter(name, path)
        case Compare():
            pass


def _comparisons(asked: Filter) -> Filter | None:
    """Return a filter below an attribute, without names and unknown operators."""
    match asked:
        case And(items=items) | Or(items=items):
            kept = tuple(item for one in items if (item := _comparisons(one)) is not None)
            return replace(asked, items=kept) if kept else None
        case Not(item=item):
            inner = _comparisons(item)
            return Not(item=inner) if inner is not None else None
        case Compare():
            return asked
        case _:
            return None


UnlistedComponents = Callable[[Definition, DynamicZone], Iterable[str]]
Place = FieldPlace | None
"""The path of a level's fields; None for abilities that can read every field."""
SortStep = tuple[str, AnyAttribute, Place]
ID = "id"
_PARTS = ("filters", "sort", "fields", "populate")


def _none_unlisted(definition: Definition, zone: DynamicZone) -> Iterable[str]:
    return ()


@dataclass(frozen=True, slots=True)
class QuerySanitizer:
    """Sanitizes queries for one ability.

    `given` are the request's raw parameters, if any: errors below the top level are reported in their order.
    """

    registry: Registry
    ability: Ability
    strictness: Strictness = field(default_factory=Strictness)
    unlisted: UnlistedComponents = _none_unlisted
    """Components that a zone contains although its definition does not list them."""
    given: Mapping[str, Any] = field(default_factory=dict)

    def sanitize(self, query: Query, definition: Definition, place: Place = None) -> Query:
        """Return the Query without what the actor has no permission for. Raises InvalidParameter for what is refused.

        Only the first error is reported: at the top level in the order of `_PARTS`, below in the request's order.
        `place` is the path of a component's fields; not needed for a content type.
        """
        if place is None and self.ability.limits_fields:
            place = FieldPlace(definition.uid)
        if self.strictness.drop_top:
            query = self._without_refused(query, definition, place, ())
        return self.level(query, definition, place, ())

    def level(self, query: Query, definition: Definition, place: Place, path: Path) -> Query:
        """Sanitize one level of a Query. `path` is its path in the request, empty for the top level and defaults."""
        if query is EVERYTHING:
            return query  # most levels that `*` populates
        if path and self.strictness.drop_below:
            query = self._without_refused(query, definition, place, path)
        kept = replace(query, populate_all=False)
        if query.locale_filter is not None:
            localized = isinstance(definition, ContentType) and definition.localized
            kept = replace(kept, locale_filter=self._filters(query.locale_filter, definition) if localized else None)
        for part in dict.fromkeys((*keys_at(self.given, path), *_PARTS)) if path else _PARTS:
            match part:
                case "filters":
                    kept = replace(kept, filters=self._filters(query.filters, definition))
                    self._refuse_filters(query.filters, definition, place)
                case "sort":
                    self._refuse_sorts(query.sort, definition, place)
                case "fields":
                    self._refuse_fields(query.fields or (), definition, place)
                case "populate":
                    kept = replace(kept, populate=tuple(self._populate(query, definition, place)))
        return kept

    def _without_refused(self, query: Query, definition: Definition, place: Place, path: Path) -> Query:
        if not self.given:
            return query

        def check_filter(asked: Filter) -> None:
            self._filters(asked, definition)
            self._refuse_filters(asked, definition, place)

        checks = Checks(
            fields=lambda names: self._refuse_fields(names, definition, place),
            sorts=lambda sorts: self._refuse_sorts(sorts, definition, place),
            filters=check_filter,
        )
        is_text = isinstance(given_at(self.given, (*path, "fields")), str)
        return without_refused(query, checks, fields_are_text=is_text)

    def _below(self, place: Place, attribute: AnyAttribute, target: Definition) -> Place:
        return None if place is None else place.below(attribute, target)

    def _is_withheld(self, place: Place, name: str, *, always: bool = False) -> bool:
        """Return whether the actor cannot read a field; with `always`, cannot read it in every entry.

        The read plan handles fields that are readable in some entries only, except in filters that start in a component
        and sorts through relations.
        """
        if place is None:
            return False
        may_know = reads_always if always else reads
        return not may_know(self.ability, place.uid, place.field(name))

    def _refuse_filters(self, asked: Filter | None, definition: Definition, place: Place) -> None:
        """Refuse filters on attributes the actor cannot compare. All names exist. Checks in Strapi's order."""
        reached = tuple(self._reached(asked, definition, place)) if asked is not None else ()
        for refused in (self._leads_nowhere, _is_secret, self._is_private, self._out_of_reach):
            for at, attribute, _ in reached:
                if refused(attribute):
                    raise InvalidParameter(at.attribute, at.path)
        always = place is not None and bool(place.way)
        for at, _, where in reached:
            if self._is_withheld(where, at.attribute, always=always):
                raise InvalidParameter(at.attribute, at.path)

    def _refuse_fields(self, names: Iterable[str], definition: Definition, place: Place) -> None:
        chosen = [(name, definition.attributes.get(name)) for name in names if name != ID]
        for name, attribute in chosen:
            if not isinstance(attribute, Scalar):
                raise InvalidParameter(name, ("fields",))
        for refused in (self._is_private, _is_secret):
            for name, attribute in chosen:
                if attribute is not None and refused(attribute):
                    raise InvalidParameter(name, ("fields",))
        for name, _ in chosen:
            if self._is_withheld(place, name):
                raise InvalidParameter(name, ("fields",))

    def _refuse_sorts(self, sorts: Iterable[Sort], definition: Definition, place: Place) -> None:
        """Refuse sorts as filters are refused. Attributes without a value are reported before missing permissions."""
        paths = [(sort, tuple(self._steps(sort, definition, place))) for sort in sorts]
        for refused in (self._is_private, _is_secret):
            for _, steps in paths:
                for name, attribute, _ in steps:
                    if refused(attribute):
                        raise InvalidParameter(name, ("sort",))
        for sort, steps in paths:
            _check_end(sort, steps)
        for sort, steps in paths:
            for name, attribute, where in steps:
                always = len(sort.names) > 1 or (where is not None and bool(where.way))
                if self._out_of_reach(attribute) or self._is_withheld(where, name, always=always):
                    raise InvalidParameter(name, ("sort",))

    def _steps(self, sort: Sort, definition: Definition, place: Place) -> Iterable[SortStep]:
        """Yield the attributes along a sort's path. Raises InvalidParameter for an unknown name."""
        reached: Definition | None = definition
        for name in sort.names:
            if reached is None or name == ID:
                return
            attribute = reached.attributes.get(name)
            if attribute is None:
                raise InvalidParameter(name, ("sort",))
            yield name, attribute, place
            reached = None
            if not isinstance(attribute, Scalar):
                reached = self.registry.target(attribute)
                if reached is None:
                    raise InvalidParameter(name, ("sort",))
                place = self._below(place, attribute, reached)
        if reached is not None and sort.direction:
            raise InvalidParameter(sort.direction, ("sort",))

    def _leads_nowhere(self, attribute: AnyAttribute) -> bool:
        return not isinstance(attribute, Scalar) and self.registry.target(attribute) is None

    def _is_private(self, attribute: AnyAttribute) -> bool:
        return attribute.private and not self.ability.knows_private

    def _out_of_reach(self, attribute: AnyAttribute) -> bool:
        return not self._may_reach(attribute)

    def _may_reach(self, attribute: AnyAttribute) -> bool:
        if not isinstance(attribute, Relation) or attribute.target is None:
            return True
        return attribute.target.startswith("admin::") or self.ability.may(FIND, attribute.target)

    def _reached(self, asked: Filter, definition: Definition, place: Place) -> Iterable[tuple[At, AnyAttribute, Place]]:
        """Yield every attribute in a filter, with its path."""
        match asked:
            case And(items=items) | Or(items=items):
                for item in items:
                    yield from self._reached(item, definition, place)
            case Not(item=item):
                yield from self._reached(item, definition, place)
            case At(attribute=name, filter=inner):
                attribute = definition.attributes.get(name)
                if attribute is not None:
                    yield asked, attribute, place
                    target = None if isinstance(attribute, Scalar) else self.registry.target(attribute)
                    if target is not None:
                        yield from self._reached(inner, target, self._below(place, attribute, target))

    def _filters(self, asked: Filter | None, definition: Definition) -> Filter | None:
        """Return the filter without unknown parts. Raises InvalidParameter for names that do not exist."""
        if asked is None:
            return None
        match asked:
            case And(items=items) | Or(items=items):
                kept = tuple(item for item in (self._filters(item, definition) for item in items) if item is not None)
                return replace(asked, items=kept) if kept else None
            case Not(item=item):
                inner = self._filters(item, definition)
                return Not(item=inner) if inner is not None else None
            case At():
                return self._at(asked, definition)
            case Unknown(name=name, path=path):
                raise InvalidParameter(name, path)
            case Compare():
                return None if _is_null(asked) else asked
            case LinkedFrom() | Unused():
                return asked

    def _ignored(self, name: str, path: Path) -> Filter | None:
        if self.strictness.refuse_operators:
            raise ValidationError(f"Unknown operator {name} at {'.'.join(path)}")
        return None

    def _at(self, asked: At, definition: Definition) -> Filter | None:
        attribute = definition.attributes.get(asked.attribute)
        if asked.attribute == ID:
            refuse_names(asked.filter)
            of_id = self._of_scalar(asked.filter, _names_none)
            return replace(asked, filter=of_id) if of_id is not None else None
        if attribute is None:
            raise InvalidParameter(asked.attribute, asked.path)
        if isinstance(attribute, Scalar):
            inner = self._of_scalar(asked.filter)
        else:
            target = self.registry.target(attribute)
            inner = self._filters(asked.filter, target) if target else asked.filter
        return replace(asked, filter=inner) if inner is not None else None

    def _of_scalar(self, asked: Filter, says_nothing: Callable[[Compare], bool] = lambda _: False) -> Filter | None:
        match asked:
            case And(items=items) | Or(items=items):
                kept = tuple(item for one in items if (item := self._of_scalar(one, says_nothing)) is not None)
                return replace(asked, items=kept) if kept else None
            case Not(item=item):
                inner = self._of_scalar(item, says_nothing)
                return Not(item=inner) if inner is not None else None
            case At(attribute=name, path=path) | Unknown(name=name, path=path):
                return self._ignored(name, path)
            case Compare():
                return None if says_nothing(asked) else asked
            case LinkedFrom() | Unused():
                return None

    def _populate(self, query: Query, definition: Definition, place: Place) -> Iterable[Populate]:
        for asked in _expand(query, definition):
            attribute = definition.attributes.get(asked.name)
            if attribute is None or isinstance(attribute, Scalar):
                self._drop(asked)
                continue
                # Even a populate that is left out is checked for unknown names.
            populated = self._populated(asked, attribute, definition, place)
            if self._is_private(attribute) or _is_secret(attribute) or self._is_withheld(place, asked.name):
                self._drop(asked)
            elif (definition.uid, asked.name) not in NEVER_POPULATED and self._may_reach(attribute):
                if asked.fault:
                    raise ValidationError(asked.fault)
                yield populated

    def _drop(self, asked: Populate) -> None:
        if self.strictness.refuse_populate and asked.path:
            raise InvalidParameter(asked.name, asked.path)

    def _populated(self, asked: Populate, attribute: AnyAttribute, definition: Definition, place: Place) -> Populate:
        match attribute:
            case DynamicZone():
                branches = tuple(self._zone(asked, attribute, definition, place))
                return replace(asked, query=EVERYTHING, branches=branches, unlisted=asked.branches is None)
            case Relation(target=None):
                return replace(asked, query=EVERYTHING, branches=tuple(self._morph(asked, attribute, place)))
        target = self.registry.target(attribute)
        if target is None:
            raise InvalidParameter(asked.name, asked.path)
        query = self.level(asked.query, target, self._below(place, attribute, target), asked.path)
        return replace(asked, query=query, branches=None)

    def _zone(self, asked: Populate, zone: DynamicZone, definition: Definition, place: Place) -> Iterable[Branch]:
        """Yield the branches for a zone's components, or for the requested ones, which the zone need not list."""
        shared = EVERYTHING if asked.query is EVERYTHING else self._shared_by_kinds(asked)
        lenient = self._lenient()
        chosen = {branch.component: branch.query for branch in asked.branches or ()}
        if asked.branches is None:
            chosen = dict.fromkeys((*zone.components, *self.unlisted(definition, zone)), shared)
        for uid, wanted in chosen.items():
            component = self.registry.components.get(uid)
            if component is not None:
                inside = self._below(place, zone, component)
                path = () if asked.branches is None else (*asked.path, "on", uid)
                yield Branch(component=uid, query=lenient.level(wanted, component, inside, path))

    def _shared_by_kinds(self, asked: Populate) -> Query:
        """Return the query for all components of a zone. It can only name `id` (observed).

        Raises InvalidParameter for other names in fields, sort and filters.
        """
        query, drops = asked.query, self.strictness.drop_below
        names = (*((name, "fields") for name in query.fields or ()), *((sort.names[0], "sort") for sort in query.sort))
        for name, part in names:
            if name != ID and not drops:
                raise InvalidParameter(name, (*asked.path, part))
        return Query(
            fields=(ID,) if query.fields == (ID,) else None,
            filters=filter_of_ids(query.filters, drops=drops),
            populate=query.populate,
            populate_all=query.populate_all,
        )

    def _morph(self, asked: Populate, relation: Relation, place: Place) -> Iterable[Branch]:
        lenient, shared = self._lenient(), asked.query
        if shared is not EVERYTHING:
            filters = filter_of_ids(shared.filters, drops=not self.strictness.refuse_populate)
            shared = replace(shared, filters=filters, sort=(), page=None)
        chosen = {branch.component: branch.query for branch in asked.branches or ()}
        keeps_others = relation.kind == "morphToOne" and not self.strictness.refuse_populate
        others = EVERYTHING if keeps_others else None  # `on` of one entry does not select its types (observed)
        for uid, target in {**self.registry.content_types, **self.registry.components}.items():
            wanted = _known_fields(shared, target) if asked.branches is None else chosen.get(uid, others)
            if wanted is not None and not uid.startswith("admin::") and self.ability.may(FIND, uid):
                path = asked.path if asked.branches is None else (*asked.path, "on", uid)
                inside = self._below(place, relation, target)
                yield Branch(component=uid, query=lenient.level(wanted, target, inside, path))

    def _lenient(self) -> "QuerySanitizer":
        """Return a sanitizer that leaves out names that not every type has."""
        return replace(self, strictness=replace(self.strictness, refuse_populate=False))


def _known_fields(query: Query, definition: Definition) -> Query:
    """Return the query with only the fields that the definition has, for relations with several types."""
    if query.fields is None:
        return query
    return replace(query, fields=tuple(name for name in query.fields if name in definition.attributes or name == ID))


def _expand(query: Query, definition: Definition) -> Iterable[Populate]:
    """Return what to populate, by name. `*` expands to everything that can be populated, one level deep."""
    if not query.populate_all:
        return query.populate
    named = {item.name: item for item in query.populate}
    everything = {
        name: Populate(name=name, query=EVERYTHING)
        for name, attribute in definition.attributes.items()
        if isinstance(attribute, Relation | Media | ComponentField | DynamicZone) and not attribute.private
    }
    return (everything | named).values()


def _is_null(asked: Compare) -> bool:
    """Return whether a relation itself is compared with null (GraphQL's `author: null`): no restriction (observed)."""
    return asked.operator is EQUALS and asked.values == (None,)


def _names_none(asked: Compare) -> bool:
    """Return whether an id is searched in an empty list: no restriction, unlike for attributes (observed)."""
    return not asked.values


def _check_end(sort: Sort, steps: Sequence[SortStep]) -> None:
    """Refuse a sort whose path does not end in a scalar attribute, or continues after one."""
    ends_in_scalar = bool(steps) and isinstance(steps[-1][1], Scalar)
    end = len(steps) if ends_in_scalar else len(steps) + 1
    if len(sort.names) < end:
        raise InvalidParameter(sort.names[-1], ("sort",))
    if len(sort.names) > end:
        raise InvalidParameter(sort.names[end], ("sort",))


def _is_secret(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, Scalar) and SCALAR_TYPES[attribute.type].secret
