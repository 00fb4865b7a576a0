"""The entries that a write locks: its own, and those it may take targets or components from.

All of them are locked before anything is read, ordered by type and id. So of two concurrent writes the second sees the
result of the first, and there are no deadlocks.

A server supports some thousands of locks for all connections together. So a write of more entries than `MOST_LOCKED`
locks their types instead, which every other write locks in shared mode.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from octavo.content.input.relation_input import InvalidRelations, named_targets
from octavo.database.connection import Links, Transaction
from octavo.query.plan.write import takes_targets
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import link_table
from octavo.schema.attributes import LOCALIZATIONS, AnyAttribute, Relation, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import LARGEST_ID

MOST_LOCKED: Final = 1_000
"""The maximum number of entries that one write locks individually."""
_PREFIX: Final = "octavo: entry "
_TAKING: Final[WeakKeyDictionary[ContentType, tuple[tuple[str, str], ...]]] = WeakKeyDictionary()


def entry_lock(uid: str, entry_id: int) -> str:
    """Return the name of the lock for changing an entry."""
    return f"{_PREFIX}{uid} {entry_id}"


def taken_entries(content_type: ContentType, data: Any) -> set[tuple[str, int]]:
    """Return the entries, by type and id, that an entry's data may take targets from."""
    if not isinstance(data, Mapping):
        return set()
    entries: set[tuple[str, int]] = set()
    for name, target in _taking(content_type):
        if name in data:
            entries.update((target, one) for one in _ids(data[name]))
    return entries


def _type_lock(uid: str) -> str:
    """Return the name of the lock that writes of a type share, and large writes hold exclusively."""
    return f"{_PREFIX}{uid}"


def changes_related_rows(content_type: ContentType, data: Mapping[str, Any]) -> bool:
    """Return whether data changes more than columns of the entry's row.

    Such a change depends on the current state, so concurrent ones must run one after the other.
    """
    return any(name in data and not _is_column(item) for name, item in content_type.attributes.items())


async def lock_entries(connection: Transaction, entries: Iterable[tuple[str, int]]) -> None:
    """Lock the contents of these entries until the end of the transaction."""
    wanted = sorted(set(entries))
    types = sorted({_type_lock(uid) for uid, _ in wanted})
    if len(wanted) > MOST_LOCKED:
        await connection.lock_all(types)
    else:
        await connection.lock_all([entry_lock(uid, one) for uid, one in wanted], shared=types)


async def lock_family(
    connection: Transaction, registry: Registry, dialect: Dialect, content_type: ContentType, entry_id: int, data: Any
) -> None:
    """Lock an entry, its localizations, and entries that its data may take targets from."""
    if not 0 <= entry_id <= LARGEST_ID:
        return
    own = {(content_type.uid, entry_id)}
    entries = taken_entries(content_type, data) | own
    if len(entries) > MOST_LOCKED:
        await lock_entries(connection, entries)
    taken = sorted(entries if len(entries) <= MOST_LOCKED else own)
    table = link_table(registry, content_type, content_type.relation(LOCALIZATIONS))
    links = Links(*map(dialect.quote, (table.name, table.source_column, table.target_column)))
    values = content_type.uid, entry_id, [uid for uid, _ in taken], [one for _, one in taken]
    await connection.lock_linked(_PREFIX, links, values)


def _taking(content_type: ContentType) -> tuple[tuple[str, str], ...]:
    """Return a type's relations that take targets from other entries, each with the target type."""
    taking = _TAKING.get(content_type)
    if taking is None:
        relations = [item for item in content_type.attributes.values() if isinstance(item, Relation)]
        taking = tuple((item.name, str(item.target)) for item in relations if _takes(item))
        _TAKING[content_type] = taking
    return taking


def _takes(relation: Relation) -> bool:
    return takes_targets(relation) or relation.kind in ("morphOne", "morphMany")


def _is_column(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, Scalar)


def _ids(value: Any) -> Iterable[int]:
    try:
        return [int(one) for _, one in named_targets(value) if isinstance(one, int) and 0 < one <= LARGEST_ID]
    except InvalidRelations:
        return []
