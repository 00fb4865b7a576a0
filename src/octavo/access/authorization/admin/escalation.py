"""Nobody hands on more than they have: roles' rights, roles, tokens.

The reference lets whoever may change roles, people or tokens make themselves whatever they like.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.ability import AdminAbility
from octavo.access.authorization.admin.grants import Grant
from octavo.access.authorization.role_grants import DEFAULT_ROLES
from octavo.core.errors import ForbiddenError, Problem

TOO_MUCH: Final = "You cannot give rights that you do not have"


def check_grants_within(actor: Actor, grants: Mapping[int, Grant]) -> None:
    """Raise ForbiddenError where grants give more than an administrator has by their own roles, with the places in
    `permissions` of those that do: the grants' keys."""
    ability = actor.ability
    if ability.everything:
        return
    own = ability.grants if isinstance(ability, AdminAbility) else ()
    above = [index for index, grant in grants.items() if not all_within([grant], own)]
    if above:
        problems = (Problem(("permissions", str(index)), TOO_MUCH, ForbiddenError.name) for index in above)
        raise ForbiddenError(TOO_MUCH, {"errors": [problem.as_json() for problem in problems]})


def check_actions_within(actor: Actor, actions: Iterable[str]) -> None:
    """Raise ForbiddenError where actions of the content API, as tokens have them, are not all an administrator's own:
    without conditions and with every field."""
    ability = actor.ability
    if ability.everything:
        return
    if not isinstance(ability, AdminAbility) or not all(ability.allows_wholly(action) for action in actions):
        raise ForbiddenError(TOO_MUCH)


def check_users_get_within(actor: Actor, actions: Iterable[str]) -> None:
    """Raise ForbiddenError where an administrator lets users of the site do more than they may do themselves there.

    What the roles of a new database may do, about themselves, anybody may give.
    """
    if actor.kind == "administrator":
        usual = {action for role in DEFAULT_ROLES.values() for action in role.actions}
        check_actions_within(actor, (action for action in actions if action not in usual))


def all_within(grants: Iterable[Grant], own: Sequence[Grant]) -> bool:
    """Whether each grant is within one of one's own: of the same action and subject, with all its fields and locales,
    holding wherever it does."""
    return all(any(_is_within(grant, mine) for mine in own) for grant in grants)


def _is_within(grant: Grant, mine: Grant) -> bool:
    """Whether one grant gives everything that another one gives."""
    if (grant.action, grant.subject) != (mine.action, mine.subject):
        return False
    if grant.locales is not None and not grant.locales <= (mine.locales or frozenset()):
        return False  # without any, a grant is of nothing where there are locales
    if mine.conditions and not (grant.conditions and {*grant.conditions} <= {*mine.conditions}):
        return False
    if mine.fields is None:
        return True
    return grant.fields is not None and all(_covers(mine.fields, name) for name in grant.fields)


def _covers(fields: frozenset[str], name: str) -> bool:
    """Whether a field is named, or something around it."""
    parts = name.split(".")
    return any(".".join(parts[:length]) in fields for length in range(1, len(parts) + 1))
