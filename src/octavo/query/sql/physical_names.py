"""The names of tables and columns for definitions and attributes, as in Strapi v4 (observed.md, 11).

Only names; column types are in `tables`. All functions are pure functions of the registry. They are cached by names,
not by definitions, which would keep old registries in memory.
"""

from collections.abc import Iterator
from functools import lru_cache

from octavo.core.values import dataclass
from octavo.schema.attributes import CREATED_BY, UPDATED_BY, Relation, Scalar
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.naming import singular_of, snake_case
from octavo.schema.registry import Registry

FILES_MORPH_ATTRIBUTE = "related"
MORPH_ONE_COLUMNS = ("target_id", "target_type")  # of every morphToOne, whatever its name
FILES_MORPHS = "files_related_morphs"
CREATOR_COLUMNS = {CREATED_BY: "created_by_id", UPDATED_BY: "updated_by_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTable:
    """The join table of a relation, seen from one side.

    `source_column` holds the id of the source entry, `target_column` those of its related entries; `order_column`
    orders the targets of one source, `inverse_order_column` the sources of one target. `owner` and `attribute` are the
    side that the table is named after.
    """

    name: str
    source_column: str
    target_column: str
    order_column: str | None
    inverse_order_column: str | None

    def reversed(self) -> "LinkTable":
        """Return the same table seen from the other side."""
        return LinkTable(
            name=self.name,
            source_column=self.target_column,
            target_column=self.source_column,
            order_column=self.inverse_order_column,
            inverse_order_column=self.order_column,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MorphTable:
    """The table of a morphToMany relation (files refer to their owners in the same way).

    `owner_column` holds the id of the entry that owns the relation, `id_column` and `type_column` identify the target.
    """

    name: str
    owner_column: str
    id_column: str
    type_column: str
    field_column: str = "field"
    order_column: str = "order"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentTable:
    """The table that links an entry (or a component) to its components."""

    name: str
    entity_column: str = "entity_id"
    component_column: str = "component_id"
    type_column: str = "component_type"
    field_column: str = "field"
    order_column: str = "order"


def table_name(definition: Definition) -> str:
    """Return the table of a content type's entries, or of a component."""
    return definition.collection_name


def singular_name(definition: Definition) -> str:
    """Return the singular name that link columns are named after."""
    return definition.singular_name if isinstance(definition, ContentType) else singular_of(definition.uid)


def column_name(attribute: Scalar) -> str:
    """Return the column of a scalar attribute."""
    return snake_case(attribute.name)


def component_table(definition: Definition) -> ComponentTable:
    """Return the table that links a definition's entries to their components."""
    return ComponentTable(name=f"{definition.collection_name}_components")


def link_table(registry: Registry, definition: Definition, relation: Relation) -> LinkTable:
    """Return the join table of a relation that is not a morph relation, seen from `definition`."""
    owner, owning, inverse = registry.owner(definition, relation)
    target = registry.content_types[str(owning.target)]
    orders = owning.to_many, _orders_inverse(owning)
    inverse = inverse or _names_itself(owner, owning)
    return _link_table(owner.collection_name, owning.name, singular_name(owner), singular_name(target), orders, inverse)


@lru_cache(maxsize=8192)
def _link_table(
    collection: str, relation: str, source: str, target: str, orders: tuple[bool, bool], inverse: bool
) -> LinkTable:
    """Return a join table by the names of both sides. `orders`: whether targets and sources are ordered."""
    source_column, target_column = snake_case(f"{source}_id"), snake_case(f"{target}_id")
    if source_column == target_column:
        target_column = f"inv_{target_column}"
    order_column = snake_case(f"{target}_order") if orders[0] else None
    inverse_order_column = snake_case(f"{source}_order") if orders[1] else None
    if order_column is not None and order_column == inverse_order_column:
        inverse_order_column = f"inv_{inverse_order_column}"
    table = LinkTable(
        name=snake_case(f"{collection}_{relation}_links"),
        source_column=source_column,
        target_column=target_column,
        order_column=order_column,
        inverse_order_column=inverse_order_column,
    )
    return table.reversed() if inverse else table


def _names_itself(owner: Definition, relation: Relation) -> bool:
    """Return whether a relation names itself in `inversedBy`: v4 swaps the columns, as seen from the other side."""
    is_own = relation.target == owner.uid and relation.inversed_by == relation.name
    return is_own and relation.kind in ("oneToOne", "manyToMany")


def _orders_inverse(relation: Relation) -> bool:
    return relation.kind in ("manyToOne", "manyToMany") and relation.inversed_by is not None


def morph_table(definition: Definition, attribute_name: str) -> MorphTable:
    """Return the table of a morphToMany relation."""
    return _morph_table(definition.collection_name, singular_name(definition), attribute_name)


@lru_cache(maxsize=1024)
def _morph_table(collection: str, owner: str, attribute_name: str) -> MorphTable:
    column = snake_case(attribute_name)
    return MorphTable(
        name=snake_case(f"{collection}_{attribute_name}_morphs"),
        owner_column=snake_case(f"{owner}_id"),
        id_column=f"{column}_id",
        type_column=f"{column}_type",
    )


def is_component(definition: Definition) -> bool:
    """Return whether entries of this definition are components of other entries."""
    return isinstance(definition, Component)


def morph_tables(registry: Registry) -> Iterator[MorphTable]:
    """Yield the tables of polymorphic links: of files, and of morphToMany relations."""
    return (morph_table(owner, relation.name) for owner, relation in registry.morph_lists)
