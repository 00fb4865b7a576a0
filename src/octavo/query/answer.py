"""Answer: the JSON that a door wants, told in names. Without one, entries are shown as REST shows them.

GraphQL brings its selection set in this form: keys are aliases, values are attributes, relations with their own
Query, or constants.
"""

from dataclasses import dataclass

from octavo.query.ast import Query


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar attribute (None: the id, as text). `renamed` maps stored texts to what is shown instead."""

    attribute: str | None
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Fixed:
    """JSON that depends on no entry."""

    json: str


@dataclass(frozen=True, slots=True)
class Object:
    """An object: keys and what stands there."""

    members: tuple[tuple[str, "Answer"], ...]


@dataclass(frozen=True, slots=True)
class Nested:
    """What one attribute leads to: entries, files, components. One or none, or a list, as the attribute says."""

    attribute: str
    query: Query
    answer: "Answer"


@dataclass(frozen=True, slots=True)
class Kinds:
    """What an attribute of several kinds leads to, by UID: a dynamic zone, a polymorphic relation.

    `others` stands for each component of a zone that has no branch; None leaves these out.
    """

    attribute: str
    query: Query
    branches: tuple[tuple[str, "Answer"], ...]
    others: Fixed | None = None


Answer = Value | Fixed | Object | Nested | Kinds
