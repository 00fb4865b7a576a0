"""EntryTables: the tables of a project's entries: for each definition its table, components and links."""

from collections.abc import Iterator, Mapping

from octavo.core.values import dataclass
from octavo.operations.transfer.archive.schemas import moving_definitions
from octavo.operations.transfer.rows.tables import ID, RowTable, row_table
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.physical_names import (
    ComponentTable,
    LinkTable,
    MorphTable,
    column_name,
    component_table,
    link_table,
    morph_table,
    table_name,
)
from octavo.schema.attributes import CREATORS, AnyAttribute, ComponentField, DynamicZone, Relation
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind


@dataclass(frozen=True, slots=True)
class ScalarColumn:
    """A scalar attribute's column, and the kind of its JSON values."""

    attribute: str
    column: str
    kind: ValueKind


@dataclass(frozen=True, slots=True)
class EntryTable:
    """The table of a definition. `rows` are the id and the columns of `scalars`, in this order.

    `components` are the attributes with components. `joining` is the table that links to them.
    """

    definition: Definition
    rows: RowTable
    scalars: tuple[ScalarColumn, ...]
    components: Mapping[str, ComponentField | DynamicZone]
    joining: RowTable | None

    @property
    def names(self) -> ComponentTable:
        """The columns of `joining`."""
        return component_table(self.definition)

    @property
    def uid(self) -> str:
        return self.definition.uid


class EntryTables:
    """The tables of all definitions in archives, by UID."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._wanted = {table.name: row_table(table) for table in wanted_tables(registry)}
        self.of: dict[str, EntryTable] = {item.uid: self._table(item) for item in moving_definitions(registry)}

    def _table(self, definition: Definition) -> EntryTable:
        scalars = tuple(
            ScalarColumn(attribute.name, column_name(attribute), SCALAR_TYPES[attribute.type].kind)
            for attribute in definition.scalars
        )
        components = {
            name: attribute
            for name, attribute in definition.attributes.items()
            if isinstance(attribute, ComponentField | DynamicZone)
        }
        return EntryTable(
            definition,
            self._wanted[table_name(definition)].with_columns([ID, *(scalar.column for scalar in scalars)]),
            scalars,
            components,
            self._wanted[component_table(definition).name] if components else None,
        )

    def content_types(self) -> Iterator[EntryTable]:
        """Return the tables of content types, without components."""
        return (table for table in self.of.values() if isinstance(table.definition, ContentType))

    def joining_tables(self) -> Iterator[RowTable]:
        """Yield the tables of components, links and morph relations. No table refers to them."""
        for table in self.of.values():
            if table.joining is not None:
                yield table.joining
            for relation in self.relations(table.definition):
                match relation.kind:
                    case "morphToOne":
                        continue
                    case "morphToMany":
                        yield self.morph_rows(morph_table(table.definition, relation.name))
                    case _:
                        yield self.link_rows(link_table(self.registry, table.definition, relation))

    def relations(self, definition: Definition) -> Iterator[Relation]:
        """Yield the relations that this definition stores, without creators."""
        for attribute in definition.attributes.values():
            if isinstance(attribute, Relation) and is_stored_here(definition, attribute):
                yield attribute

    def link_rows(self, link: LinkTable) -> RowTable:
        """Return the table of a relation, without its ids: source, target and their orders."""
        names = (link.source_column, link.target_column, link.order_column, link.inverse_order_column)
        return self._wanted[link.name].with_columns([name for name in names if name is not None])

    def morph_rows(self, morph: MorphTable) -> RowTable:
        """Return the table of a morphToMany relation, without its ids."""
        names = (morph.owner_column, morph.id_column, morph.type_column, morph.field_column, morph.order_column)
        return self._wanted[morph.name].with_columns(names)


def is_stored_here(definition: Definition, attribute: AnyAttribute) -> bool:
    """Return whether this definition stores a relation."""
    if not isinstance(attribute, Relation) or attribute.owner or attribute.kind in ("morphOne", "morphMany"):
        return False
    return not (attribute.name in CREATORS and isinstance(definition, ContentType))
