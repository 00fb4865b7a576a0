"""Owned components: the components that are deleted with an entry or by a change of it."""

from collections.abc import Iterable, Sequence

from octavo.content.input.prefetch import Prefetched, QueryContext, components_facts, prefetch
from octavo.content.input.row_builder import RowBuilder
from octavo.query.plan.write import OwnedRow, RowNode
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry


def components_held(registry: Registry, found: Prefetched) -> list[OwnedRow]:
    """Return the queried components. Those without a definition are left out, because v4 keeps their rows."""
    known = ((registry.components.get(uid), row.id) for _, row, uid in found.components())
    return [(definition, row_id) for definition, row_id in known if definition is not None]


async def with_nested(
    asking: QueryContext, registry: Registry, dialect: Dialect, rows: Iterable[OwnedRow]
) -> list[OwnedRow]:
    """Return components and all components inside them, with one query per level."""
    owned = list(rows)
    level = owned
    while level:
        owners: dict[Definition, list[int]] = {}
        for definition, row_id in level:
            owners.setdefault(definition, []).append(row_id)
        facts = [fact for definition, ids in owners.items() for fact in components_facts(definition, ids)]
        held = await prefetch(asking, registry, dialect, facts)
        level = components_held(registry, held)
        owned += level
    return owned


def dropped_components(roots: Sequence[RowNode], builder: RowBuilder) -> list[OwnedRow]:
    """Return the components that rows contained before the change and no longer contain."""
    rows = [row for root in roots for row in root.walk()]
    kept = {(row.definition.uid, row.id) for row in rows}
    changed = {(row.definition, row.id, name) for row in rows for name in row.components}
    return [
        (builder.registry.components[uid], component)
        for place, held in builder.held.items()
        if place in changed
        for uid, component in held
        if (uid, component) not in kept and uid in builder.registry.components
    ]
