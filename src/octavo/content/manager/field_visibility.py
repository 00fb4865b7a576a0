"""What administrators are shown of an entry, as an Answer: all that their rights to its fields let them read.

Private attributes are shown, passwords never. What a relation leads to is counted, or shown by its id, as a part of the
entry that holds the link: whoever may read the field sees it. Its own values are too under the rule `linkedValues`, or
else shown to those who may read them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Final

from octavo.access.authorization.ability import FIND, Ability
from octavo.content.component_answers import components_answer
from octavo.core.values import dataclass
from octavo.query.answer import Answer, Count, Fixed, Guarded, Kinds, Nested, Object, Plain
from octavo.query.ast import EVERYTHING, And, Filter
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
from octavo.schema.content_types import ADMIN_USER, FILE, USER, Component, ContentType, Definition
from octavo.schema.field_places import FieldPlace
from octavo.schema.json_values import NEVER_POPULATED
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES

Members = Iterator[tuple[str, Answer]]

HIDDEN: Final = frozenset({(USER, "provider"), (USER, "resetPasswordToken"), (USER, "confirmationToken")})
"""Attributes of built-in types that the content manager knows nothing of."""
ADMINISTRATOR_FIELDS: Final = frozenset({"firstname", "lastname", "username"})
"""What everybody who manages content may see of administrators, besides their ids."""
_FOLDER: Final = "folder"


class View(Enum):
    """How much of an entry is shown."""

    ROW = "row"
    """A row of a list: components without what they lead to, one related entry, several counted."""
    ENTRY = "entry"
    """An entry to be edited: components all the way down, related entries counted."""
    WHOLE = "whole"
    """A single type: components all the way down, related entries shown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks for besides: only some `fields` (None: all) of the entry's own; of some relations, or of all
    of them, what they lead to, where it would be counted."""

    fields: frozenset[str] | None = None
    related: frozenset[str] = frozenset()
    all_related: bool = False


NOTHING_ELSE: Final = Asked()


def shown(
    content_type: ContentType,
    registry: Registry,
    ability: Ability,
    view: View,
    asked: Asked = NOTHING_ELSE,
    *,
    shows_linked: bool = True,
) -> Object:
    """What those with an ability are shown of an entry, whose scope chooses the entries.

    `shows_linked`: the values of what links lead to, whoever may read these.
    """
    place = FieldPlace(content_type.uid) if ability.limits_fields else None
    walker = _Shown(registry, ability, view, place, asked=asked, shows_linked=shows_linked)
    return replace(walker.entry(content_type), own_names=True)


def is_hidden(definition: Definition, attribute: AnyAttribute) -> bool:
    """Whether the content manager knows nothing of an attribute: passwords, and what definitions hide."""
    if isinstance(attribute, Scalar) and SCALAR_TYPES[attribute.type].secret:
        return True
    if definition.uid == ADMIN_USER and attribute.name not in ADMINISTRATOR_FIELDS:
        return True
    return (definition.uid, attribute.name) in HIDDEN or attribute.name in hidden_by_definition(definition)


def hidden_by_definition(definition: Definition) -> frozenset[str]:
    """The attributes that a definition itself hides: `config.attributes.NAME.hidden`."""
    config = definition.raw.get("config")
    attributes = config.get("attributes") if isinstance(config, dict) else None
    if not isinstance(attributes, dict):
        return frozenset()
    return frozenset(name for name, said in attributes.items() if isinstance(said, dict) and said.get("hidden") is True)


def values(definition: Definition) -> Object:
    """An entry's own values, and nothing that it leads to."""
    return Object((("id", Plain(None)), *_own_values(definition)))


def _own_values(definition: Definition) -> Iterator[tuple[str, Plain]]:
    for attribute in definition.scalars:
        if not is_hidden(definition, attribute):
            yield attribute.name, Plain(attribute.name)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Walks down a definition. `place` is where its fields are, None for who may read all; `around` the components
    around it: one that lies in itself is shown once."""

    registry: Registry
    ability: Ability
    view: View
    place: FieldPlace | None
    around: tuple[str, ...] = ()
    asked: Asked = NOTHING_ELSE
    shows_linked: bool = True

    def entry(self, definition: Definition) -> Object:
        members = [("id", Plain(None)), *self._members(definition)]
        return Object(tuple((name, self._guarded(name, answer)) for name, answer in members))

    def own(self, definition: Definition) -> Object:
        """An entry's own values, as those see them who ask for it by itself."""
        mine = (one for one in _own_values(definition) if self._may_read(one[0]))
        return Object((("id", Plain(None)), *((name, self._guarded(name, answer)) for name, answer in mine)))

    def _may_read(self, name: str) -> bool:
        return self.place is None or self.ability.reads(self.place.uid, self.place.field(name))

    def _guarded(self, name: str, answer: Answer) -> Answer | Guarded:
        """What some may see in some entries only stands behind the condition."""
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
        """What stands for an attribute; None for nothing."""
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
        """A component in an attribute."""
        component = self.registry.components.get(uid)
        if component is None or uid in self.around:
            return None
        place = None if self.place is None else self.place.below(attribute, component)
        return replace(self, place=place, around=(*self.around, uid), asked=NOTHING_ELSE).entry(component)

    def _file(self) -> Object:
        """A file, and the folder that it is in."""
        file = self.registry.content_types[FILE]
        folder = self.registry.target(file.attributes[_FOLDER])
        assert folder is not None
        told = Nested(_FOLDER, EVERYTHING, values(folder), linked=True)
        return Object((*values(file).members, (_FOLDER, told)))

    def _related(self, definition: Definition, relation: Relation) -> Answer | None:
        if (definition.uid, relation.name) in NEVER_POPULATED:
            return None
        if relation.target is None:
            return self._of_any_kind(relation)
        target = self.registry.target(relation)
        if target is None:
            return None
        # Links of these are neither many nor counted, as in v4.
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
        """An entry that a link leads to: its id, what is `always` told, and of the rest what they may read of it."""
        if self.place is None or self.shows_linked or target.uid == ADMIN_USER:
            return values(target)
        may_find = self.ability.may(FIND, target.uid)
        own = dict(replace(self, place=FieldPlace(target.uid)).own(target).members) if may_find else {}
        scope = self.ability.scope(target.uid)
        told: list[tuple[str, Answer | Guarded]] = []
        for name, plain in values(target).members:
            if name == "id" or name in always:
                told.append((name, plain))
            elif name in own:
                told.append((name, _behind(scope, own[name])))
        return Object(tuple(told))

    def _is_asked(self, relation: Relation) -> bool:
        return self.asked.all_related or relation.name in self.asked.related

    def _of_any_kind(self, relation: Relation) -> Kinds:
        """What a polymorphic relation leads to: content, files, accounts, and of the administrators' own the people."""
        branches = []
        for uid, target in self.registry.content_types.items():
            if uid == ADMIN_USER or not uid.startswith("admin::"):
                told = self._known(target)
                if relation.to_many:
                    told = Object((("__type", Fixed(f'"{uid}"')), *told.members))
                branches.append((uid, told))
        return Kinds(relation.name, EVERYTHING, tuple(branches), linked=True)


def _behind(scope: Filter | None, answer: Answer | Guarded) -> Answer | Guarded:
    """What only some entries show."""
    if scope is None:
        return answer
    if isinstance(answer, Guarded):
        return Guarded(And(items=(scope, answer.condition)), answer.answer)
    return Guarded(scope, answer)
