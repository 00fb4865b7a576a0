"""Ability: what somebody may do, down to types, fields and entries. Whoever has to know asks it; nothing else decides.

Rights to actions alone, as roles and API tokens have them, are its simple case (`permissions.PermissionSet`). An
ability that knows fields says so (`limits_fields`); one that knows entries has scopes: filters that join every read and
every write.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Final

from octavo.query.ast import Filter

FIND: Final = "find"
CREATE: Final = "create"
UPDATE: Final = "update"
PUBLISH: Final = "publish"


class Ability(ABC):
    """What somebody may do; made once for all who may do the same, and told apart by identity.

    `key` stands for all that it answers: what was prepared for one ability serves every other that has its key. Scopes
    that name somebody bring them into the key.
    """

    __slots__ = ()

    key: str
    everything = False
    """Whether every action is allowed."""
    hides_drafts: Collection[str] = frozenset()
    """The content-types of which what is not published is not there (`PublishedOnly`)."""
    links_by_field = False
    """Whether who may write a relation may link whatever it leads to, as one knows it by its id; others may link what
    they may find."""
    limits_fields = False
    """Whether `reads` and `writes` have to be asked at all."""
    knows_private = False
    """Whether private attributes may be compared, sorted by, and shown where they are named: by a project's code."""

    @abstractmethod
    def allows(self, action: str) -> bool:
        """Whether an action, by its full name (`api::article.article.find`), is allowed."""

    @abstractmethod
    def shows_drafts(self, uid: str) -> bool:
        """Whether drafts of a content-type may be seen where the rule `draftsById` asks."""

    def may(self, action: str, uid: str) -> bool:
        """Whether an action (`find`, `create`) is allowed on a content-type."""
        return self.allows(f"{uid}.{action}")

    def publishes(self, uid: str) -> bool:
        """Whether entries of a content-type that is written may be published, or taken back, with it; of which ones,
        the scope of `publish` says."""
        return True

    def reads(self, uid: str, field: str) -> bool:
        """Whether a field of a content-type may be known: shown, populated, compared, sorted by, searched.

        What lies in components and dynamic zones is named from the content-type down: `seo.metaTitle`. Who may read
        anything inside of a component may read the way to it.
        """
        return True

    def writes(self, uid: str, field: str, action: str) -> bool:
        """Whether a field of a content-type may be set by an action (`create`, `update`); named as for `reads`."""
        return True

    def field_scope(self, uid: str, field: str, action: str = FIND) -> Filter | None:
        """Of which entries, among those in the scope of an action, a field that it reads or writes may be touched.

        None: of all of them. Where rights differ in fields and in conditions, a field is there in some entries only.
        """
        return None

    def names_locale(self, uid: str, field: str, locale: str) -> bool:
        """Whether a right to read or to create a field of a localized type is said to hold in a locale."""
        return True

    def scope(self, uid: str, action: str = FIND) -> Filter | None:
        """Which entries of a content-type an action may be taken on: those that meet the filter; None: all of them.

        That of `find` holds wherever a read leads. It is our own filter: it may name what the actor may not read.
        """
        return None


def reads(ability: Ability, uid: str, field: str) -> bool:
    """Whether a field may be known, of some entries at least."""
    return ability.reads(uid, field)


def reads_always(ability: Ability, uid: str, field: str) -> bool:
    """Whether a field may be known of whichever entry it is."""
    return ability.reads(uid, field) and ability.field_scope(uid, field) is None


def writes_always(ability: Ability, uid: str, field: str) -> bool:
    """Whether a field may be changed of whichever entry there is."""
    if ability.scope(uid, UPDATE) is not None:
        return False
    return ability.writes(uid, field, UPDATE) and ability.field_scope(uid, field, UPDATE) is None


class PublishedOnly:
    """What an ability lets somebody read, less the drafts of the types that `hides_drafts` names."""

    def __init__(self, ability: Ability, hides_drafts: frozenset[str]) -> None:
        self.hides_drafts: Collection[str] = hides_drafts
        self.limits_fields = ability.limits_fields
        self.knows_private = ability.knows_private
        self.reads: Callable[[str, str], bool] = ability.reads
        self.scope: Callable[[str], Filter | None] = ability.scope
        self.field_scope: Callable[[str, str], Filter | None] = ability.field_scope
