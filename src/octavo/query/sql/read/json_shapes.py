"""Compile shapes to JSON: the SQL expressions that build the response text of each entry.

Each populated child is a correlated sub-select of its parent, so the statement has the structure of the plan.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from json.encoder import encode_basestring
from typing import Final

from octavo.query.plan.nodes import (
    ALWAYS,
    CountShape,
    GuardShape,
    KindShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    RenderedRun,
    ScalarRun,
    ScalarShape,
    ScalarStyle,
    Selection,
    Shape,
    Step,
    VariantShape,
)
from octavo.query.sql.dialects.base import Dialect, OrderedRows
from octavo.query.sql.physical_names import component_table, morph_table
from octavo.query.sql.read.clauses import ClauseCompiler, correlated
from octavo.query.sql.read.joins import Join
from octavo.schema.attributes import DynamicZone
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES


class StatementTooLong(Exception):
    """The statement would exceed the size limit in bytes."""


_ANY_ALIAS: Final = "\0"
"""Placeholder for the alias in the cached SQL of a run: no name or constant contains it."""
_SEPARATOR: Final = "\x1e"
"""Separates the expressions of a run. JSON keys escape it, and no column has it in its name."""


class JsonParts:
    """The parts of a response's JSON text: constants, of which adjacent ones are merged, and SQL expressions."""

    def __init__(self, dialect: Dialect) -> None:
        self._literal = dialect.literal
        self._found: list[str] = []
        self._constant = ""

    def constant(self, json: str) -> None:
        self._constant += json

    def value(self, expression: str) -> None:
        if self._constant:
            self._found.append(self._literal(self._constant))
            self._constant = ""
        self._found.append(expression)

    def values(self, expressions: Sequence[str]) -> None:
        """Add expressions, the last of which is a value."""
        self.value(expressions[0])
        self._found += expressions[1:]

    def expressions(self) -> list[str]:
        """Return all parts as SQL, in order."""
        return [*self._found, self._literal(self._constant)] if self._constant else self._found


class ShapeCompiler(ClauseCompiler):
    """Compiles the shapes of one statement. `largest` is the maximum response size in bytes."""

    def __init__(
        self,
        registry: Registry,
        dialect: Dialect,
        largest: int,
        most_text: int | None = None,
        *,
        keeps_totals: bool = False,
        keeps_parts: bool = False,
    ) -> None:
        super().__init__(registry, dialect)
        self.keeps_totals, self.keeps_parts = keeps_totals, keeps_parts
        self.manner: object = dialect  # the cache key of rendered scalars
        self._largest = largest
        self._most_text = sys.maxsize if most_text is None else most_text
        self._text = 0
        self._most: int | None = None  # maximum bytes of all lists together, if they are counted
        self._entry = ""  # the alias of the entry that is being written, also inside its components

    def json(self, shape: Shape, alias: str) -> str:
        """Return the JSON text of a shape for the entry in `alias`."""
        parts = JsonParts(self.dialect)
        self.write(shape, alias, parts)
        return self.dialect.concat(parts.expressions())

    def entry_json(self, target: Definition, shape: Shape, alias: str) -> str:
        """Return the JSON text of a shape for an entry or a component inside it."""
        if not isinstance(target, ContentType):
            return self.json(shape, alias)
        around, self._entry = self._entry, alias
        json = self.json(shape, alias)
        self._entry = around
        return json

    def write(self, shape: Shape, alias: str, parts: JsonParts) -> None:
        """Add the parts of a shape's JSON text."""
        match shape:
            case LiteralShape(json=text):
                parts.constant(text)
            case ObjectShape(required=required) if required:
                nulls = " ".join(
                    f"WHEN {self.column(one, alias)} IS NULL THEN {self.literal(json)}" for one, json in required
                )
                parts.value(f"CASE {nulls} ELSE {self.json(replace(shape, required=()), alias)} END")
            case ObjectShape():
                self._object(shape, alias, parts)
            case ScalarShape():
                parts.value(self._scalar(shape, alias))
            case OneShape():
                parts.value(self._one(shape, alias))
            case ManyShape():
                self._many(shape, alias, parts)
            case CountShape():
                parts.value(self._counted(shape, alias))
            case GuardShape(condition=condition, shape=inner, otherwise=otherwise):
                json, beside = self.json(inner, alias), f" ELSE {self.literal(otherwise)}" if otherwise else ""
                parts.value(f"CASE WHEN {self.condition(condition, self._entry)} THEN {json}{beside} END")
            case VariantShape():
                self._variants(shape, alias, parts)

    def _object(self, shape: ObjectShape, alias: str, parts: JsonParts) -> None:
        before = "{"
        for member in shape.members:
            parts.constant(before)
            if isinstance(member, ScalarRun):
                self._run(member, alias, parts)
            else:
                parts.constant(_key(member[0]))
                self.write(member[1], alias, parts)
            before = ","
        if not shape.members:
            parts.constant(before)
        if shape.optional:
            present = self.dialect.concat([self._optional(key, member, alias) for key, member in shape.optional])
            parts.value(present if shape.members else f"substr({present}, 2)")
        parts.constant("}")

    def _optional(self, key: str, member: Shape, alias: str) -> str:
        """Return `,"key":value`, or NULL if there is nothing to show."""
        return self.dialect.concat_or_null(self.literal(f",{_key(key)}"), self.json(member, alias))

    def _run(self, run: ScalarRun, alias: str, parts: JsonParts) -> None:
        """Write `"a":1,"b":2`. A definition's complete run is compiled once and cached for any alias."""
        if not run.whole:
            rendered = self._rendered(run, alias)
        else:
            rendered = run.rendered.get(self.manner) or run.rendered.setdefault(
                self.manner, self._rendered(run, _ANY_ALIAS)
            )
        parts.constant(rendered.key)
        parts.values(rendered.text.replace(_ANY_ALIAS, alias).split(_SEPARATOR))
        self._text += rendered.size
        if self._text > self._most_text:
            raise StatementTooLong

    def _rendered(self, run: ScalarRun, alias: str) -> RenderedRun:
        parts = JsonParts(self.dialect)
        for position, (key, shape) in enumerate(run.members):
            if position:
                parts.constant(f",{_key(key)}")
            parts.value(self._scalar(shape, alias))
        text = _SEPARATOR.join(parts.expressions())
        return RenderedRun(_key(run.members[0][0]), text, len(text))

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        attribute, column = shape.attribute, self.column(shape.attribute, alias)
        if shape.style is ScalarStyle.TEXT:
            return self.dialect.json_quoted(column)
        if attribute is None:
            return column
        kind = SCALAR_TYPES[attribute.type].kind
        write = self.dialect.json_typed if shape.style is ScalarStyle.TYPED else self.dialect.json_scalar
        if not shape.renamed:
            return write(kind, column)
        cases = " ".join(f"WHEN {self.literal(old)} THEN {self.literal(json.dumps(new))}" for old, new in shape.renamed)
        return f"CASE {column} {cases} ELSE {write(kind, column)} END"

    def _one(self, shape: OneShape, alias: str) -> str:
        join, tables, order = self._sub_select(shape.step, shape.selection, alias, single=True)
        entry = self.entry_json(shape.step.target, shape.shape, join.target)
        entry_text = f"SELECT {entry} FROM {tables} ORDER BY {', '.join(order)} LIMIT 1"
        return f"coalesce(({entry_text}), {self.literal(shape.missing)})"

    def _many(self, shape: ManyShape, alias: str, parts: JsonParts) -> None:
        join, tables, order = self._sub_select(shape.step, shape.selection, alias)
        limit = self.limit_value(shape.selection), self.start_value(shape.selection)
        entry = self.entry_json(shape.step.target, shape.shape, join.target)
        self._array(OrderedRows(entry, tables, order, *limit), shape.empty, parts)

    def _array(self, rows: OrderedRows, empty: str, parts: JsonParts) -> None:
        """Write rows as an array. The brackets are separate constants, because concatenation would copy the whole
        text."""
        joined, _, source = self.dialect.join_ordered(rows, self.alias())
        if self._most is not None:
            joined = self.dialect.measured(joined, self._most)
        if empty == "[]":
            parts.constant("[")
            parts.value(f"(SELECT {joined} FROM {source})")
            parts.constant("]")
            return
        array = self.dialect.concat_or_null("'['", joined, "']'")
        wrapped = f"(SELECT {array} FROM {source})"
        parts.value(f"coalesce({wrapped}, {self.literal(empty)})" if empty else wrapped)

    def _sub_select(
        self, step: Step, selection: Selection, alias: str, *, single: bool = False
    ) -> tuple[Join, str, list[str]]:
        """Return the tables and the order of a step's entries; for a single target, the first link is used."""
        join = self.join(step, alias)
        where = correlated(join)
        if selection.condition != ALWAYS:
            where += f" AND {self.condition(selection.condition, join.target)}"
        link_order = join.link_order[-1:] if single else join.link_order
        if selection.backwards:
            link_order = tuple(f"{column} DESC" for column in link_order)
        return join, f"{join.tables}{where}", self.order_terms(selection, join.target, link_order=link_order)

    def _counted(self, shape: CountShape, alias: str) -> str:
        join = self.join(shape.step, alias)
        where = correlated(join)
        if shape.selection.condition != ALWAYS:
            where += f" AND {self.condition(shape.selection.condition, join.target)}"
        return f"(SELECT count(*) FROM {join.tables}{where})"

    def _variants(self, shape: VariantShape, alias: str, parts: JsonParts) -> None:
        unlisted = self._unlisted(shape)
        if not shape.branches and not unlisted:
            parts.value(self.literal(shape.empty) if shape.empty else "NULL")
            return
        if not shape.many:
            parts.value(self._variant_of(shape, f"{alias}.target_type", f"{alias}.target_id", "'null'"))
            return
        row = self.alias()
        if isinstance(shape.attribute, DynamicZone):
            linking = component_table(shape.owner)
            name, key, type_column, id_column = linking.name, "entity_id", "component_type", "component_id"
            conditions = [f"{row}.field = {self.literal(shape.attribute.name)}"]
        else:
            morph = morph_table(shape.owner, shape.attribute.name)
            name, key, type_column, id_column = morph.name, morph.owner_column, morph.type_column, morph.id_column
            conditions = []
        kind = f"{row}.{self.quote(type_column)}"
        if not unlisted:
            conditions.insert(0, f"{kind} IN ({self._literals(branch.target.uid for branch in shape.branches)})")
        variant = self._variant_of(shape, kind, f"{row}.{self.quote(id_column)}", "", unlisted)
        where = " AND ".join([f"{row}.{self.quote(key)} = {alias}.id", *conditions])
        order = (f"{row}.{self.quote('order')}", f"{row}.id")
        rows = OrderedRows(variant, f"{self.quote(name)} {row} WHERE {where}", order)
        if not shape.wrapped:
            self._array(rows, shape.empty, parts)
            return
        array = JsonParts(self.dialect)
        self._array(rows, shape.empty, array)
        parts.value(self.dialect.concat_or_null("""'{"data":'""", self.dialect.concat(array.expressions()), "'}'"))

    def _unlisted(self, shape: VariantShape) -> tuple[str, ...]:
        """Return the UIDs of components without a branch, if the shape shows them."""
        if shape.others is None:
            return ()
        branches = {branch.target.uid for branch in shape.branches}
        return tuple(uid for uid in self.registry.components if uid not in branches)

    def _variant_of(
        self, shape: VariantShape, kind: str, target_id: str, missing: str, unlisted: tuple[str, ...] = ()
    ) -> str:
        cases = []
        for branch in shape.branches:
            alias = self.alias()
            condition = "" if branch.condition == ALWAYS else f" AND {self.condition(branch.condition, alias)}"
            entry = self.entry_json(branch.target, branch.shape, alias)
            table = self.served(branch.target)
            entry_text = f"SELECT {entry} FROM {table} {alias} WHERE {alias}.id = {target_id}{condition}"
            cases.append(f"WHEN {self.literal(branch.target.uid)} THEN ({entry_text})")
        other = (
            f"CASE WHEN {kind} IN ({self._literals(unlisted)}) THEN {self._other(shape, kind)} END" if unlisted else ""
        )
        if not cases:
            return other
        variant = f"CASE {kind} {' '.join(cases)}{other and f' ELSE {other}'} END"
        return f"coalesce({variant}, {missing})" if missing else variant

    def _other(self, shape: VariantShape, kind: str) -> str:
        match shape.others:
            case LiteralShape(json=text):
                return self.literal(text)
            case KindShape(before=before, after=after):
                return self.dialect.concat([self.literal(before), kind, self.literal(after)])
            case None:
                return "NULL"

    def _literals(self, texts: Iterable[str]) -> str:
        return ", ".join(map(self.literal, texts))


def _key(name: str) -> str:
    return f"{encode_basestring(name)}:"
