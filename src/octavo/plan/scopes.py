"""Conditions that nobody typed: publication state, locale."""

from octavo.plan.context import Planning
from octavo.plan.nodes import ALWAYS, NEVER, All, Condition, ParameterKind, Tested
from octavo.plan.operands import NUL
from octavo.query.ast import PublicationState
from octavo.query.operators import Test
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition

ALL_LOCALES = "all"


def published(definition: Definition, state: PublicationState | None) -> Condition:
    """Live reads of a type with drafts see published entries only."""
    if state is not PublicationState.LIVE or not (isinstance(definition, ContentType) and definition.draft_and_publish):
        return ALWAYS
    return Tested(_scalar(definition, "publishedAt"), Test.NULL, negated=True)


def in_locales(definition: Definition, locales: tuple[str, ...] | None, planning: Planning) -> Condition:
    """Reads of a localized type see the asked locales only; `all` sees every one."""
    if locales is None or ALL_LOCALES in locales or not (isinstance(definition, ContentType) and definition.localized):
        return ALWAYS
    parameters = tuple(planning.bind(ParameterKind.TEXT, locale) for locale in locales if NUL not in locale)
    if not parameters:
        return NEVER
    test = Test.EQUAL if len(parameters) == 1 else Test.AMONG
    return Tested(_scalar(definition, "locale"), test, parameters)


def both(first: Condition, second: Condition) -> Condition:
    """Both conditions, leaving out what is always met."""
    if first == ALWAYS:
        return second
    return first if second == ALWAYS else All((first, second))


def _scalar(definition: Definition, name: str) -> Scalar:
    attribute = definition.attributes[name]
    if not isinstance(attribute, Scalar):
        raise TypeError(f"{definition.uid}.{name} is not a scalar")
    return attribute
