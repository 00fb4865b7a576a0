"""An ability as a permission engine builds it: permissions for fields, and conditions on entries."""

from collections.abc import Collection, Mapping
from typing import Any

from octavo.access.authorization.ability import FIND, Ability
from octavo.query.ast import And, At, Compare, Filter
from octavo.query.operators import OPERATORS


class ConditionalAbility(Ability):
    """Allows everything except the withheld fields, and only for entries that satisfy the conditions.

    Fields are named from the content type down (`details.binding`); withholding one includes everything inside it. A
    condition applies to a content type and an action, or to all its actions.
    """

    limits_fields = True

    def __init__(
        self, withheld: Mapping[str, Collection[str]] | None = None, scopes: Mapping[Any, Filter] | None = None
    ) -> None:
        self.withheld = withheld or {}
        self.scopes = scopes or {}
        self.key = repr((sorted(self.withheld.items()), self.scopes))

    def allows(self, action: str) -> bool:
        return True

    def shows_drafts(self, uid: str) -> bool:
        return True

    def reads(self, uid: str, field: str) -> bool:
        return not any(field == name or field.startswith(f"{name}.") for name in self.withheld.get(uid, ()))

    def writes(self, uid: str, field: str, action: str) -> bool:
        return self.reads(uid, field)

    def scope(self, uid: str, action: str = FIND) -> Filter | None:
        return self.scopes.get((uid, action), self.scopes.get(uid))


def at(dotted: str, operator: str, *values: Any) -> Filter:
    """Return a filter on the attribute at the end of a path."""
    found: Filter = Compare(operator=OPERATORS[operator], values=values)
    for name in reversed(dotted.split(".")):
        found = At(attribute=name, filter=found)
    return found


def both(*filters: Filter) -> Filter:
    return And(items=filters)
