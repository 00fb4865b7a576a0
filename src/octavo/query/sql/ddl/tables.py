"""The database schema of the registry: tables, columns, indexes and foreign keys, as Strapi v4 creates them.

Column types are abstract names (`string`, `datetime` ...); `ddl` maps them to each database's types.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from octavo.core.values import dataclass
from octavo.query.sql.ddl.indexes import OWN_PREFIX, Index, extra_indexes
from octavo.query.sql.physical_names import (
    CREATOR_COLUMNS,
    MORPH_ONE_COLUMNS,
    LinkTable,
    column_name,
    component_table,
    link_table,
    morph_table,
    table_name,
)
from octavo.schema.attributes import UID, ComponentField, DynamicZone, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

ADMIN_USERS = "admin_users"


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `default` is a JSON value."""

    name: str
    type: str
    nullable: bool = True
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A reference from a column to the `id` of another table."""

    name: str
    column: str
    target: str
    on_delete: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A required or an existing table. The first column of a required one is its `id`."""

    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class SystemTypes(Protocol):
    """How a database defines system tables. Every `Dialect` has these."""

    @property
    def counter_column(self) -> str:
        """The definition of an auto-generated 64-bit id, after its name."""

    @property
    def table_options(self) -> str:
        """The text after the columns."""

    @property
    def inline_indexes(self) -> bool:
        """Whether indexes are defined with the table, in one statement."""

    def system_column(self, column: str) -> str:
        """Return the definition of a column in the database's own types."""


@dataclass(frozen=True, slots=True)
class SystemTable:
    """A system table, which no content type defines. `columns` are SQL that works on every database.

    `counted`: it starts with an auto-increment `id`. `indexes` lists the columns of each index. `added` are columns of
    later versions, which accept null: existing tables get them. `copied`: copies of the database include its rows.
    `kept`: if the table is not copied, the target's rows stay valid, because they refer to no entries.
    """

    name: str
    columns: tuple[str, ...]
    counted: bool = False
    indexes: tuple[tuple[str, ...], ...] = ()
    added: tuple[str, ...] = ()
    copied: bool = True
    kept: bool = False

    def changes(self, columns: Container[str] | None, types: SystemTypes) -> Iterator[tuple[str, str]]:
        """Yield descriptions and scripts of what is missing. `columns` are those of the table, None without it."""
        if columns is None:
            yield f"create table {self.name}", self.script(types)
            return
        for column in self.added:
            if (name := column.partition(" ")[0]) not in columns:
                definition = types.system_column(column)
                yield f"add column {self.name}.{name}", f"ALTER TABLE {self.name} ADD COLUMN {definition}"

    def script(self, types: SystemTypes) -> str:
        """Return the script that creates the table if it is missing. `types` is the dialect."""
        ids = (f"id {types.counter_column}",) if self.counted else ()
        columns = (*ids, *map(types.system_column, (*self.columns, *self.added)))
        indexes = [(f"{self.name}_{number}", f"({', '.join(index)})") for number, index in enumerate(self.indexes, 1)]
        if types.inline_indexes:
            columns, indexes = (*columns, *(f"INDEX {name} {keys}" for name, keys in indexes)), []
        table = f"CREATE TABLE IF NOT EXISTS {self.name} ({', '.join(columns)}){types.table_options}"
        return ";\n".join((table, *(f"CREATE INDEX {name} ON {self.name} {keys}" for name, keys in indexes)))


ID = Column("id", "increments", nullable=False)

_COLUMN_TYPES: dict[ValueKind, str] = {
    ValueKind.STRING: "string",
    ValueKind.TEXT: "text",
    ValueKind.INTEGER: "integer",
    ValueKind.BIG_INTEGER: "bigint",
    ValueKind.FLOAT: "double",
    ValueKind.DECIMAL: "decimal",
    ValueKind.BOOLEAN: "boolean",
    ValueKind.DATE: "date",
    ValueKind.TIME: "time",
    ValueKind.DATETIME: "datetime",
    ValueKind.TIMESTAMP: "timestamp",
    ValueKind.JSON: "json",
}

INTERNAL_TABLES = (
    Table(
        name="strapi_migrations",
        columns=(ID, Column("name", "string"), Column("time", "plain datetime")),
    ),
    Table(
        name="strapi_database_schema",
        columns=(
            ID,
            Column("schema", "plain json"),
            Column("time", "plain datetime"),
            Column("hash", "string"),
        ),
    ),
    Table(
        name="strapi_core_store_settings",
        columns=(
            ID,
            Column("key", "string"),
            Column("value", "text"),
            Column("type", "string"),
            Column("environment", "string"),
            Column("tag", "string"),
        ),
    ),
    Table(
        name="strapi_webhooks",
        columns=(
            ID,
            Column("name", "string"),
            Column("url", "text"),
            Column("headers", "json"),
            Column("events", "json"),
            Column("enabled", "boolean"),
        ),
    ),
    Table(
        name="octavo_state",
        columns=(ID, Column("key", "string", nullable=False), Column("value", "text")),
        indexes=(Index(name="octavo_state_key_unique", columns=("key",), unique=True),),
    ),
)


def wanted_tables(registry: Registry, longest: int | None = None) -> tuple[Table, ...]:
    """Return the tables of all definitions, and the system tables.

    Raises InvalidDefinitions if two definitions need the same table or, with `longest`, if their names are the same
    after truncation to that many bytes.
    """
    definitions = registry.definitions()
    own = dict(extra_indexes(registry))
    main = [(each, _main_table(each, own.get(table_name(each), ()))) for each in definitions]
    joining = [(each, table) for each in definitions for table in _joining_tables(registry, each)]
    _refuse_doubles((*main, *joining), longest)
    return (*INTERNAL_TABLES, *(table for _, table in main), *(table for _, table in joining))


def _refuse_doubles(tables: Iterable[tuple[Definition, Table]], longest: int | None) -> None:
    """Raise InvalidDefinitions for duplicate names. SQLite's names are case-insensitive, so this check is, too."""
    owners = {table.name: "the service itself" for table in INTERNAL_TABLES}
    problems = []
    for definition, table in tables:
        name = table.name.lower().encode()[:longest].decode(errors="ignore")
        if name in owners:
            message = f"table {table.name} is also created for {owners[name]}; rename the collection or the attribute"
            problems.append(DefinitionProblem(definition.source, "", message))
        owners.setdefault(name, definition.uid)
    if problems:
        raise InvalidDefinitions(problems)


def _main_table(definition: Definition, own: tuple[Index, ...]) -> Table:
    name = table_name(definition)
    creators = _creator_columns(definition)
    columns = (ID, *_columns(definition))
    names = {column.name for column in columns}
    return Table(
        name=name,
        columns=columns,
        indexes=(
            *(
                Index(name=each.name, columns=each.columns, unique=each.unique)
                for each in definition.indexes
                if names.issuperset(each.columns)  # an extension may have removed the attribute
            ),
            *(
                Index(name=f"{name}_{column}_unique", columns=(column,), unique=True)
                for column in _unique_columns(definition)
            ),
            *(Index(name=f"{name}_{column}_fk", columns=(column,)) for column in creators),
            *own,
        ),
        foreign_keys=tuple(
            ForeignKey(name=f"{name}_{column}_fk", column=column, target=ADMIN_USERS, on_delete="SET NULL")
            for column in creators
        ),
    )


def _columns(definition: Definition) -> Iterator[Column]:
    for attribute in definition.attributes.values():
        match attribute:
            case Scalar():
                yield _scalar_column(attribute)
            case Relation(kind="morphToOne"):
                id_column, type_column = MORPH_ONE_COLUMNS
                yield Column(id_column, "reference")
                yield Column(type_column, "string")
            case Relation(name=name) if name in CREATOR_COLUMNS and isinstance(definition, ContentType):
                yield Column(CREATOR_COLUMNS[name], "reference")


def _scalar_column(attribute: Scalar) -> Column:
    type_word = _COLUMN_TYPES[SCALAR_TYPES[attribute.type].kind]
    options = attribute.column
    if options is None:
        return Column(column_name(attribute), type_word)
    return Column(column_name(attribute), options.type or type_word, options.nullable, options.default)


def _unique_columns(definition: Definition) -> Iterator[str]:
    """Yield the unique columns: UIDs. `unique` of other attributes is checked on write."""
    for attribute in definition.scalars:
        if isinstance(attribute, UID) or (attribute.column is not None and attribute.column.unique):
            yield column_name(attribute)


def _creator_columns(definition: Definition) -> tuple[str, ...]:
    if not isinstance(definition, ContentType):
        return ()
    return tuple(column for name, column in CREATOR_COLUMNS.items() if name in definition.attributes)


def _joining_tables(registry: Registry, definition: Definition) -> Iterator[Table]:
    if any(isinstance(attribute, ComponentField | DynamicZone) for attribute in definition.attributes.values()):
        yield _component_table(definition)
    for attribute in definition.attributes.values():
        match attribute:
            case Relation(kind="morphToMany"):
                yield _morph_table(definition, attribute)
            case Relation() if _owns_link_table(definition, attribute):
                yield _link_table(registry, definition, attribute)


def _owns_link_table(definition: Definition, relation: Relation) -> bool:
    is_creator = relation.name in CREATOR_COLUMNS and isinstance(definition, ContentType)
    return not (relation.is_morph or relation.mapped_by or is_creator)


def _component_table(definition: Definition) -> Table:
    joining, name = component_table(definition), table_name(definition)
    return Table(
        name=joining.name,
        columns=(
            ID,
            Column(joining.entity_column, "reference"),
            Column(joining.component_column, "reference"),
            Column(joining.type_column, "string"),
            Column(joining.field_column, "string"),
            Column(joining.order_column, "order"),
        ),
        indexes=(
            Index(name=f"{name}_field_index", columns=(joining.field_column,)),
            Index(name=f"{name}_component_type_index", columns=(joining.type_column,)),
            Index(name=f"{name}_entity_fk", columns=(joining.entity_column,)),
            Index(
                name=f"{name}_unique",
                columns=(joining.entity_column, joining.component_column, joining.field_column, joining.type_column),
                unique=True,
            ),
        ),
        foreign_keys=(
            ForeignKey(name=f"{name}_entity_fk", column=joining.entity_column, target=name, on_delete="CASCADE"),
        ),
    )


def _morph_table(definition: Definition, relation: Relation) -> Table:
    joining = morph_table(definition, relation.name)
    name = joining.name
    return Table(
        name=name,
        columns=(
            ID,
            Column(joining.owner_column, "reference"),
            Column(joining.id_column, "reference"),
            Column(joining.type_column, "string"),
            Column(joining.field_column, "string"),
            Column(joining.order_column, "order"),
        ),
        indexes=(
            Index(name=f"{name}_fk", columns=(joining.owner_column,)),
            Index(name=f"{name}_order_index", columns=(joining.order_column,)),
            Index(name=f"{name}_id_column_index", columns=(joining.id_column,)),
        ),
        foreign_keys=(
            ForeignKey(
                name=f"{name}_fk", column=joining.owner_column, target=table_name(definition), on_delete="CASCADE"
            ),
        ),
    )


def _link_table(registry: Registry, definition: Definition, relation: Relation) -> Table:
    """Return the join table that is named after a relation. It stays empty if the other side stores the links."""
    joining = link_table(registry, definition, replace(relation, stored_by=None))
    name, target = joining.name, registry.content_types[str(relation.target)]
    orders = {"order_fk": joining.order_column, "order_inv_fk": joining.inverse_order_column}
    return Table(
        name=name,
        columns=(
            ID,
            Column(joining.source_column, "reference"),
            Column(joining.target_column, "reference"),
            *(Column(column, "order") for column in orders.values() if column is not None),
        ),
        indexes=(
            Index(name=f"{name}_fk", columns=(joining.source_column,)),
            Index(name=f"{name}_inv_fk", columns=(joining.target_column,)),
            Index(name=f"{name}_unique", columns=(joining.source_column, joining.target_column), unique=True),
            *(Index(name=f"{name}_{key}", columns=(column,)) for key, column in orders.items() if column is not None),
            *_inverse_index(joining),
        ),
        foreign_keys=tuple(_link_keys(joining, table_name(definition), table_name(target))),
    )


def _inverse_index(joining: LinkTable) -> Iterator[Index]:
    """Yield Octavo's index for the inverse side: new links are appended to a target's, and sources are read in
    order."""
    if joining.inverse_order_column is not None:
        columns = (joining.target_column, joining.inverse_order_column)
        yield Index(name=f"{OWN_PREFIX}{joining.name}_inverse", columns=columns)


def _link_keys(joining: LinkTable, source: str, target: str) -> Iterator[ForeignKey]:
    for suffix, column, table in (("fk", joining.source_column, source), ("inv_fk", joining.target_column, target)):
        yield ForeignKey(name=f"{joining.name}_{suffix}", column=column, target=table, on_delete="CASCADE")
