"""Facts: the queries of a write about the current data, combined in one statement. Names are resolved."""

from typing import Any

from octavo.core.values import dataclass
from octavo.schema.content_types import ContentType, Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFact:
    """Whether an entry exists, whether it is published, and its locale. At most one row: `(published, locale)`.

    `published` is 0 for a draft, 1 for a published entry, 2 for an entry scheduled for after `moment`, in milliseconds
    since 1970. Without a moment, 2 is not used.
    """

    content_type: ContentType
    id: int
    moment: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetsFact:
    """Which of these entries exist. One row for each."""

    definition: Definition
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """The components that an update replaces: those in these fields of an entry, except components whose value is kept.

    `kept` are the ids of components that the request body includes without a value for the attribute.
    """

    content_type: Definition
    entry_id: int
    fields: tuple[str, ...]
    kept: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueFact:
    """Whether a value is already used. Returns a row if an entry other than `own_id` has it. Values shared across
    localizations are compared with entries other than these; values of components with those not being replaced."""

    definition: Definition
    attribute: str
    value: Any
    own_id: int | None = None
    rewritten: Rewritten | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksFact:
    """The targets linked to a source. One row for each, with its order."""

    owner: Definition
    relation: str
    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentsFact:
    """The components of some owners in these fields (None: in all)."""

    owner: Definition
    ids: tuple[int, ...]
    fields: tuple[str, ...] | None = None


Fact = EntryFact | TargetsFact | UniqueFact | LinksFact | ComponentsFact


@dataclass(frozen=True, slots=True)
class FactRow:
    """One row of a fact's result. The meaning of the fields depends on the fact."""

    id: int
    owner: int | None
    type: str | None
    field: str | None
    order: float | None
