"""Conditions that nobody typed: publication state, locale."""

from octavo.plan.filters import plan_scope
from octavo.plan.nodes import ALWAYS, NEVER, All, Condition, ParameterKind, Tested
from octavo.plan.operands import NUL
from octavo.plan.planning import Planning
from octavo.query.ast import ALL_LOCALES, PublicationState
from octavo.query.operators import Test
from octavo.schema.automatic import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ContentType, Definition


def published(definition: Definition, state: PublicationState | None) -> Condition:
    """Live reads of a type with drafts see published entries only."""
    if state is not PublicationState.LIVE or not (isinstance(definition, ContentType) and definition.draft_and_publish):
        return ALWAYS
    return Tested(definition.scalar(PUBLISHED_AT), Test.NULL, negated=True)


def visible(definition: Definition, state: PublicationState | None, planning: Planning) -> Condition:
    """What entries have to meet to be seen: the publication state, and the scope of whoever asks."""
    in_state = published(definition, state)
    if planning.access is None:
        return in_state
    scope = plan_scope(definition, planning)
    return in_state if scope is None or scope == in_state else both(in_state, scope)


def in_locales(definition: Definition, locales: tuple[str, ...] | None, planning: Planning) -> Condition:
    """Reads of a localized type see the asked locales only; `all` sees every one."""
    if locales is None or ALL_LOCALES in locales or not (isinstance(definition, ContentType) and definition.localized):
        return ALWAYS
    parameters = tuple(planning.bind(ParameterKind.TEXT, locale) for locale in locales if NUL not in locale)
    if not parameters:
        return NEVER
    test = Test.EQUAL if len(parameters) == 1 else Test.AMONG
    return Tested(definition.scalar(LOCALE), test, parameters)


def both(first: Condition, second: Condition) -> Condition:
    """Both conditions, leaving out what is always met."""
    if first == ALWAYS:
        return second
    return first if second == ALWAYS else All((first, second))
