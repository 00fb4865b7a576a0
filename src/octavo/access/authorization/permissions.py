"""Permissions for actions, without limits by field or entry: the abilities of roles and API tokens."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from octavo.access.authorization.ability import Ability
from octavo.core.values import dataclass

READ_ACTIONS = frozenset({"find", "findOne"})


@dataclass(frozen=True, slots=True, eq=False)
class PermissionSet(Ability):
    """The listed actions, or by rule every action or every read.

    `key` identifies the contents: equal contents have equal keys. Sets hash by identity, and `permission_set` returns
    the same object for the same actions.
    """

    key: str
    actions: frozenset[str] = frozenset()
    everything: bool = False
    every_read: bool = False
    knows_private: bool = False

    def allows(self, action: str) -> bool:
        """Return whether `action`, for example `api::article.article.find`, is allowed."""
        if self.everything or action in self.actions:
            return True
        return self.every_read and action.rpartition(".")[2] in READ_ACTIONS

    def shows_drafts(self, uid: str) -> bool:
        """Return whether drafts of a content type are visible under the rule `draftsById`.

        They are with permission to update its entries, and for API tokens that can read everything.
        """
        return self.everything or self.every_read or f"{uid}.update" in self.actions


EVERYTHING = PermissionSet("everything", everything=True)
READS = PermissionSet("reads", every_read=True)
CODE = PermissionSet("code", everything=True, knows_private=True)
"""The permissions of a project's code."""
SERVICES = PermissionSet("services", everything=True)
"""The permissions of its services: everything except private attributes."""


def permission_set(actions: Iterable[str]) -> PermissionSet:
    """Return the set with exactly these actions."""
    return _interned(frozenset(actions))


@lru_cache(maxsize=1024)
def _interned(actions: frozenset[str]) -> PermissionSet:
    contents = "\n".join(sorted(actions)).encode("utf-8", "surrogatepass")
    return PermissionSet(blake2b(contents, digest_size=12).hexdigest(), actions)


NOTHING = permission_set(())
