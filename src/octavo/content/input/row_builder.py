"""RowBuilder: build the rows to write from a validated body and the current state.

Raises ValidationError (for values that cannot be stored and missing anchors) and the errors for components of another
entry.
"""

from collections.abc import Container, Mapping, Sequence
from typing import Any

import orjson

from octavo.content.input.column_values import STORERS, store
from octavo.content.input.input_tree import InputNode
from octavo.content.input.link_order import CircularAnchors, ConnectedTwice, UnknownAnchor, place_targets
from octavo.content.input.relation_input import LinkChange, read_id
from octavo.content.input_path import TOP, InputPath
from octavo.core.errors import ApplicationError, OctavoError, ValidationError
from octavo.core.values import dataclass
from octavo.query.plan.write import Held, RowNode
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.attributes import STAMPED, AnyAttribute, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Component, Definition
from octavo.schema.registry import Registry

CIRCULAR_MESSAGE = (
    "A circular reference was found in the connect array. One relation is trying to connect before/after another one"
    " that is trying to connect before/after it"
)


class ForeignComponent(OctavoError):
    """A component in a dynamic zone belongs to another entry. Strapi raises a plain error here."""

    status = 400
    name = "Error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowBuilder:
    """Builds rows. `links` and `held` are the current state of existing rows.

    `place_relations`: problems with relations have a path.
    """

    registry: Registry
    dialect: Dialect
    links: Mapping[tuple[Definition, int, str], Held]
    held: Mapping[tuple[Definition, int, str], Sequence[tuple[str, int]]]
    place_relations: bool = False

    def row(self, node: InputNode, row_id: int | None) -> RowNode:
        """Return the row of a node with the rows of its components, which are written first."""
        row = RowNode(definition=node.definition, id=row_id)
        for name, children in node.children.items():
            row.components[name] = self._children(name, children, row_id, node.definition)
        self._values(node, row)
        for name, change in node.changes.items():
            self._change(row, node.definition.attributes[name], change, node.trail.child(name))
        for name, targets in node.typed.items():
            if node.definition.relation(name).to_many:
                row.morphs[name] = targets
            else:
                row.values[name] = targets[0] if targets else None
        return row

    def _values(self, node: InputNode, row: RowNode) -> None:
        """Set the given values. A new row gets defaults and a value for every attribute, so all INSERTs are alike."""
        given, is_new = node.scalars, row.id is None
        stamped = () if isinstance(node.definition, Component) else STAMPED
        for attribute in node.definition.scalars:
            name = attribute.name
            if name in stamped:
                continue
            if name in given:
                value = given[name]
            elif is_new:
                value = attribute.default if attribute.has_default else None
            else:
                continue
            if value is not None and STORERS[attribute.type] is not None:
                value = store(attribute, value, node.trail.child(name), self.dialect)
            row.values[name] = value
        if is_new:
            row.values |= dict.fromkeys(node.definition.pointers)

    def _children(self, name: str, nodes: Sequence[InputNode], owner: int | None, of: Definition) -> list[RowNode]:
        held = frozenset(() if owner is None else self.held.get((of, owner, name), ()))
        rows: dict[object, RowNode] = {}
        for node in nodes:
            child_id = _known_id(of.attributes[name], node, held) if owner is not None and node.has_id else None
            rows[object() if child_id is None else (node.definition, child_id)] = self.row(node, child_id)
        return list(rows.values())

    def _change(self, row: RowNode, attribute: AnyAttribute, change: LinkChange, trail: InputPath) -> None:
        if isinstance(attribute, Media):
            files = [one for one in change.replaces or () if isinstance(one, int)]
            row.files[attribute.name] = files if attribute.multiple else files[:1]
        elif not isinstance(attribute, Relation):
            raise TypeError(attribute)
        elif attribute.is_morph:
            sources = list(dict.fromkeys(one for one in change.replaces or () if isinstance(one, int)))
            row.sources[attribute.name] = sources if attribute.to_many else sources[:1]
        elif attribute.to_many:
            row.links[attribute.name] = self._ordered(row, attribute, change, trail)
        else:
            row.links[attribute.name] = self._single(row, attribute, change)

    def _current(self, row: RowNode, relation: Relation) -> list[int]:
        held = () if row.id is None else self.links.get((row.definition, row.id, relation.name), ())
        return [target for target, _ in held]

    def _ordered(self, row: RowNode, relation: Relation, change: LinkChange, trail: InputPath) -> list[int]:
        try:
            return place_targets(self._current(row, relation), change)
        except ConnectedTwice as error:
            message = (
                f"The relation with id {error.target} is already connected. You cannot connect the same relation twice."
            )
            raise self._refused(message, trail) from None
        except CircularAnchors:
            raise self._refused(CIRCULAR_MESSAGE, trail) from None
        except UnknownAnchor as error:
            connect = error.connect
            position = orjson.dumps(connect.position).decode()
            message = (
                f"There was a problem connecting relation with id {connect.id} at position {position}."
                f" The relation with id {connect.anchor} needs to be connected first."
            )
            raise self._refused(message, trail) from None

    def _refused(self, message: str, trail: InputPath) -> ValidationError:
        if self.place_relations:
            return ValidationError.from_problems([trail.problem(message)])
        return ValidationError(message)

    def _single(self, row: RowNode, relation: Relation, change: LinkChange) -> list[int]:
        """Return at most one target. Of several, a new row links the first and an existing row the last (observed)."""
        wanted = [int(one) for one in change.targets if isinstance(one, int)]
        if not wanted and change.replaces is None:
            wanted = [target for target in self._current(row, relation) if target not in change.disconnects]
        return wanted[:1] if row.id is None else wanted[-1:]


def _known_id(attribute: AnyAttribute, node: InputNode, held: Container[tuple[str, int]]) -> int | None:
    """Return the id of a component if the entry has it in this attribute; raise an error otherwise."""
    given = node.given_id
    child_id = read_id(given) if isinstance(given, int | str) and not isinstance(given, bool) else None
    if isinstance(child_id, int) and (node.definition.uid, child_id) in held:
        return child_id
    message = f"Some of the provided components in {attribute.name} are not related to the entity"
    raise ForeignComponent(message) if isinstance(attribute, DynamicZone) else ApplicationError(message)


def store_at(definition: Definition, name: str, value: Any, dialect: Dialect) -> Any:
    """Return the stored value of an automatic attribute."""
    attribute = definition.attributes[name]
    assert isinstance(attribute, Scalar), f"{name} is a scalar attribute"
    return store(attribute, value, TOP.child(name), dialect)
