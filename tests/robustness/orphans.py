"""Find orphaned rows: links, components and media links with a missing end."""

from collections.abc import Iterator

from octavo.query.sql.physical_names import CREATOR_COLUMNS, component_table, link_table, table_name
from octavo.schema.attributes import ComponentField, DynamicZone, Relation
from octavo.schema.content_types import Component, Definition
from octavo.schema.registry import Registry
from tests.robustness.sites import AttackedSite


def orphans(site: AttackedSite) -> list[str]:
    """Return all orphaned rows, as `table|id|missing`."""
    return site.run_sql(" UNION ALL ".join(_searches(site.registry)) + " ORDER BY 1, 2")


def _searches(registry: Registry) -> Iterator[str]:
    for definition in registry.definitions():
        if any(isinstance(item, ComponentField | DynamicZone) for item in definition.attributes.values()):
            yield from _of_components(definition, registry)
        for relation in definition.attributes.values():
            if isinstance(relation, Relation) and not _has_no_table(relation):
                yield from _of_links(definition, relation, registry)
        if not isinstance(definition, Component):
            yield _missing("files_related_morphs", "related_id", definition, f"related_type = '{definition.uid}'")
    yield from _unowned(registry)


def _has_no_table(relation: Relation) -> bool:
    return relation.is_morph or relation.name in CREATOR_COLUMNS or bool(relation.mapped_by)


def _of_components(owner: Definition, registry: Registry) -> Iterator[str]:
    linking = component_table(owner)
    yield _missing(linking.name, linking.entity_column, owner)
    for component in registry.components.values():
        of_kind = f"{linking.type_column} = '{component.uid}'"
        yield _missing(linking.name, linking.component_column, component, of_kind)


def _of_links(owner: Definition, relation: Relation, registry: Registry) -> Iterator[str]:
    link = link_table(registry, owner, relation)
    yield _missing(link.name, link.source_column, owner)
    yield _missing(link.name, link.target_column, registry.content_types[str(relation.target)])


def _unowned(registry: Registry) -> Iterator[str]:
    """Return components without an entry."""
    for component in registry.components.values():
        held = [
            f"SELECT component_id FROM {component_table(owner).name} WHERE component_type = '{component.uid}'"
            for owner in registry.definitions()
            if any(isinstance(item, ComponentField | DynamicZone) for item in owner.attributes.values())
        ]
        table = table_name(component)
        yield f"SELECT '{table}', id, 'owner' FROM {table} WHERE id NOT IN ({' UNION '.join(held)})"


def _missing(table: str, column: str, target: Definition, condition: str = "1 = 1") -> str:
    ids = f'SELECT id FROM "{table_name(target)}"'
    return f"SELECT '{table}', id, '{column}' FROM \"{table}\" WHERE {condition} AND {column} NOT IN ({ids})"
