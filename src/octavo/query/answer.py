"""Answer: the JSON shape that an API requests, by attribute names. Without one, entries have their REST shape.

GraphQL passes its selection set in this form: keys are aliases; values are attributes, relations with their own
Query, or constants. The content manager passes the fields of an entry that administrators see.
"""

from octavo.core.values import dataclass
from octavo.query.ast import Filter, Query


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar attribute (None: the id, as text). `renamed` maps stored texts to the texts to return."""

    attribute: str | None
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Plain:
    """A scalar attribute as REST shows it (None: the id, as a number)."""

    attribute: str | None


@dataclass(frozen=True, slots=True)
class Fixed:
    """JSON that is the same for every entry."""

    json: str


@dataclass(frozen=True, slots=True)
class Object:
    """An object with its keys and values. A `Guarded` member is left out if its condition is false.

    `own_names`: the keys are the entry's attribute names, as read hooks expect them. `required` lists scalar
    attributes with the JSON that replaces the whole object if the attribute is null.
    """

    members: tuple[tuple[str, "Answer | Guarded"], ...]
    own_names: bool = False
    required: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Guarded:
    """A value that is returned only for entries that match a server-side condition. In a component, the condition
    applies to the entry that contains it."""

    condition: Filter
    answer: "Answer"
    otherwise: str = ""
    """The JSON to return if the condition is false. If empty, the member is left out."""


@dataclass(frozen=True, slots=True)
class Nested:
    """The entries, files or components that an attribute refers to: an object or a list, depending on the attribute.

    `empty` is the JSON of a list without entries, `missing` the JSON of a single target that does not exist. `linked`:
    the value is part of the entry that holds the link, even if the caller cannot read the target on its own (also for
    `Kinds` and `Count`). `backwards`: in reverse link order. A `Guarded` answer here, and in `Kinds`, defines what
    replaces it.
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
    """The number of related entries, optionally only of those that match a server-side condition."""

    attribute: str
    linked: bool = False
    condition: Filter | None = None


@dataclass(frozen=True, slots=True)
class Kinds:
    """The targets of an attribute that can hold several types, by UID: a dynamic zone or a polymorphic relation.

    `others` is returned for each component of a zone that has no branch; with None, these are left out.
    """

    attribute: str
    query: Query
    branches: tuple[tuple[str, "Answer | Guarded"], ...]
    others: Fixed | None = None
    linked: bool = False


Answer = Value | Plain | Fixed | Object | Nested | Count | Kinds
