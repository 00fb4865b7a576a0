"""Dates, times and instants of a body that are none, each with its path: the reference tells the first without."""

from collections.abc import Iterator
from typing import Final

from octavo.content.input.column_values import store
from octavo.content.input.input_tree import InputNode
from octavo.core.errors import Problem, ValidationError
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.write.present_state import scalar_of
from octavo.schema.automatic import TIMESTAMPS
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_DATES: Final = frozenset({ValueKind.DATE, ValueKind.TIME, ValueKind.DATETIME, ValueKind.TIMESTAMP})


def unreadable_dates(body: InputNode, dialect: Dialect) -> Iterator[Problem]:
    """Of the entry and all components inside. When it was made and changed is not read from bodies."""
    for node in body.walk():
        for name, value in node.scalars.items():
            attribute = scalar_of(node.definition, name)
            if value is None or name in TIMESTAMPS or SCALAR_TYPES[attribute.type].kind not in _DATES:
                continue
            trail = node.trail.child(name)
            try:
                store(attribute, value, trail, dialect)
            except ValidationError as error:
                yield trail.problem(error.message)
