"""AdminAbility: what an administrator can do, in every API.

It consists of shares: what each grant gives this administrator, with its conditions evaluated. Shares add up: an entry
is visible if any share includes it, and so is each field that one of these shares lists.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from octavo.access.authorization.ability import CREATE, FIND, PUBLISH, UPDATE, Ability
from octavo.access.authorization.actions import FILES
from octavo.access.authorization.admin.fields import fields_of, leaves
from octavo.access.authorization.admin.grants import Grant
from octavo.access.authorization.admin.names import LIBRARY, OF_CONTENT_API, of_entries
from octavo.core.values import dataclass
from octavo.query.ast import At, Compare, Filter, Or
from octavo.query.operators import OPERATORS
from octavo.schema.attributes import TIMESTAMPS
from octavo.schema.content_types import ADMIN_ROLE, ADMIN_USER, FOLDER, USER
from octavo.schema.managed import automatic_names
from octavo.schema.registry import Registry

NEVER: Final[Filter] = At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=()))
"""A filter that no entry matches."""

_SHOWN_OF_ADMINISTRATORS: Final = {
    ADMIN_USER: frozenset({"firstname", "lastname", "username", *TIMESTAMPS}),
    ADMIN_ROLE: frozenset({"name", "code", "description", *TIMESTAMPS}),
}
"""The fields of administrators that any caller can read through relations (security.md, 6)."""

_NEVER_KNOWN: Final = frozenset({(USER, "resetPasswordToken"), (USER, "confirmationToken")})
"""Fields that no caller can compare, sort by or search: their value is enough to take over the account."""

_NO_CONTENT: Final = ("admin::",)

_WHOLLY: Final = frozenset({f"{FILES}.upload", f"{FILES}.destroy", f"{USER}.destroy"})
"""Actions of the content API without checks by entry and field. A partial permission is not enough for them. Creating
and updating users works the same way."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one grant gives: `fields` (None: all) of the entries that match `filter` (None: all)."""

    fields: frozenset[str] | None = None
    filter: Filter | None = None
    locales: frozenset[str] = frozenset()
    """The locales that the grant lists."""

    def covers(self, field: str) -> bool:
        """Return whether the share includes a field, one of its ancestors, or a field inside of it."""
        if self.fields is None or field in self.fields:
            return True
        way = f"{field}."
        return any(way.startswith(f"{name}.") or name.startswith(way) for name in self.fields)


Shares = Mapping[tuple[str, str | None], tuple[Share, ...]]
"""Shares by action and subject."""


class AdminAbility(Ability):
    """The ability of administrators with the same shares; `everything` for super admins.

    `grants` are the grants behind the shares. `knows_private` is set for the admin API, which shows private
    attributes; the content API never does.
    """

    limits_fields = True
    links_by_field = True
    reads_private_files = True

    def __init__(
        self,
        registry: Registry,
        shares: Shares,
        grants: tuple[Grant, ...] = (),
        *,
        everything: bool = False,
        knows_private: bool,
    ) -> None:
        self.grants = grants
        self.everything = everything
        self.knows_private = knows_private
        self._registry = registry
        self._shares = shares
        said = repr((everything, knows_private, sorted(shares.items(), key=repr)))
        self.key = f"admin-{blake2b(said.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"
        self._decided = lru_cache(maxsize=None)(self._decide)  # bounded by the number of fields

    def allows(self, action: str) -> bool:
        """Return whether an action is allowed: an admin action without a subject, or one of the content API."""
        if self.everything or (action, None) in self._shares:
            return True
        uid, _, verb = action.rpartition(".")
        if action in _WHOLLY or (uid == USER and verb in (CREATE, UPDATE)):
            return self.allows_wholly(action)
        renamed = OF_CONTENT_API.get(action)
        if renamed is not None:
            return (renamed, None) in self._shares
        return uid in self._registry.content_types and self.may(verb, uid)

    def may(self, action: str, uid: str) -> bool:
        """Return whether an action (`find`, `create`, `publish`) is allowed on entries of a content type."""
        return self.everything or of_entries(uid, action) in self._shares

    def touches(self, action: str, subject: str | None, field: str | None) -> bool:
        """Return whether an action, by its own name, is granted on a subject and on a field (None: any)."""
        shares = self._shares.get((action, subject), ())
        return any(field is None or share.covers(field) for share in shares)

    def allows_wholly(self, action: str) -> bool:
        """Return whether a content API action is allowed without limits on entries, locales and fields."""
        if self.everything:
            return True
        uid, _, verb = action.rpartition(".")
        renamed = OF_CONTENT_API.get(action)
        asked = (renamed, None) if renamed is not None else of_entries(uid, verb)
        shares = self._shares.get(asked, ()) if asked is not None else ()
        return any(share.filter is None and self._names_all(share, uid) for share in shares)

    def _names_all(self, share: Share, uid: str) -> bool:
        content_type = self._registry.content_types.get(uid)
        if share.fields is None or content_type is None:
            return share.fields is None
        return all(share.covers(path) for path in leaves(fields_of(content_type, self._registry)))

    def shows_drafts(self, uid: str) -> bool:
        """Return whether drafts are visible: in the admin panel they are if the type can be read."""
        return self.may(FIND, uid)

    def publishes(self, uid: str) -> bool:
        return self.may(PUBLISH, uid)

    def reads(self, uid: str, field: str) -> bool:
        return self._decided(uid, field, FIND)[0]

    def writes(self, uid: str, field: str, action: str) -> bool:
        return self._decided(uid, field, action)[0]

    def field_scope(self, uid: str, field: str, action: str = FIND) -> Filter | None:
        return self._decided(uid, field, action)[1]

    def names_locale(self, uid: str, field: str, locale: str) -> bool:
        shares = (share for verb in (FIND, CREATE) for share in self._shares_of(uid, verb))
        return self.everything or any(share.covers(field) and locale in share.locales for share in shares)

    def _shares_of(self, uid: str, action: str) -> tuple[Share, ...]:
        asked = of_entries(uid, action)
        return () if asked is None else self._shares.get(asked, ())

    def scope(self, uid: str, action: str = FIND) -> Filter | None:
        if self.everything or uid.startswith("admin::"):
            return None
        # Creating a localization requires permission to read its source entry. The new entry is checked as a create.
        asked = of_entries(uid, FIND if action == "createLocalization" else action)
        shares = self._shares.get(asked, ()) if asked is not None else ()
        return None if shares and uid == FOLDER else _union(shares)

    def _decide(self, uid: str, field: str, action: str) -> tuple[bool, Filter | None]:
        """Return whether a field can be touched at all, and the filter for the entries within the scope (None: all)."""
        if uid in _SHOWN_OF_ADMINISTRATORS or uid.startswith(_NO_CONTENT):
            return field in _SHOWN_OF_ADMINISTRATORS.get(uid, ()), None
        if (uid, field) in _NEVER_KNOWN:
            return False, None
        if self.everything or uid in LIBRARY or field in automatic_names(self._registry.content_types[uid]):
            return True, None
        asked = of_entries(uid, action)
        shares = self._shares.get(asked, ()) if asked is not None else ()
        covering = tuple(share for share in shares if share.covers(field))
        guard = _union(covering) if covering else NEVER
        return bool(covering), None if guard == _union(shares) else guard


def _union(shares: Iterable[Share]) -> Filter | None:
    """Return a filter for entries in any of the shares; None means all."""
    filters = tuple(dict.fromkeys(share.filter for share in shares))
    if None in filters:
        return None
    known = tuple(one for one in filters if one is not None)
    if len(known) == 1:
        return known[0]
    return Or(items=known) if known else NEVER


def may_touch(ability: Ability, action: str, subject: str | None, field: str | None) -> bool:
    """Return whether an admin action is allowed on at least some entries of a subject, and on a field (None: any)."""
    if ability.everything:
        return True
    return isinstance(ability, AdminAbility) and ability.touches(action, subject, field)
