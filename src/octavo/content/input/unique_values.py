"""Unique values: find the unique values in a body and lock them for a transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from octavo.content.input.column_values import store
from octavo.content.input.input_tree import InputNode
from octavo.content.input.relation_input import read_id
from octavo.content.input_path import TOP, InputPath
from octavo.content.validation.body_validator import UNIQUE_MESSAGE
from octavo.core.errors import Problem, ValidationError
from octavo.database.connection import Transaction, UniqueViolation
from octavo.query.plan.present_state import Rewritten, UniqueFact
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name, table_name
from octavo.query.sql.write.present_state import scalar_of
from octavo.schema.content_types import Definition
from octavo.schema.shared_values import is_unique, shares_unique

_UNIQUE: Final[WeakKeyDictionary[Definition, frozenset[str]]] = WeakKeyDictionary()


def unique_values(
    body: InputNode, own: int | None, dialect: Dialect, translates: int | None = None
) -> dict[UniqueFact, list[InputPath]]:
    """Return the facts to query for the unique values of a body, and the paths of each value.

    `own` is the id of the entry to update; `translates` is the id of the entry that a new localization belongs to.
    Values that cannot be stored are left out, because they are refused anyway.
    """
    places: dict[UniqueFact, list[InputPath]] = {}
    rewritten: dict[tuple[Definition, str], Rewritten | None] = {}
    for node in body.walk():
        unique = _unique_names(node.definition)
        for name in node.scalars if unique else ():
            value = node.scalars[name]
            if value is None or name not in unique:
                continue
            trail = node.trail.child(name)
            attribute = scalar_of(node.definition, name)
            try:
                stored = store(attribute, value, trail, dialect)
            except (ValidationError, TypeError):
                continue
            if isinstance(stored, str | int | float) and "\0" not in str(stored):
                own_id = own if node is body else None
                key = node.definition, name
                if key not in rewritten:
                    rewritten[key] = None if own is None or node is body else _rewritten(body, own, *key)
                if translates is not None and node is body and shares_unique(node.definition, attribute):
                    own_id = translates
                fact = UniqueFact(
                    definition=node.definition,
                    attribute=name,
                    value=stored,
                    own_id=own_id,
                    rewritten=rewritten[key],
                )
                places.setdefault(fact, []).append(trail)
    return places


def _rewritten(body: InputNode, own: int, component: Definition, name: str) -> Rewritten:
    """Return the components that an update replaces. Their current values do not count as duplicates."""
    nodes = [node for node in body.walk() if node.definition is component and name not in node.scalars]
    given = (read_id(node.given_id) for node in nodes if isinstance(node.given_id, int | str))
    kept = tuple(one for one in given if isinstance(one, int))
    return Rewritten(content_type=body.definition, entry_id=own, fields=tuple(body.children), kept=kept)


def _unique_names(definition: Definition) -> frozenset[str]:
    """Return the unique attributes of a definition."""
    names = _UNIQUE.get(definition)
    if names is None:
        names = _UNIQUE[definition] = frozenset(item.name for item in definition.scalars if is_unique(item))
    return names


async def lock_unique_values(connection: Transaction, dialect: Dialect, unique: Mapping[UniqueFact, object]) -> None:
    """Lock the values until the end of the transaction, so that a concurrent writer sees that they are taken."""
    names = sorted(_lock_names(dialect, unique))
    if len(names) == 1:
        await connection.lock(names[0])
    elif names:
        await connection.lock_all(names)


def unique_problem(bodies: Sequence[InputNode], violation: UniqueViolation) -> Problem:
    """Return the problem for a violated unique index. With several bodies, it does not say which one."""
    if len(bodies) > 1:
        return TOP.problem(UNIQUE_MESSAGE)
    for node in (node for body in bodies for node in body.walk()):
        for name, value in node.scalars.items():
            column, table = column_name(scalar_of(node.definition, name)), table_name(node.definition)
            named = violation.index in (f"{table}_{column}_unique", f"{table}.{column}")
            if value is not None and named:
                return node.trail.child(name).problem(UNIQUE_MESSAGE)
    return TOP.problem(UNIQUE_MESSAGE)


def unique_lock(dialect: Dialect, attribute: str, value: object) -> str:
    """Return the name of the lock of a unique value, or of all values of the attribute if a collation compares them."""
    return attribute if dialect.texts_by_collation and isinstance(value, str) else f"{attribute}={value}"


def _lock_names(dialect: Dialect, unique: Iterable[UniqueFact]) -> set[str]:
    return {unique_lock(dialect, f"{fact.definition.uid}.{fact.attribute}", fact.value) for fact in unique}
