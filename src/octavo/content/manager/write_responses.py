"""The response to a write by an administrator: what they can read of the entry after it.

An administrator without permission to read the entry gets only its id, dates, state and authors. Fields whose
condition depends on the creator's roles are left out, as in v4, and so are fields whose condition depends on the
creator in the response for a new single type. A read of the entry shows them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from octavo.access.authorization.ability import FIND, Ability
from octavo.content.controllers.reading import ContentReads
from octavo.content.manager.field_visibility import View, build_entry_object
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache, CacheScope
from octavo.query.answer import Guarded, Object
from octavo.query.ast import And, At, Filter, Not, Or
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.attributes import CREATORS, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS
from octavo.schema.content_types import ContentType

_ALWAYS: Final = frozenset({"id", *TIMESTAMPS, PUBLISHED_AT, LOCALE, *CREATORS, LOCALIZATIONS})
_ROLES: Final = "roles"


class WriteResponses:
    """Prepares responses once per ability. `shows_linked`: as for `ManagedEntries`."""

    def __init__(self, reads: ContentReads, caches: CacheScope, *, shows_linked: bool = True) -> None:
        self._shows_linked = shows_linked
        self._reads = reads
        self._prepared: Cache[tuple[Any, ...], PreparedRead] = caches.cache("content manager writes")

    def prepare_response(self, content_type: ContentType, ability: Ability, *, unnamed: bool = False) -> PreparedRead:
        """Return the read for the response, to be bound to an `id`. `unnamed`: conditions on the creator never hold."""
        key = (content_type.uid, ability.key, unnamed)
        prepared = self._prepared.get(key)
        if prepared is not None:
            return prepared
        projection = build_entry_object(
            content_type, self._reads.registry, ability, View.ENTRY, shows_linked=self._shows_linked
        )
        projection = replace(projection, members=tuple(_guarded(content_type, projection, ability, unnamed)))
        request = ReadRequest(content_type=content_type, by=By.ID, projection=projection, drafts=Drafts.ANY)
        return self._prepared.put(key, self._reads.prepare(request, ability))


def _guarded(
    content_type: ContentType, projection: Object, ability: Ability, unnamed: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the response's members with their conditions."""
    scope = ability.scope(content_type.uid, FIND)
    for name, answer in projection.members:
        if name in _ALWAYS:
            yield name, answer
            continue
        conditions = [scope, answer.condition] if isinstance(answer, Guarded) else [scope]
        known = [_as_known(one, unnamed) for one in conditions if one is not None]
        inner = answer.answer if isinstance(answer, Guarded) else answer
        if any(one is None for one in known):
            continue
        items = tuple(one for one in known if one is not None)
        yield name, Guarded(And(items=items), inner) if items else inner


def _as_known(condition: Filter, unnamed: bool) -> Filter | None:
    """Return the part of a condition that can be evaluated for the written entry; None if it cannot match."""
    match condition:
        case And(items=items):
            known = [_as_known(one, unnamed) for one in items]
            return None if None in known else And(items=tuple(one for one in known if one is not None))
        case Or(items=items) if items:
            met = tuple(known_filter for one in items if (known_filter := _as_known(one, unnamed)) is not None)
            return Or(items=met) if met else None
        case At(attribute=name, filter=inner) if name in CREATORS:
            return None if unnamed or _asks_for_roles(inner) else condition
        case _:
            return condition


def _asks_for_roles(condition: Filter) -> bool:
    match condition:
        case And(items=items) | Or(items=items):
            return any(map(_asks_for_roles, items))
        case Not(item=item):
            return _asks_for_roles(item)
        case At(attribute=name):
            return name == _ROLES
        case _:
            return False
