"""Prevent privilege escalation: administrators can only grant permissions, roles and tokens within their own.

In Strapi, permission to change roles, users or tokens is enough to get any permission.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.ability import AdminAbility
from octavo.access.authorization.admin.grants import Grant
from octavo.access.authorization.role_grants import DEFAULT_ROLES
from octavo.core.errors import ForbiddenError, Problem

TOO_MUCH: Final = "You cannot grant permissions that you do not have"


def check_grants_within(actor: Actor, grants: Mapping[int, Grant]) -> None:
    """Raise ForbiddenError if grants exceed the actor's own permissions.

    The error lists the positions in `permissions` of these grants: the keys of `grants`.
    """
    ability = actor.ability
    if ability.everything:
        return
    own = ability.grants if isinstance(ability, AdminAbility) else ()
    above = [index for index, grant in grants.items() if not all_within([grant], own)]
    if above:
        problems = (Problem(("permissions", str(index)), TOO_MUCH, ForbiddenError.name) for index in above)
        raise ForbiddenError(TOO_MUCH, {"errors": [problem.as_json() for problem in problems]})


def check_actions_within(actor: Actor, actions: Iterable[str]) -> None:
    """Raise ForbiddenError unless the administrator has all of these content API actions, without conditions and
    for every field, as tokens have them."""
    ability = actor.ability
    if ability.everything:
        return
    if not isinstance(ability, AdminAbility) or not all(ability.allows_wholly(action) for action in actions):
        raise ForbiddenError(TOO_MUCH)


def check_users_get_within(actor: Actor, actions: Iterable[str]) -> None:
    """Raise ForbiddenError if an administrator grants users content API actions beyond their own.

    Actions that the default roles of a new database have, which concern only the user's own account, can always be
    granted.
    """
    if actor.kind == "administrator":
        usual = {action for role in DEFAULT_ROLES.values() for action in role.actions}
        check_actions_within(actor, (action for action in actions if action not in usual))


def all_within(grants: Iterable[Grant], own: Sequence[Grant]) -> bool:
    """Return whether each grant is within one in `own`: the same action and subject, all its fields and locales,
    and conditions at least as strict."""
    return all(any(_is_within(grant, mine) for mine in own) for grant in grants)


def _is_within(grant: Grant, mine: Grant) -> bool:
    """Return whether `mine` includes everything that `grant` gives."""
    if (grant.action, grant.subject) != (mine.action, mine.subject):
        return False
    if grant.locales is not None and not grant.locales <= (mine.locales or frozenset()):
        return False  # without locales, a grant of a localized type gives nothing
    if mine.conditions and not (grant.conditions and {*grant.conditions} <= {*mine.conditions}):
        return False
    if mine.fields is None:
        return True
    return grant.fields is not None and all(_covers(mine.fields, name) for name in grant.fields)


def _covers(fields: frozenset[str], name: str) -> bool:
    """Return whether `fields` contains a field or one of its ancestors."""
    parts = name.split(".")
    return any(".".join(parts[:length]) in fields for length in range(1, len(parts) + 1))
