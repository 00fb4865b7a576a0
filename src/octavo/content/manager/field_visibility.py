"""The response for an entry in the content manager: all fields that the administrator can read.

Private attributes are included, passwords never. Related entries are counted or shown by id, for everyone who can read
the relation. Their values are shown as well under the rule `linkedValues`, otherwise only to administrators who can
read them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Final

from octavo.access.authorization.ability import FIND, Ability
from octavo.content.entry_snapshot import components_answer
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Count, Fixed, Guarded, Kinds, Nested, Object, Plain
from octavo.query.ast import EVERYTHING, And, Filter
from octavo.schema.attributes import (
    CREATORS,
    LOCALE,
    LOCALIZATIONS,
    PUBLISHED_AT,
    UPDATED_AT,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import ADMIN_USER, FILE, USER, Component, ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.json_values import NEVER_POPULATED
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

Members = Iterator[tuple[str, Answer]]

HIDDEN: Final = frozenset({(USER, "provider"), (USER, "resetPasswordToken"), (USER, "confirmationToken")})
"""Attributes of built-in types that the content manager hides."""
ADMINISTRATOR_FIELDS: Final = frozenset({"firstname", "lastname", "username"})
"""The fields of administrators that everyone with access to content can read, besides their ids."""
_FOLDER: Final = "folder"


class View(Enum):
    """How much of an entry a response shows."""

    ROW = "row"
    """A row of a list: components without relations, one related entry, several counted."""
    ENTRY = "entry"
    """An entry to edit: nested components, related entries counted."""
    WHOLE = "whole"
    """A single type: nested components, related entries shown."""


@dataclass(frozen=True, slots=True)
class FieldSelection:
    """What a request selects: only some `fields` (None: all) of the entry, and the relations, or all of them, to show
    instead of count."""

    fields: frozenset[str] | None = None
    related: frozenset[str] = frozenset()
    all_related: bool = False


NOTHING_ELSE: Final = FieldSelection()


def build_entry_object(
    content_type: ContentType,
    registry: Registry,
    ability: Ability,
    view: View,
    asked: FieldSelection = NOTHING_ELSE,
    *,
    shows_linked: bool = True,
) -> Object:
    """Return the response for entries in an ability's scope.

    `shows_linked`: show the values of linked entries without checking permissions for them.
    """
    place = FieldPlace(content_type.uid) if ability.limits_fields else None
    walker = _Shown(registry, ability, view, place, asked=asked, shows_linked=shows_linked)
    return replace(walker.entry(content_type), own_names=True)


def build_localizations_object(content_type: ContentType, ability: Ability) -> Object:
    """Return the response with the state of entries and their localizations.

    Localizations in the ability's scope have the member `readable`.
    """
    names = (LOCALE, UPDATED_AT, PUBLISHED_AT)
    own = ("id", Plain(None)), *((name, Plain(name)) for name in names if name in content_type.attributes)
    linked = Object((*own, ("readable", _behind(ability.scope(content_type.uid), Plain(None)))))
    return Object((*own, (LOCALIZATIONS, Nested(LOCALIZATIONS, EVERYTHING, linked, empty="[]", linked=True))))


def is_hidden(definition: Definition, attribute: AnyAttribute) -> bool:
    """Return whether the content manager hides an attribute: passwords, and attributes hidden by the definition."""
    if isinstance(attribute, Scalar) and SCALAR_TYPES[attribute.type].secret:
        return True
    if definition.uid == ADMIN_USER and attribute.name not in ADMINISTRATOR_FIELDS:
        return True
    return (definition.uid, attribute.name) in HIDDEN or attribute.name in hidden_by_definition(definition)


def hidden_by_definition(definition: Definition) -> frozenset[str]:
    """Return the attributes that a definition hides with `config.attributes.NAME.hidden`."""
    config = definition.raw.get("config")
    attributes = config.get("attributes") if isinstance(config, dict) else None
    if not isinstance(attributes, dict):
        return frozenset()
    return frozenset(name for name, said in attributes.items() if isinstance(said, dict) and said.get("hidden") is True)


def values(definition: Definition) -> Object:
    """Return the response with an entry's own values, without relations, files and components."""
    return Object((("id", Plain(None)), *_own_values(definition)))


def _own_values(definition: Definition) -> Iterator[tuple[str, Plain]]:
    for attribute in definition.scalars:
        if not is_hidden(definition, attribute):
            yield attribute.name, Plain(attribute.name)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Walks a definition. `place` is the path of its fields; None if all can be read. `around` are the enclosing
    components: one inside of itself is shown once."""

    registry: Registry
    ability: Ability
    view: View
    place: FieldPlace | None
    around: tuple[str, ...] = ()
    asked: FieldSelection = NOTHING_ELSE
    shows_linked: bool = True

    def entry(self, definition: Definition) -> Object:
        members = [("id", Plain(None)), *self._members(definition)]
        return Object(tuple((name, self._guarded(name, answer)) for name, answer in members))

    def own(self, definition: Definition) -> Object:
        """Return the response with an entry's own values, as far as they can be read."""
        mine = (one for one in _own_values(definition) if self._may_read(one[0]))
        return Object((("id", Plain(None)), *((name, self._guarded(name, answer)) for name, answer in mine)))

    def _may_read(self, name: str) -> bool:
        return self.place is None or self.ability.reads(self.place.uid, self.place.field(name))

    def _guarded(self, name: str, answer: Answer) -> Answer | Guarded:
        """Add the condition under which a field can be read, if there is one."""
        if self.place is None or name == "id":
            return answer
        condition = self.ability.field_scope(self.place.uid, self.place.field(name))
        return answer if condition is None else Guarded(condition, answer)

    def _members(self, definition: Definition) -> Members:
        for name, attribute in definition.attributes.items():
            is_asked = self.asked.fields is None or name in self.asked.fields or not isinstance(attribute, Scalar)
            if self._may_read(name) and is_asked and not is_hidden(definition, attribute):
                answer = self._answer(definition, attribute)
                if answer is not None:
                    yield name, answer

    def _answer(self, definition: Definition, attribute: AnyAttribute) -> Answer | None:
        """Return the response for an attribute; None to leave it out."""
        if isinstance(attribute, Scalar):
            return Plain(attribute.name)
        if self.view is View.ROW and isinstance(definition, Component):
            return None
        match attribute:
            case Media():
                return Nested(attribute.name, EVERYTHING, self._file(), empty="null", linked=True)
            case ComponentField() | DynamicZone():
                return components_answer(attribute, partial(self._inside, attribute))
            case Relation():
                return self._related(definition, attribute)

    def _inside(self, attribute: AnyAttribute, uid: str) -> Object | None:
        """Return the response for a component in an attribute."""
        component = self.registry.components.get(uid)
        if component is None or uid in self.around:
            return None
        place = None if self.place is None else self.place.below(attribute, component)
        return replace(self, place=place, around=(*self.around, uid), asked=NOTHING_ELSE).entry(component)

    def _file(self) -> Object:
        """Return the response for a file with its folder."""
        file = self.registry.content_types[FILE]
        folder = self.registry.target(file.attributes[_FOLDER])
        assert folder is not None
        folder_answer = Nested(_FOLDER, EVERYTHING, values(folder), linked=True)
        return Object((*values(file).members, (_FOLDER, folder_answer)))

    def _related(self, definition: Definition, relation: Relation) -> Answer | None:
        if (definition.uid, relation.name) in NEVER_POPULATED:
            return None
        if relation.target is None:
            return self._of_any_kind(relation)
        target = self.registry.target(relation)
        if target is None:
            return None
        # These relations are short and never counted, as in v4.
        always_shown = relation.is_morph or relation.name in (*CREATORS, LOCALIZATIONS)
        counts = self.view is View.ENTRY or (self.view is View.ROW and relation.to_many)
        if counts and not always_shown:
            if self._is_asked(relation) and self.ability.may(FIND, target.uid):
                place = None if self.place is None else FieldPlace(target.uid)
                return Nested(relation.name, EVERYTHING, replace(self, place=place).own(target))
            return Object((("count", Count(relation.name, linked=True)),))
        empty = "null" if relation.is_morph else "[]"
        always = (LOCALE,) if relation.name == LOCALIZATIONS else ()
        return Nested(relation.name, EVERYTHING, self._known(target, always), empty=empty, linked=True)

    def _known(self, target: Definition, always: Iterable[str] = ()) -> Object:
        """Return the response for a linked entry: its id, the `always` fields, and other fields that can be read."""
        if self.place is None or self.shows_linked or target.uid == ADMIN_USER:
            return values(target)
        may_find = self.ability.may(FIND, target.uid)
        own = dict(replace(self, place=FieldPlace(target.uid)).own(target).members) if may_find else {}
        scope = self.ability.scope(target.uid)
        members: list[tuple[str, Answer | Guarded]] = []
        for name, plain in values(target).members:
            if name == "id" or name in always:
                members.append((name, plain))
            elif name in own:
                members.append((name, _behind(scope, own[name])))
        return Object(tuple(members))

    def _is_asked(self, relation: Relation) -> bool:
        return self.asked.all_related or relation.name in self.asked.related

    def _of_any_kind(self, relation: Relation) -> Kinds:
        """Return the response for a polymorphic relation: to content, files, users and administrators."""
        branches = []
        for uid, target in self.registry.content_types.items():
            if uid == ADMIN_USER or not uid.startswith("admin::"):
                answer = self._known(target)
                if relation.to_many:
                    answer = Object((("__type", Fixed(f'"{uid}"')), *answer.members))
                branches.append((uid, answer))
        return Kinds(relation.name, EVERYTHING, tuple(branches), linked=True)


def _behind(scope: Filter | None, answer: Answer | Guarded) -> Answer | Guarded:
    """Limit a response to the entries in a scope."""
    if scope is None:
        return answer
    if isinstance(answer, Guarded):
        return Guarded(And(items=(scope, answer.condition)), answer.answer)
    return Guarded(scope, answer)
