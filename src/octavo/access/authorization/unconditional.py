"""Unconditional: the part of an ability without conditions, for code that does not evaluate them.

A project's code reads with the caller's permissions but does not see conditions. So permissions for some entries only
count as none there; `scope_params` narrows the entries that the code itself handles.
"""

from typing import Any

from octavo.access.authorization.ability import FIND, UPDATE, Ability, reads_always, writes_always
from octavo.query.ast import And, At, Compare, Filter, Not, Or
from octavo.query.operators import Operand


class Unconditional(Ability):
    """An ability without permissions that have conditions."""

    limits_fields = True

    def __init__(self, ability: Ability) -> None:
        self._ability = ability
        self.key = f"unconditional-{ability.key}"
        self.everything = ability.everything
        self.hides_drafts = ability.hides_drafts
        self.links_by_field = ability.links_by_field
        self.knows_private = ability.knows_private

    def allows(self, action: str) -> bool:
        return self._ability.allows(action)

    def shows_drafts(self, uid: str) -> bool:
        return self._ability.shows_drafts(uid)

    def may(self, action: str, uid: str) -> bool:
        return self._ability.may(action, uid) and self._ability.scope(uid, action) is None

    def publishes(self, uid: str) -> bool:
        return self._ability.publishes(uid)

    def reads(self, uid: str, field: str) -> bool:
        return reads_always(self._ability, uid, field)

    def writes(self, uid: str, field: str, action: str) -> bool:
        if action == UPDATE:
            return writes_always(self._ability, uid, field)
        return self._ability.writes(uid, field, action) and self._ability.field_scope(uid, field, action) is None

    def names_locale(self, uid: str, field: str, locale: str) -> bool:
        return self._ability.names_locale(uid, field, locale)


def unconditional(ability: Ability) -> Ability:
    """Return the part of an ability that applies to every entry; the ability itself if it has no conditions."""
    return Unconditional(ability) if ability.limits_fields else ability


def scope_params(ability: Ability, uid: str) -> dict[str, Any] | None:
    """Return the filter for entries that can be found, as request parameters; None if there is none."""
    scope = ability.scope(uid, FIND)
    return None if scope is None else _params(scope)


def _params(asked: Filter) -> dict[str, Any]:
    match asked:
        case And(items=items):
            return {"$and": [_params(item) for item in items]}
        case Or(items=items):
            return {"$or": [_params(item) for item in items]}
        case Not(item=item):
            return {"$not": _params(item)}
        case At(attribute=name, filter=inner):
            return {name: _params(inner)}
        case Compare(operator=operator, values=values):
            is_one = operator.operand is not Operand.MANY and len(values) == 1
            return {operator.name: values[0] if is_one else list(values)}
        case _:
            raise TypeError(f"{type(asked).__name__} is not a filter of a request")
