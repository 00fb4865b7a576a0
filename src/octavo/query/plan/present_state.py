"""Facts: what a write has to know about the present state, asked in one statement. Names resolved, values typed."""

from typing import Any

from octavo.core.values import dataclass
from octavo.schema.content_types import ContentType, Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFact:
    """Whether an entry is there, whether it is published, and its locale. One row at most: `(published, locale)`.

    `published` is 0 for a draft, 1 for what is published, 2 for what is to be published after `moment`, in milliseconds
    since 1970; without a moment nothing is.
    """

    content_type: ContentType
    id: int
    moment: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetsFact:
    """Which of these entries exist. A row for each."""

    definition: Definition
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What an update writes anew: components in these fields of an entry, but for those that keep their value.

    `kept` are the ids of components that the body names without a value for the attribute.
    """

    content_type: Definition
    entry_id: int
    fields: tuple[str, ...]
    kept: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueFact:
    """Whether a value is taken. A row if it is, by another than `own_id`; of values that localizations share, by
    another than its localizations; of values of components, by another than those that the update writes anew."""

    definition: Definition
    attribute: str
    value: Any
    own_id: int | None = None
    rewritten: Rewritten | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksFact:
    """The targets linked to a source. A row for each, with its order."""

    owner: Definition
    relation: str
    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentsFact:
    """The components that some owners hold, in these fields (None: in all)."""

    owner: Definition
    ids: tuple[int, ...]
    fields: tuple[str, ...] | None = None


Fact = EntryFact | TargetsFact | UniqueFact | LinksFact | ComponentsFact


@dataclass(frozen=True, slots=True)
class FactRow:
    """One row of the answer to a fact. What the fields mean depends on the fact."""

    id: int
    owner: int | None
    type: str | None
    field: str | None
    order: float | None
