"""Permissions: the ability of those who have rights to actions and nothing finer: roles and API tokens."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from octavo.access.authorization.ability import Ability
from octavo.core.values import dataclass

READ_ACTIONS = frozenset({"find", "findOne"})


@dataclass(frozen=True, slots=True, eq=False)
class PermissionSet(Ability):
    """What is allowed: the actions listed, or by rule every action or every read.

    `key` stands for the contents: equal contents have equal keys, changed contents another one. Sets hash by identity,
    and `permission_set` answers the same object for the same actions.
    """

    key: str
    actions: frozenset[str] = frozenset()
    everything: bool = False
    every_read: bool = False
    knows_private: bool = False

    def allows(self, action: str) -> bool:
        """Whether `action`, for example `api::article.article.find`, is allowed."""
        if self.everything or action in self.actions:
            return True
        return self.every_read and action.rpartition(".")[2] in READ_ACTIONS

    def shows_drafts(self, uid: str) -> bool:
        """Whether drafts of a content-type may be seen where the rule `draftsById` asks: by who may change its entries,
        and by API tokens that may read everything."""
        return self.everything or self.every_read or f"{uid}.update" in self.actions


EVERYTHING = PermissionSet("everything", everything=True)
READS = PermissionSet("reads", every_read=True)
CODE = PermissionSet("code", everything=True, knows_private=True)
"""What a project's code may do."""
SERVICES = PermissionSet("services", everything=True)
"""What its services may do: everything that is no secret."""


def permission_set(actions: Iterable[str]) -> PermissionSet:
    """The set of exactly these actions."""
    return _interned(frozenset(actions))


@lru_cache(maxsize=1024)
def _interned(actions: frozenset[str]) -> PermissionSet:
    contents = "\n".join(sorted(actions)).encode("utf-8", "surrogatepass")
    return PermissionSet(blake2b(contents, digest_size=12).hexdigest(), actions)


NOTHING = permission_set(())
