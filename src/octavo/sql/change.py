"""Changes to INSERT, UPDATE and DELETE statements. The text depends on a change's shape only, and is remembered."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, singledispatchmethod, wraps
from typing import Any, TypeVar, cast

from octavo.plan.changes import (
    AddLinks,
    AddMorphs,
    AttachComponents,
    AttachFiles,
    Change,
    DeleteRows,
    DetachComponents,
    DetachFiles,
    InsertRows,
    OrderLinks,
    PointMorphs,
    RemoveInverseMorphs,
    RemoveLinks,
    RemoveMorphs,
    RowRef,
    TakeLinks,
    TypedTarget,
    UpdateRow,
)
from octavo.schema.attributes import AnyAttribute, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.values import SCALAR_TYPES, ValueKind
from octavo.sql.change_dialect import CHANGE_DIALECTS, MOST_VALUES, ChangeDialect, Statement
from octavo.sql.dialect import quote
from octavo.sql.storage import (
    CREATOR_COLUMNS,
    MORPH_ONE_COLUMNS,
    LinkTable,
    column_name,
    component_table,
    link_table,
    morph_table,
    table_name,
)

FILES_MORPHS = "files_related_morphs"
_INTEGER, _FLOAT, _TEXT = ValueKind.INTEGER, ValueKind.FLOAT, ValueKind.STRING


@dataclass(frozen=True, slots=True)
class Target:
    """A column that values go into."""

    name: str
    kind: ValueKind


def columns_of(attribute: AnyAttribute) -> tuple[Target, ...]:
    """The columns of the own table behind an attribute."""
    if isinstance(attribute, Scalar):
        return (Target(column_name(attribute), SCALAR_TYPES[attribute.type].kind),)
    if attribute.name in CREATOR_COLUMNS:
        return (Target(CREATOR_COLUMNS[attribute.name], _INTEGER),)
    if isinstance(attribute, Relation) and attribute.kind == "morphToOne":
        return (Target(MORPH_ONE_COLUMNS[0], _INTEGER), Target(MORPH_ONE_COLUMNS[1], _TEXT))
    raise TypeError(f"{attribute.name} has no column")


def _columns(definition: Definition, names: tuple[str, ...]) -> tuple[Target, ...]:
    """The columns behind some attributes."""
    return tuple(column for name in names for column in columns_of(definition.attributes[name]))


def _cells(attribute: AnyAttribute, value: Any) -> tuple[Any, ...]:
    """A value, one for each column."""
    if isinstance(attribute, Relation) and attribute.kind == "morphToOne":
        return (value.id, value.type) if isinstance(value, TypedTarget) else (None, None)
    return (value,)


class ChangeCompiler:
    """Compiles changes for one database. A change is one statement, unless it carries very many values."""

    def __init__(self, registry: Registry, dialect_name: str) -> None:
        self.registry = registry
        self.dialect: ChangeDialect = CHANGE_DIALECTS[dialect_name]
        self._columns = lru_cache(maxsize=4096)(_columns)

    @singledispatchmethod
    def compile(self, change: Change) -> list[Statement]:
        """The statements of a change, in order. References are resolved now: compile right before running."""
        raise TypeError(type(change))

    def insert(self, change: InsertRows) -> list[tuple[Statement, tuple[RowRef, ...]]]:
        """The statements of an insertion, each with the references that the ids it answers (ascending) belong to."""
        columns = self._columns(change.definition, change.attributes)
        table = table_name(change.definition)
        if not columns:
            text = f"INSERT INTO {quote(table)} DEFAULT VALUES RETURNING id"
            return [(Statement(text), (ref,)) for ref in change.refs]
        rows = [self._row(change, row, columns) for row in change.rows]
        step = max(1, MOST_VALUES // len(columns))
        return [
            (self._insert(table, columns, rows[at : at + step], returning=True), change.refs[at : at + step])
            for at in range(0, len(rows), step)
        ]

    @compile.register
    def _update_row(self, change: UpdateRow) -> list[Statement]:
        columns = self._columns(change.definition, change.attributes)
        cells = self._row(change, change.values, columns)
        text = _update_text(self.dialect, table_name(change.definition), columns)
        return [Statement(text, (*self._bind(columns, cells), change.id))]

    @compile.register
    def _delete_rows(self, change: DeleteRows) -> list[Statement]:
        return self._where(
            f"DELETE FROM {quote(table_name(change.definition))}", [("id", _INTEGER)], _singles(change.ids)
        )

    @compile.register
    def _attach_components(self, change: AttachComponents) -> list[Statement]:
        table = component_table(change.owner)
        columns = (
            Target(table.entity_column, _INTEGER),
            Target(table.component_column, _INTEGER),
            Target(table.type_column, _TEXT),
            Target(table.field_column, _TEXT),
            Target(table.order_column, _FLOAT),
        )
        rows = [(int(link.owner), int(link.component), link.type, link.field, link.order) for link in change.links]
        return self._inserts(table.name, columns, rows)

    @compile.register
    def _detach_components(self, change: DetachComponents) -> list[Statement]:
        table = component_table(change.owner)
        keys = [(table.entity_column, _INTEGER), (table.field_column, _TEXT)]
        return self._where(f"DELETE FROM {quote(table.name)}", keys, change.places)

    @compile.register
    def _add_links(self, change: AddLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        rows = [(int(source), target, order) for source, target, order in change.links]
        step = MOST_VALUES // 3
        return [self._add_links_part(table, rows[at : at + step]) for at in range(0, len(rows), step)]

    def _add_links_part(self, table: LinkTable, rows: Sequence[tuple[int, int, float]]) -> Statement:
        if table.order_column is None:
            text = _add_links_text(self.dialect, table, len(rows), 2)
            return Statement(text, tuple(value for row in rows for value in row[:2]))
        text = _add_links_text(self.dialect, table, len(rows), 3)
        return Statement(text, tuple(value for row in rows for value in row))

    @compile.register
    def _remove_links(self, change: RemoveLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        keys = [(table.source_column, _INTEGER), (table.target_column, _INTEGER)]
        pairs = [(change.source, target) for target in change.targets]
        return self._where(f"DELETE FROM {quote(table.name)}", keys, pairs)

    @compile.register
    def _take_links(self, change: TakeLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        return self._where(
            f"DELETE FROM {quote(table.name)}", [(table.target_column, _INTEGER)], _singles(change.targets)
        )

    @compile.register
    def _order_links(self, change: OrderLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        if table.order_column is None:
            return []
        step = MOST_VALUES // 2
        parts = [change.orders[at : at + step] for at in range(0, len(change.orders), step)]
        return [
            Statement(
                _order_links_text(self.dialect, table, len(part)),
                (*(value for pair in part for value in pair), change.source),
            )
            for part in parts
        ]

    @compile.register
    def _attach_files(self, change: AttachFiles) -> list[Statement]:
        columns = (
            Target("file_id", _INTEGER),
            Target("related_id", _INTEGER),
            Target("related_type", _TEXT),
            Target("field", _TEXT),
            Target("order", _FLOAT),
        )
        rows = [(link.file, int(link.owner), link.owner_type, link.field, link.order) for link in change.links]
        return self._inserts(FILES_MORPHS, columns, rows)

    @compile.register
    def _detach_files(self, change: DetachFiles) -> list[Statement]:
        keys = [("related_type", _TEXT), ("related_id", _INTEGER), ("field", _TEXT)]
        named = [place for place in change.places if place[2] is not None]
        whole = [place[:2] for place in change.places if place[2] is None]
        begin = f"DELETE FROM {quote(FILES_MORPHS)}"
        return [
            *(self._where(begin, keys, named) if named else []),
            *(self._where(begin, keys[:2], whole) if whole else []),
        ]

    @compile.register
    def _add_morphs(self, change: AddMorphs) -> list[Statement]:
        table = morph_table(change.owner, change.relation.name)
        columns = (
            Target(table.owner_column, _INTEGER),
            Target(table.id_column, _INTEGER),
            Target(table.type_column, _TEXT),
            Target(table.field_column, _TEXT),
            Target(table.order_column, _FLOAT),
        )
        rows = [
            (int(link.owner), int(link.target.id), link.target.type, link.field, link.order) for link in change.links
        ]
        return self._inserts(table.name, columns, rows)

    @compile.register
    def _remove_morphs(self, change: RemoveMorphs) -> list[Statement]:
        """Whatever led there, this side's own list or the field of a target."""
        table = morph_table(change.owner, change.relation.name)
        text = (
            f"DELETE FROM {quote(table.name)} WHERE {quote(table.owner_column)}"
            f" = {self.dialect.placeholder(1, _INTEGER)}"
        )
        return [Statement(text, (change.id,))]

    @compile.register
    def _remove_inverse_morphs(self, change: RemoveInverseMorphs) -> list[Statement]:
        table = morph_table(change.owner, change.relation.name)
        keys = [(table.type_column, _TEXT), (table.id_column, _INTEGER), (table.field_column, _TEXT)]
        place = (change.target.type, int(change.target.id), change.field)
        return self._where(f"DELETE FROM {quote(table.name)}", keys, [place])

    @compile.register
    def _point_morphs(self, change: PointMorphs) -> list[Statement]:
        table, (id_column, type_column) = quote(table_name(change.owner)), map(quote, MORPH_ONE_COLUMNS)
        target = (int(change.target.id), change.target.type)
        first = (self.dialect.placeholder(1, _INTEGER), self.dialect.placeholder(2, _TEXT))
        statements = []
        if not change.fresh:
            text = (
                f"UPDATE {table} SET {id_column} = NULL, {type_column} = NULL"
                f" WHERE {id_column} = {first[0]} AND {type_column} = {first[1]}"
            )
            statements.append(Statement(text, target))
        if change.ids:
            marks = ", ".join(self.dialect.placeholder(number + 3, _INTEGER) for number in range(len(change.ids)))
            text = f"UPDATE {table} SET {id_column} = {first[0]}, {type_column} = {first[1]} WHERE id IN ({marks})"
            statements.append(Statement(text, (*target, *change.ids)))
        return statements

    def _row(
        self, change: InsertRows | UpdateRow, values: tuple[Any, ...], columns: tuple[Target, ...]
    ) -> tuple[Any, ...]:
        """The values of attributes, one for each column."""
        if len(columns) == len(values):
            return values
        attributes = [change.definition.attributes[name] for name in change.attributes]
        return tuple(cell for pair in zip(attributes, values, strict=True) for cell in _cells(*pair))

    def _bind(self, columns: Sequence[Target], cells: Iterable[Any]) -> list[Any]:
        return [
            int(cell) if isinstance(cell, RowRef) else self.dialect.bind(column.kind, cell)
            for column, cell in zip(columns, cells, strict=True)
        ]

    def _insert(
        self, table: str, columns: tuple[Target, ...], rows: Sequence[tuple[Any, ...]], *, returning: bool = False
    ) -> Statement:
        text = _insert_text(self.dialect, table, columns, len(rows), returning)
        return Statement(text, tuple(value for row in rows for value in self._bind(columns, row)))

    def _inserts(self, table: str, columns: tuple[Target, ...], rows: Sequence[tuple[Any, ...]]) -> list[Statement]:
        step = MOST_VALUES // len(columns)
        return [self._insert(table, columns, rows[at : at + step]) for at in range(0, len(rows), step)]

    def _where(
        self, begin: str, keys: Sequence[tuple[str, ValueKind]], places: Sequence[tuple[Any, ...]]
    ) -> list[Statement]:
        step = MOST_VALUES // len(keys)
        parts = [places[at : at + step] for at in range(0, len(places), step)]
        return [
            Statement(
                begin + _where_text(self.dialect, tuple(keys), len(part)),
                tuple(value for place in part for value in place),
            )
            for part in parts
        ]


TextT = TypeVar("TextT", bound=Callable[..., str])
MOST_REMEMBERED_ROWS = 64


def remembered(function: TextT) -> TextT:
    """Remember the texts of small statements; those of large ones differ from request to request."""
    small = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def text(*shape: Any) -> str:
        for part in shape:
            if part.__class__ is int and part > MOST_REMEMBERED_ROWS:
                return function(*shape)
        return small(*shape)

    return cast(TextT, text)


def _singles(ids: Iterable[int]) -> list[tuple[int]]:
    return [(one,) for one in ids]


def _numbered(dialect: ChangeDialect, kinds: Sequence[ValueKind], rows: int) -> list[str]:
    """The placeholders of each row, in parentheses."""
    width = len(kinds)
    return [
        "(" + ", ".join(dialect.placeholder(row * width + i + 1, kind) for i, kind in enumerate(kinds)) + ")"
        for row in range(rows)
    ]


@remembered
def _insert_text(dialect: ChangeDialect, table: str, columns: tuple[Target, ...], rows: int, returning: bool) -> str:
    names = ", ".join(quote(column.name) for column in columns)
    values = ", ".join(_numbered(dialect, [column.kind for column in columns], rows))
    return f"INSERT INTO {quote(table)} ({names}) VALUES {values}{' RETURNING id' if returning else ''}"


@remembered
def _update_text(dialect: ChangeDialect, table: str, columns: tuple[Target, ...]) -> str:
    settings = ", ".join(
        f"{quote(column.name)} = {dialect.placeholder(number, column.kind)}"
        for number, column in enumerate(columns, start=1)
    )
    return f"UPDATE {quote(table)} SET {settings} WHERE id = {dialect.placeholder(len(columns) + 1, _INTEGER)}"


@remembered
def _where_text(dialect: ChangeDialect, keys: tuple[tuple[str, ValueKind], ...], places: int) -> str:
    kinds = [kind for _, kind in keys]
    names = ", ".join(quote(name) for name, _ in keys)
    values = _numbered(dialect, kinds, places)
    if len(keys) == 1:
        return f" WHERE {names} IN ({', '.join(value[1:-1] for value in values)})"
    return f" WHERE ({names}) IN (VALUES {', '.join(values)})"


@remembered
def _add_links_text(dialect: ChangeDialect, table: LinkTable, rows: int, width: int) -> str:
    """A pair that is linked already stays; a new source of a target comes last among its sources."""
    names = [quote(table.source_column), quote(table.target_column)]
    chosen = ["n.column1", "n.column2"]
    if table.order_column is not None:
        names.append(quote(table.order_column))
        chosen.append("n.column3")
    if table.inverse_order_column is not None:
        inverse = quote(table.inverse_order_column)
        names.append(inverse)
        chosen.append(
            f"coalesce((SELECT max(o.{inverse}) FROM {quote(table.name)} o"
            f" WHERE o.{quote(table.target_column)} = n.column2), 0) + 1"
        )
    values = ", ".join(_numbered(dialect, (_INTEGER, _INTEGER, _FLOAT)[:width], rows))
    return (
        f"INSERT INTO {quote(table.name)} ({', '.join(names)}) SELECT {', '.join(chosen)}"
        f" FROM (VALUES {values}) n WHERE true ON CONFLICT DO NOTHING"
    )


@remembered
def _order_links_text(dialect: ChangeDialect, table: LinkTable, rows: int) -> str:
    values = ", ".join(_numbered(dialect, (_INTEGER, _FLOAT), rows))
    source = dialect.placeholder(rows * 2 + 1, _INTEGER)
    return (
        f"UPDATE {quote(table.name)} SET {quote(str(table.order_column))} = n.column2 FROM (VALUES {values}) n"
        f" WHERE {quote(table.source_column)} = {source} AND {quote(table.target_column)} = n.column1"
    )
