"""Convert steps to joins: the tables between an entry and the targets of an attribute."""

from collections.abc import Callable

from octavo.core.values import dataclass
from octavo.query.plan.nodes import Step
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import (
    CREATOR_COLUMNS,
    FILES_MORPHS,
    component_table,
    link_table,
    morph_table,
)
from octavo.query.sql.served_rows import served_rows
from octavo.schema.attributes import ComponentField, Media, Relation
from octavo.schema.registry import Registry

FILES_TABLE = "files"
NewAlias = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Join:
    """The tables of a step, for a FROM clause.

    `source` is the column of the source entry, `key` the column that equals it; `conditions` apply to every row;
    `target` is the alias of the target's table; `link_order` is the step's own order.
    """

    source: str
    tables: str
    key: str
    target: str
    conditions: tuple[str, ...] = ()
    link_order: tuple[str, ...] = ()

    @property
    def joinable(self) -> str:
        """Return the tables as the right side of another join. Only several tables are put in parentheses."""
        is_single = self.key.startswith(f"{self.target}.")
        return self.tables if is_single else f"({self.tables})"


def join_step(step: Step, parent: str, registry: Registry, dialect: Dialect, alias: NewAlias) -> Join:
    """Return the tables of a step, from the entry in the table `parent`."""
    match step.attribute:
        case ComponentField():
            return _join_component(step, parent, registry, dialect, alias)
        case Media():
            return _join_media(step, parent, dialect, alias)
        case Relation(name=name) if name in CREATOR_COLUMNS:
            target = alias()
            tables = f"{served_rows(step.target, registry, dialect)} {target}"
            return Join(f"{parent}.{dialect.quote(CREATOR_COLUMNS[name])}", tables, f"{target}.id", target)
        case Relation(kind="morphOne" | "morphMany") as relation:
            return _join_inverse_morph(step, relation, parent, registry, dialect, alias)
        case Relation() as relation:
            return _join_link(step, relation, parent, registry, dialect, alias)
        case _:
            raise TypeError(f"no step leads along {step.owner.uid}.{step.attribute.name}")


def _join_link(
    step: Step, relation: Relation, parent: str, registry: Registry, dialect: Dialect, alias: NewAlias
) -> Join:
    link = link_table(registry, step.owner, relation)
    joined, target = alias(), alias()
    target_id = f"{joined}.{dialect.quote(link.target_column)}"
    order = (f"{joined}.{dialect.quote(link.order_column)}",) if link.order_column else ()
    reached = f"{served_rows(step.target, registry, dialect)} {target}"
    return Join(
        source=f"{parent}.id",
        tables=f"{dialect.quote(link.name)} {joined} JOIN {reached} ON {target}.id = {target_id}",
        key=f"{joined}.{dialect.quote(link.source_column)}",
        target=target,
        link_order=(*order, f"{joined}.id"),
    )


def _join_component(step: Step, parent: str, registry: Registry, dialect: Dialect, alias: NewAlias) -> Join:
    linking = component_table(step.owner)
    former = registry.former_names.of(step.owner.uid, step.attribute.name)
    names = [dialect.literal(name) for name in (step.target.uid, *former)]
    joined, target = alias(), alias()
    return Join(
        source=f"{parent}.id",
        tables=f"{dialect.quote(linking.name)} {joined} JOIN {served_rows(step.target, registry, dialect)} {target}"
        f" ON {target}.id = {joined}.component_id",
        key=f"{joined}.entity_id",
        target=target,
        conditions=(
            f"{joined}.field = {dialect.literal(step.attribute.name)}",
            f"{joined}.component_type = {names[0]}"
            if not former
            else f"{joined}.component_type IN ({', '.join(names)})",
        ),
        link_order=(f"{joined}.{dialect.quote('order')}", f"{joined}.id"),
    )


def _join_media(step: Step, parent: str, dialect: Dialect, alias: NewAlias) -> Join:
    joined, target = alias(), alias()
    return Join(
        source=f"{parent}.id",
        tables=f"{FILES_MORPHS} {joined} JOIN {FILES_TABLE} {target} ON {target}.id = {joined}.file_id",
        key=f"{joined}.related_id",
        target=target,
        conditions=(
            f"{joined}.related_type = {dialect.literal(step.owner.uid)}",
            f"{joined}.field = {dialect.literal(step.attribute.name)}",
        ),
        link_order=(f"{joined}.{dialect.quote('order')}", f"{joined}.id"),
    )


def _join_inverse_morph(
    step: Step, relation: Relation, parent: str, registry: Registry, dialect: Dialect, alias: NewAlias
) -> Join:
    """Join an entry with those whose morphToOne or morphToMany relation points to it."""
    target = alias()
    table = f"{served_rows(step.target, registry, dialect)} {target}"
    pointing = step.target.attributes[relation.morph_by or ""]
    if isinstance(pointing, Relation) and pointing.kind == "morphToMany":
        morph = morph_table(step.target, pointing.name)
        joined = alias()
        owner = f"{joined}.{dialect.quote(morph.owner_column)}"
        return Join(
            source=f"{parent}.id",
            tables=f"{dialect.quote(morph.name)} {joined} JOIN {table} ON {target}.id = {owner}",
            key=f"{joined}.{dialect.quote(morph.id_column)}",
            target=target,
            conditions=(
                f"{joined}.{dialect.quote(morph.type_column)} = {dialect.literal(step.owner.uid)}",
                f"{joined}.field = {dialect.literal(relation.name)}",
            ),
            link_order=(f"{joined}.{dialect.quote('order')}", f"{joined}.id"),
        )
    return Join(
        source=f"{parent}.id",
        tables=table,
        key=f"{target}.target_id",
        target=target,
        conditions=(f"{target}.target_type = {dialect.literal(step.owner.uid)}",),
        link_order=(f"{target}.id",),
    )
