"""PreviewAbility: the permissions of a preview token."""

from typing import Final

from octavo.access.authorization.ability import FIND, Ability
from octavo.access.authorization.permissions import READ_ACTIONS
from octavo.query.ast import Filter

_CONTENT: Final = "api::"


class PreviewAbility(Ability):
    """The reads of an administrator in the content API, with drafts of one content type.

    It allows the routes that read the project's content types. Through relations, it also shows users and other entries
    that the administrator can read. Drafts of other content types are hidden whatever the rule `draftsById` is. Fields,
    locales and conditions are limited as for the administrator.
    """

    limits_drafts = True
    links_by_field = False
    knows_private = False

    def __init__(self, ability: Ability, uid: str) -> None:
        self.ability = ability
        self.limits_fields = ability.limits_fields
        self.hides_drafts = ability.hides_drafts
        self.key = f"preview-{uid}-{ability.key}"
        self._uid = uid

    def allows(self, action: str) -> bool:
        is_read = action.startswith(_CONTENT) and action.rpartition(".")[2] in READ_ACTIONS
        return is_read and self.ability.allows(action)

    def may(self, action: str, uid: str) -> bool:
        return self.ability.may(FIND, uid) if action == FIND else super().may(action, uid)

    def shows_drafts(self, uid: str) -> bool:
        return uid == self._uid and self.ability.shows_drafts(uid)

    def publishes(self, uid: str) -> bool:
        return False

    def reads(self, uid: str, field: str) -> bool:
        return self.ability.reads(uid, field)

    def writes(self, uid: str, field: str, action: str) -> bool:
        return False

    def field_scope(self, uid: str, field: str, action: str = "find") -> Filter | None:
        return self.ability.field_scope(uid, field, action)

    def names_locale(self, uid: str, field: str, locale: str) -> bool:
        return self.ability.names_locale(uid, field, locale)

    def scope(self, uid: str, action: str = "find") -> Filter | None:
        return self.ability.scope(uid, action)
