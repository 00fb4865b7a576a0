"""Resolve the names of an Answer to the Shape of a plan."""

from dataclasses import replace

from octavo.query.answer import Answer, Count, Fixed, Guarded, Kinds, Nested, Object, Plain, Value
from octavo.query.plan.entry_shape import select
from octavo.query.plan.filters import plan_filter, plan_step
from octavo.query.plan.nodes import (
    ALWAYS,
    BranchShape,
    CountShape,
    GuardShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    ScalarShape,
    ScalarStyle,
    Selection,
    Shape,
    VariantShape,
)
from octavo.query.plan.planning import Planning
from octavo.query.plan.scopes import visible
from octavo.schema.attributes import DynamicZone, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition


def answer_shape(
    answer: Answer, definition: Definition, planning: Planning, holder: ContentType | None = None
) -> Shape:
    """Return the shape of an answer for entries of `definition`. The queries in it must be sanitized.

    `holder` is the entry's type if `definition` is a component; guards in the component apply to that entry.
    """
    holder = definition if isinstance(definition, ContentType) else holder
    match answer:
        case Value(attribute=name, renamed=renamed):
            return _value(name, renamed, definition)
        case Plain(attribute=name):
            return ScalarShape(None if name is None else definition.scalar(name))
        case Fixed(json=text):
            return LiteralShape(text)
        case Object():
            return _object(answer, definition, planning, holder)
        case Nested():
            return _nested(answer, definition, planning, holder)
        case Count():
            return _count(answer, definition, planning)
        case Kinds():
            return _kinds(answer, definition, planning, holder)


def _value(name: str | None, renamed: tuple[tuple[str, str], ...], definition: Definition) -> Shape:
    if name is None:
        return ScalarShape(None, ScalarStyle.TEXT)
    attribute = definition.attributes[name]
    if not isinstance(attribute, Scalar):
        raise TypeError(f"{definition.uid}.{name} is no scalar")
    return ScalarShape(attribute, ScalarStyle.TYPED, renamed)


def _object(answer: Object, definition: Definition, planning: Planning, holder: ContentType | None) -> Shape:
    members: list[tuple[str, Shape]] = []
    guarded: list[tuple[str, Shape]] = []
    for key, item in answer.members:
        if isinstance(item, Guarded) and not item.otherwise:
            guarded.append((key, _guarded(item, definition, planning, holder)))
        else:
            members.append((key, _member(item, definition, planning, holder)))
    required = tuple((definition.scalar(name), json) for name, json in answer.required)
    return ObjectShape(tuple(members), tuple(guarded), required)


def _member(item: Answer | Guarded, definition: Definition, planning: Planning, holder: ContentType | None) -> Shape:
    if isinstance(item, Guarded):
        return _guarded(item, definition, planning, holder)
    return answer_shape(item, definition, planning, holder)


def _guarded(item: Guarded, definition: Definition, planning: Planning, holder: ContentType | None) -> Shape:
    holder = definition if isinstance(definition, ContentType) else holder
    if holder is None:
        raise TypeError(f"{definition.uid} is not part of an entry that a guard can check")
    condition = plan_filter(item.condition, holder, planning.unscoped())
    return GuardShape(condition, answer_shape(item.answer, definition, planning, holder), item.otherwise)


def _count(answer: Count, definition: Definition, planning: Planning) -> Shape:
    step = plan_step(definition, definition.attributes[answer.attribute], planning, scoped=not answer.linked)
    if answer.condition is None:
        return CountShape(step, Selection(step.target))
    return CountShape(step, Selection(step.target, plan_filter(answer.condition, step.target, planning.unscoped())))


def _nested(answer: Nested, definition: Definition, planning: Planning, holder: ContentType | None) -> Shape:
    attribute = definition.attributes[answer.attribute]
    step = plan_step(definition, attribute, planning, scoped=not answer.linked)
    is_many = not isinstance(attribute, Scalar) and attribute.to_many
    selection = select(answer.query, step.target, planning, answer.query.publication_state, paged=is_many)
    if answer.backwards:
        selection = replace(selection, backwards=True)
    shape = _member(answer.answer, step.target, planning, holder)
    return (
        ManyShape(step, selection, shape, answer.empty) if is_many else OneShape(step, selection, shape, answer.missing)
    )


def _kinds(answer: Kinds, definition: Definition, planning: Planning, holder: ContentType | None) -> Shape:
    attribute = definition.attributes[answer.attribute]
    branches = []
    for uid, inner in answer.branches:
        target = planning.registry.definition(uid)
        condition = ALWAYS if answer.linked else visible(target, answer.query.publication_state, planning)
        planning.join()
        branches.append(BranchShape(target, condition, _member(inner, target, planning, holder)))
    is_one = isinstance(attribute, Relation) and attribute.kind == "morphToOne"
    empty = "null" if is_one else "[]"
    assert isinstance(attribute, DynamicZone | Relation)
    others = None if answer.others is None else LiteralShape(answer.others.json)
    return VariantShape(definition, attribute, tuple(branches), many=not is_one, empty=empty, others=others)
