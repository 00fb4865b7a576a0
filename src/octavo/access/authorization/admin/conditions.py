"""Conditions: limit a grant to some entries, depending on the administrator.

v4 has two; projects can register more. If a grant has several conditions, one of them has to hold.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from octavo.core.values import dataclass
from octavo.query.ast import At, Compare, Filter
from octavo.query.operators import OPERATORS
from octavo.schema.attributes import CREATED_BY


@dataclass(frozen=True, slots=True)
class Holder:
    """The administrator whose permissions are checked."""

    id: int
    email: str | None = None
    role_ids: tuple[int, ...] = ()


Verdict = Filter | bool
"""The entries a condition selects: those that match a filter, all (True) or none (False)."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition. Examples of `id`: `admin::is-creator`, `api::cheap`, `plugin::shop.cheap`."""

    id: str
    display_name: str
    category: str
    decide: Callable[[Holder], Verdict | Awaitable[Verdict]]


def _is(operator: str, *values: int) -> Filter:
    return At(attribute="id", filter=Compare(operator=OPERATORS[operator], values=values))


def _is_creator(holder: Holder) -> Filter:
    return At(attribute=CREATED_BY, filter=_is("$eq", holder.id))


def _has_same_role_as_creator(holder: Holder) -> Filter:
    return At(attribute=CREATED_BY, filter=At(attribute="roles", filter=_is("$in", *holder.role_ids)))


IS_CREATOR: Final = "admin::is-creator"

BUILT_IN: Final = (
    Condition(IS_CREATOR, "Is creator", "default", _is_creator),
    Condition("admin::has-same-role-as-creator", "Has same role as creator", "default", _has_same_role_as_creator),
)


def by_id(conditions: Iterable[Condition]) -> dict[str, Condition]:
    """Return these conditions and the built-in ones, by id."""
    return {condition.id: condition for condition in (*BUILT_IN, *conditions)}
