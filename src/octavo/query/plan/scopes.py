"""Implicit conditions: publication state and locale."""

from octavo.query.ast import ALL_LOCALES, PublicationState
from octavo.query.operators import Test
from octavo.query.plan.filters import both, is_live, plan_scope
from octavo.query.plan.nodes import ALWAYS, NEVER, Condition, ParameterKind, Tested
from octavo.query.plan.operands import NUL
from octavo.query.plan.planning import Planning
from octavo.schema.attributes import LOCALE
from octavo.schema.content_types import ContentType, Definition


def published(definition: Definition, state: PublicationState | None, planning: Planning) -> Condition:
    """Return the condition for the publication state: live reads of a type with drafts see published entries only, with
    or without those scheduled for the future."""
    if state is not PublicationState.LIVE or not (isinstance(definition, ContentType) and definition.draft_and_publish):
        return ALWAYS
    return is_live(definition, planning)


def visible(definition: Definition, state: PublicationState | None, planning: Planning) -> Condition:
    """Return the condition for visible entries: the publication state and the scope of the caller."""
    in_state = published(definition, state, planning)
    if planning.access is None:
        return in_state
    scope = plan_scope(definition, planning)
    return in_state if scope is None or scope == in_state else both(in_state, scope)


def in_locales(definition: Definition, locales: tuple[str, ...] | None, planning: Planning) -> Condition:
    """Return the condition for the requested locales of a localized type; `all` includes every locale."""
    if locales is None or ALL_LOCALES in locales or not (isinstance(definition, ContentType) and definition.localized):
        return ALWAYS
    parameters = tuple(planning.bind(ParameterKind.TEXT, locale) for locale in locales if NUL not in locale)
    if not parameters:
        return NEVER
    test = Test.EQUAL if len(parameters) == 1 else Test.AMONG
    return Tested(definition.scalar(LOCALE), test, parameters)
