"""Answer: the JSON that a door wants, told in names. Without one, entries are shown as REST shows them.

GraphQL brings its selection set in this form: keys are aliases, values are attributes, relations with their own
Query, or constants. The content manager brings what administrators see of an entry.
"""

from octavo.core.values import dataclass
from octavo.query.ast import Filter, Query


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar attribute (None: the id, as text). `renamed` maps stored texts to what is shown instead."""

    attribute: str | None
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Plain:
    """A scalar attribute as REST shows it (None: the id, as a number)."""

    attribute: str | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """JSON that depends on no entry."""

    json: str


@dataclass(frozen=True, slots=True)
class Object:
    """An object: keys and what stands there. A `Guarded` member is absent where its condition is not met.

    `own_names`: an entry whose keys are its attributes, as hooks of reads know it. `required` are scalar attributes,
    and the JSON that stands in the place of the object where one of them is null.
    """

    members: tuple[tuple[str, "Answer | Guarded"], ...]
    own_names: bool = False
    required: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Guarded:
    """What is shown of those entries only that meet a condition of our own; of a component, the entry it belongs to."""

    condition: Filter
    answer: "Answer"
    otherwise: str = ""
    """The JSON that stands there where the condition is not met; empty: the member is absent."""


@dataclass(frozen=True, slots=True)
class Nested:
    """What one attribute leads to: entries, files, components. One or none, or a list, as the attribute says.

    `empty` is the JSON of a list without entries. `linked`: as a part of the entry that holds the link, whether or not
    the caller may read what it leads to by itself; so for `Kinds` and `Count`. `backwards`: from the last link. What is
    `Guarded` here, and in `Kinds`, says what stands there otherwise. `missing` is the JSON if there is no entry.
    """

    attribute: str
    query: Query
    answer: "Answer | Guarded"
    empty: str = "[]"
    linked: bool = False
    backwards: bool = False
    missing: str = "null"


@dataclass(frozen=True, slots=True)
class Count:
    """The number of entries that a relation leads to; of those that meet a condition of our own."""

    attribute: str
    linked: bool = False
    condition: Filter | None = None


@dataclass(frozen=True, slots=True)
class Kinds:
    """What an attribute of several kinds leads to, by UID: a dynamic zone, a polymorphic relation.

    `others` stands for each component of a zone that has no branch; None leaves these out.
    """

    attribute: str
    query: Query
    branches: tuple[tuple[str, "Answer | Guarded"], ...]
    others: Fixed | None = None
    linked: bool = False


Answer = Value | Plain | Fixed | Object | Nested | Count | Kinds
