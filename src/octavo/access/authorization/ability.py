"""Ability: what an actor can do, down to content types, fields and entries. The single place for permission checks.

Roles and API tokens only have permissions for actions (`permissions.PermissionSet`). An ability with field permissions
sets `limits_fields`; one that depends on entries has scopes: filters added to every read and write.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Any, Final

from octavo.access.authorization.actions import READ_PRIVATE
from octavo.query.ast import And, At, Compare, Filter, Not, Or
from octavo.query.operators import Operand

FIND: Final = "find"
CREATE: Final = "create"
UPDATE: Final = "update"
PUBLISH: Final = "publish"


class Ability(ABC):
    """What an actor can do; shared by all actors with the same permissions and hashed by identity.

    `key` identifies its contents: results prepared for one ability are valid for every ability with the same key. If a
    scope depends on the actor, the key includes the actor.
    """

    __slots__ = ()

    key: str
    everything = False
    """Whether every action is allowed."""
    hides_drafts: Collection[str] = frozenset()
    """The content types whose drafts are hidden (`PublishedOnly`)."""
    links_by_field = False
    """Whether write permission for a relation allows linking any target by id; otherwise only targets the actor can
    find."""
    limits_fields = False
    """Whether callers need to check `reads` and `writes`."""
    limits_drafts = False
    """Whether drafts require `shows_drafts` whatever the rule `draftsById` is."""
    knows_private = False
    """Whether private attributes can be compared, sorted by and shown if named, as in a project's code."""

    @abstractmethod
    def allows(self, action: str) -> bool:
        """Return whether an action, given by its full name (`api::article.article.find`), is allowed."""

    @abstractmethod
    def shows_drafts(self, uid: str) -> bool:
        """Return whether drafts of a content type are visible if `draftsById` is `preview`, or with `limits_drafts`."""

    @property
    def reads_private_files(self) -> bool:
        """Whether responses contain signed URLs of private files, where that needs a permission.

        It applies to all private files. Rules by file would be a `scope` of this action.
        """
        return self.allows(READ_PRIVATE)

    def may(self, action: str, uid: str) -> bool:
        """Return whether an action (`find`, `create`) is allowed on a content type."""
        return self.allows(f"{uid}.{action}")

    def publishes(self, uid: str) -> bool:
        """Return whether a write of this content type can also publish or unpublish. `scope` limits the entries."""
        return True

    def reads(self, uid: str, field: str) -> bool:
        """Return whether a field can be read: shown, populated, compared, sorted by, searched.

        Fields in components and dynamic zones are given as paths from the content type: `seo.metaTitle`. Permission for
        any field in a component includes the component itself.
        """
        return True

    def writes(self, uid: str, field: str, action: str) -> bool:
        """Return whether an action (`create`, `update`) can set a field, named as for `reads`."""
        return True

    def field_scope(self, uid: str, field: str, action: str = FIND) -> Filter | None:
        """Return the filter for the entries, within the action's scope, whose field can be read or written.

        None means all of them. If permissions combine fields with conditions, a field is visible in some entries only.
        """
        return None

    def names_locale(self, uid: str, field: str, locale: str) -> bool:
        """Return whether the permission to read or create a field of a localized type includes a locale."""
        return True

    def scope(self, uid: str, action: str = FIND) -> Filter | None:
        """Return the filter for the entries that an action is allowed on; None means all.

        The filter for `find` applies to every read, also through relations. It is not sanitized, so it can use fields
        that the actor cannot read.
        """
        return None


def reads(ability: Ability, uid: str, field: str) -> bool:
    """Return whether a field can be read in at least some entries."""
    return ability.reads(uid, field)


def reads_always(ability: Ability, uid: str, field: str) -> bool:
    """Return whether a field can be read in every entry."""
    return ability.reads(uid, field) and ability.field_scope(uid, field) is None


def writes_always(ability: Ability, uid: str, field: str) -> bool:
    """Return whether a field can be updated in every entry."""
    if ability.scope(uid, UPDATE) is not None:
        return False
    return ability.writes(uid, field, UPDATE) and ability.field_scope(uid, field, UPDATE) is None


class PublishedOnly:
    """An ability without the drafts of the content types in `hides_drafts`."""

    def __init__(self, ability: Ability, hides_drafts: frozenset[str]) -> None:
        self.hides_drafts: Collection[str] = hides_drafts
        self.limits_fields = ability.limits_fields
        self.knows_private = ability.knows_private
        self.reads: Callable[[str, str], bool] = ability.reads
        self.scope: Callable[[str], Filter | None] = ability.scope
        self.field_scope: Callable[[str, str], Filter | None] = ability.field_scope


class Unconditional(Ability):
    """An ability without permissions that have conditions."""

    limits_fields = True

    def __init__(self, ability: Ability) -> None:
        self._ability = ability
        self.key = f"unconditional-{ability.key}"
        self.everything = ability.everything
        self.hides_drafts = ability.hides_drafts
        self.links_by_field = ability.links_by_field
        self.limits_drafts = ability.limits_drafts
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
