"""Compile changes to INSERT, UPDATE and DELETE statements. Texts depend on a change's shape only, and are cached."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from octavo.query.plan.changes import (
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
    RowId,
    RowRef,
    Slot,
    TakeLinks,
    TypedTarget,
    UnpointMorphs,
    UpdateRow,
    UpdateRows,
    known,
)
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import (
    CREATOR_COLUMNS,
    FILES_MORPHS,
    MORPH_ONE_COLUMNS,
    ComponentTable,
    LinkTable,
    column_name,
    component_table,
    link_table,
    morph_table,
    table_name,
)
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Chains, Step
from octavo.query.sql.write.change_texts import (
    MOST_REMEMBERED_ROWS,
    Columns,
    Target,
    add_links_text,
    insert_text,
    order_links_text,
    update_rows_text,
    update_text,
    where_text,
)
from octavo.schema.attributes import AnyAttribute, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

RowT = TypeVar("RowT")
_INTEGER, _FLOAT, _TEXT = ValueKind.INTEGER, ValueKind.FLOAT, ValueKind.STRING
_ANY = ComponentTable(name="")  # component tables differ in their names only
_COMPONENT_COLUMNS = Columns(
    (
        Target(_ANY.entity_column, _INTEGER),
        Target(_ANY.component_column, _INTEGER),
        Target(_ANY.type_column, _TEXT),
        Target(_ANY.field_column, _TEXT),
        Target(_ANY.order_column, _FLOAT),
    )
)
_FILE_COLUMNS = Columns(
    (
        Target("file_id", _INTEGER),
        Target("related_id", _INTEGER),
        Target("related_type", _TEXT),
        Target("field", _TEXT),
        Target("order", _FLOAT),
    )
)


def columns_of(attribute: AnyAttribute) -> tuple[Target, ...]:
    """Return the columns of an attribute in the entries' own table."""
    if isinstance(attribute, Scalar):
        return (Target(column_name(attribute), SCALAR_TYPES[attribute.type].kind),)
    if attribute.name in CREATOR_COLUMNS:
        return (Target(CREATOR_COLUMNS[attribute.name], _INTEGER),)
    if isinstance(attribute, Relation) and attribute.kind == "morphToOne":
        return (Target(MORPH_ONE_COLUMNS[0], _INTEGER), Target(MORPH_ONE_COLUMNS[1], _TEXT))
    raise TypeError(f"{attribute.name} has no column")


def _columns(definition: Definition, names: tuple[str, ...], later: str | None = None) -> Columns:
    """Return the columns of some attributes. `later`: as for `UpdateRow`."""
    return Columns(
        replace(column, later=name == later) for name in names for column in columns_of(definition.attributes[name])
    )


def _cells(attribute: AnyAttribute, value: Any) -> tuple[Any, ...]:
    """Split a value into one for each column."""
    if isinstance(attribute, Relation) and attribute.kind == "morphToOne":
        return (value.id, value.type) if isinstance(value, TypedTarget) else (None, None)
    return (value,)


class ChangeCompiler:
    """Compiles changes for one database. A change is one statement, unless it has very many values."""

    def __init__(self, registry: Registry, dialect: Dialect) -> None:
        self.registry = registry
        self.dialect = dialect
        self.chains = None if dialect.chain is None else Chains(dialect.chain)
        self._columns = lru_cache(maxsize=4096)(_columns)
        self._compilers: Mapping[type, Callable[[Any], list[Statement]]] = {
            UpdateRow: self._update_row,
            UpdateRows: self._update_rows,
            DeleteRows: self._delete_rows,
            AttachComponents: self._attach_components,
            DetachComponents: self._detach_components,
            AddLinks: self._add_links,
            RemoveLinks: self._remove_links,
            TakeLinks: self._take_links,
            OrderLinks: self._order_links,
            AttachFiles: self._attach_files,
            DetachFiles: self._detach_files,
            AddMorphs: self._add_morphs,
            RemoveMorphs: self._remove_morphs,
            RemoveInverseMorphs: self._remove_inverse_morphs,
            PointMorphs: self._point_morphs,
            UnpointMorphs: self._unpoint_morphs,
        }

    def compile(self, change: Change) -> list[Statement]:
        """Return the statements of a change, except insertions, in order. Row references must have their ids."""
        return self._compilers[type(change)](change)

    def steps(self, change: Change) -> list[Step]:
        """Return the statements of any change, in order, each with the rows that it inserts."""
        if isinstance(change, InsertRows):
            return self._insert_rows(change)
        return [Step(statement) for statement in self.compile(change)]

    def _insert_rows(self, change: InsertRows) -> list[Step]:
        columns = self._columns(change.definition, change.attributes)
        table = table_name(change.definition)
        if not columns:
            text = f"INSERT INTO {self.dialect.quote(table)} {self.dialect.empty_row} {self.dialect.returning('id')}"
            return [Step(Statement(text), (ref,)) for ref in change.refs]
        rows = [(self._row(change, row, columns), ref) for row, ref in zip(change.rows, change.refs, strict=True)]
        return [
            Step(self._insert(table, columns, [row for row, _ in part], returning=True), tuple(ref for _, ref in part))
            for part in self._parts(rows, len(columns))
        ]

    def _update_row(self, change: UpdateRow) -> list[Statement]:
        columns = self._columns(change.definition, change.attributes, change.later)
        cells = self._row(change, change.values, columns)
        text = update_text(self.dialect, table_name(change.definition), columns)
        return [Statement(text, (*self._bind(columns, cells), change.id))]

    def _update_rows(self, change: UpdateRows) -> list[Statement]:
        columns = self._columns(change.definition, change.attributes, change.later)
        table = table_name(change.definition)
        rows = [
            (row_id, *self._bind(columns, self._row(change, row, columns)))
            for row_id, row in zip(change.ids, change.rows, strict=True)
        ]
        return [
            Statement(update_rows_text(self.dialect, table, columns, len(part)), _flat(part))
            for part in self._parts(rows, len(columns) + 1)
        ]

    def _delete_rows(self, change: DeleteRows) -> list[Statement]:
        return self._where(
            f"DELETE FROM {self.dialect.quote(table_name(change.definition))}", [("id", _INTEGER)], _singles(change.ids)
        )

    def _attach_components(self, change: AttachComponents) -> list[Statement]:
        table = component_table(change.owner)
        rows = [(known(link.owner), known(link.component), link.type, link.field, link.order) for link in change.links]
        return self._inserts(table.name, _COMPONENT_COLUMNS, rows)

    def _detach_components(self, change: DetachComponents) -> list[Statement]:
        table = component_table(change.owner)
        keys = [(table.entity_column, _INTEGER), (table.field_column, _TEXT)]
        return self._where(f"DELETE FROM {self.dialect.quote(table.name)}", keys, change.places)

    def _add_links(self, change: AddLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        rows = [(known(source), target, order) for source, target, order in change.links]
        return [self._add_links_part(table, part) for part in self._parts(rows, 3)]

    def _add_links_part(self, table: LinkTable, rows: Sequence[tuple[RowId, int, float]]) -> Statement:
        width = 2 if table.order_column is None else 3
        repeated = len({target for _, target, _ in rows}) < len(rows)
        text = add_links_text(self.dialect, table, len(rows), width, repeated)
        return Statement(text, _flat(row[:width] for row in rows))

    def _remove_links(self, change: RemoveLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        keys = [(table.source_column, _INTEGER), (table.target_column, _INTEGER)]
        pairs = [(change.source, target) for target in change.targets]
        return self._where(f"DELETE FROM {self.dialect.quote(table.name)}", keys, pairs)

    def _take_links(self, change: TakeLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        return self._where(
            f"DELETE FROM {self.dialect.quote(table.name)}", [(table.target_column, _INTEGER)], _singles(change.targets)
        )

    def _order_links(self, change: OrderLinks) -> list[Statement]:
        table = link_table(self.registry, change.owner, change.relation)
        if table.order_column is None:
            return []
        return [
            Statement(order_links_text(self.dialect, table, len(part)), (*_flat(part), change.source))
            for part in self._parts(change.orders, 2)
        ]

    def _attach_files(self, change: AttachFiles) -> list[Statement]:
        rows = [(link.file, known(link.owner), link.owner_type, link.field, link.order) for link in change.links]
        return self._inserts(FILES_MORPHS, _FILE_COLUMNS, rows)

    def _detach_files(self, change: DetachFiles) -> list[Statement]:
        keys = [("related_type", _TEXT), ("related_id", _INTEGER), ("field", _TEXT)]
        named = [place for place in change.places if place[2] is not None]
        whole = [place[:2] for place in change.places if place[2] is None]
        begin = f"DELETE FROM {self.dialect.quote(FILES_MORPHS)}"
        return [
            *(self._where(begin, keys, named) if named else []),
            *(self._where(begin, keys[:2], whole) if whole else []),
        ]

    def _add_morphs(self, change: AddMorphs) -> list[Statement]:
        table = morph_table(change.owner, change.relation.name)
        columns = Columns(
            (
                Target(table.owner_column, _INTEGER),
                Target(table.id_column, _INTEGER),
                Target(table.type_column, _TEXT),
                Target(table.field_column, _TEXT),
                Target(table.order_column, _FLOAT),
            )
        )
        rows = [
            (known(link.owner), known(link.target.id), link.target.type, link.field, link.order)
            for link in change.links
        ]
        return self._inserts(table.name, columns, rows)

    def _remove_morphs(self, change: RemoveMorphs) -> list[Statement]:
        """Remove the links of this side's list, or of one attribute of the target's side."""
        table = morph_table(change.owner, change.relation.name)
        text = (
            f"DELETE FROM {self.dialect.quote(table.name)} WHERE {self.dialect.quote(table.owner_column)}"
            f" = {self.dialect.placeholder(1, _INTEGER)}"
        )
        return [Statement(text, (change.id,))]

    def _remove_inverse_morphs(self, change: RemoveInverseMorphs) -> list[Statement]:
        table = morph_table(change.owner, change.relation.name)
        keys = [(table.type_column, _TEXT), (table.id_column, _INTEGER)]
        places: list[tuple[Any, ...]] = [(target.type, int(target.id)) for target in change.targets]
        if change.field is not None:
            keys, places = [*keys, (table.field_column, _TEXT)], [(*place, change.field) for place in places]
        return self._where(f"DELETE FROM {self.dialect.quote(table.name)}", keys, places)

    def _unpoint_morphs(self, change: UnpointMorphs) -> list[Statement]:
        columns = [self.dialect.quote(name) for name in MORPH_ONE_COLUMNS]
        text = f"UPDATE {self.dialect.quote(table_name(change.owner))} SET {columns[0]} = NULL, {columns[1]} = NULL"
        keys = [(MORPH_ONE_COLUMNS[0], _INTEGER), (MORPH_ONE_COLUMNS[1], _TEXT)]
        return self._where(text, keys, [(int(target.id), target.type) for target in change.targets])

    def _point_morphs(self, change: PointMorphs) -> list[Statement]:
        columns = [self.dialect.quote(name) for name in MORPH_ONE_COLUMNS]
        marks = [self.dialect.placeholder(1, _INTEGER), self.dialect.placeholder(2, _TEXT)]
        ids = ", ".join(self.dialect.placeholder(number + 3, _INTEGER) for number in range(len(change.ids)))
        table = self.dialect.quote(table_name(change.owner))
        text = f"UPDATE {table} SET {columns[0]} = {marks[0]}, {columns[1]} = {marks[1]} WHERE id IN ({ids})"
        return [Statement(text, (int(change.target.id), change.target.type, *change.ids))]

    def _row(
        self, change: InsertRows | UpdateRow | UpdateRows, values: tuple[Any, ...], columns: Columns
    ) -> tuple[Any, ...]:
        """Return the values of attributes, one for each column."""
        if len(columns) == len(values):
            return values
        attributes = [change.definition.attributes[name] for name in change.attributes]
        return tuple(cell for pair in zip(attributes, values, strict=True) for cell in _cells(*pair))

    def _bind(self, columns: Sequence[Target], cells: Iterable[Any]) -> list[Any]:
        bind = self.dialect.bind
        return [
            cell
            if cell is None or cell.__class__ is str or cell.__class__ is Slot  # texts are stored unchanged
            else known(cell)
            if cell.__class__ is RowRef
            else bind(column.kind, cell)
            for column, cell in zip(columns, cells, strict=True)
        ]

    def _insert(
        self, table: str, columns: Columns, rows: Sequence[tuple[Any, ...]], *, returning: bool = False
    ) -> Statement:
        text = insert_text(self.dialect, table, columns, len(rows), returning)
        return Statement(text, _flat(self._bind(columns, row) for row in rows))

    def _inserts(self, table: str, columns: Columns, rows: Sequence[tuple[Any, ...]]) -> list[Statement]:
        return [self._insert(table, columns, part) for part in self._parts(rows, len(columns))]

    def _where(
        self, begin: str, keys: Sequence[tuple[str, ValueKind]], places: Sequence[tuple[Any, ...]]
    ) -> list[Statement]:
        return [
            Statement(begin + where_text(self.dialect, tuple(keys), len(part)), _flat(part))
            for part in self._parts(places, len(keys))
        ]

    def _parts(self, rows: Sequence[RowT], width: int) -> Iterator[Sequence[RowT]]:
        """Split rows of `width` values into as many as a statement can hold. Large parts have few sizes, powers of two,
        so that databases prepare and cache few statements.
        """
        most = max(1, self.dialect.most_values // width)
        if len(rows) <= min(most, MOST_REMEMBERED_ROWS):
            if rows:
                yield rows
            return
        at = 0
        while at < len(rows):
            size = min(len(rows) - at, most)
            if size > MOST_REMEMBERED_ROWS:
                size = 1 << (size.bit_length() - 1)
            yield rows[at : at + size]
            at += size


def _flat(rows: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(chain.from_iterable(rows))


def _singles(ids: Iterable[int]) -> list[tuple[int]]:
    return [(one,) for one in ids]
