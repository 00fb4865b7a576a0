"""An Answer, told in names, to the shape of the plan."""

from octavo.plan.entry_shape import select
from octavo.plan.filters import plan_step
from octavo.plan.nodes import (
    BranchShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    ScalarShape,
    ScalarStyle,
    Shape,
    VariantShape,
)
from octavo.plan.planning import Planning
from octavo.plan.scopes import visible
from octavo.query.answer import Answer, Fixed, Kinds, Nested, Object, Value
from octavo.schema.attributes import DynamicZone, Relation, Scalar
from octavo.schema.content_types import Definition


def answer_shape(answer: Answer, definition: Definition, planning: Planning) -> Shape:
    """The shape of an answer about entries of `definition`. Queries in it are sanitized already."""
    match answer:
        case Value(attribute=name, renamed=renamed):
            return _value(name, renamed, definition)
        case Fixed(json=text):
            return LiteralShape(text)
        case Object(members=members):
            return ObjectShape(tuple((key, answer_shape(item, definition, planning)) for key, item in members))
        case Nested():
            return _nested(answer, definition, planning)
        case Kinds():
            return _kinds(answer, definition, planning)


def _value(name: str | None, renamed: tuple[tuple[str, str], ...], definition: Definition) -> Shape:
    if name is None:
        return ScalarShape(None, ScalarStyle.TEXT)
    attribute = definition.attributes[name]
    if not isinstance(attribute, Scalar):
        raise TypeError(f"{definition.uid}.{name} is no scalar")
    return ScalarShape(attribute, ScalarStyle.TYPED, renamed)


def _nested(answer: Nested, definition: Definition, planning: Planning) -> Shape:
    attribute = definition.attributes[answer.attribute]
    step = plan_step(definition, attribute, planning)
    is_many = not isinstance(attribute, Scalar) and attribute.to_many
    selection = select(answer.query, step.target, planning, answer.query.publication_state, paged=is_many)
    shape = answer_shape(answer.answer, step.target, planning)
    return ManyShape(step, selection, shape) if is_many else OneShape(step, selection, shape)


def _kinds(answer: Kinds, definition: Definition, planning: Planning) -> Shape:
    attribute = definition.attributes[answer.attribute]
    branches = []
    for uid, inner in answer.branches:
        target = planning.registry.definition(uid)
        condition = visible(target, answer.query.publication_state, planning)
        planning.join()
        branches.append(BranchShape(target, condition, answer_shape(inner, target, planning)))
    is_one = isinstance(attribute, Relation) and attribute.kind == "morphToOne"
    empty = "null" if is_one else "[]"
    assert isinstance(attribute, DynamicZone | Relation)
    others = None if answer.others is None else LiteralShape(answer.others.json)
    return VariantShape(definition, attribute, tuple(branches), many=not is_one, empty=empty, others=others)
