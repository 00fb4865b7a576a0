"""ReadRequest: one read as a door asks for it: what is asked, by what entries are chosen, what is shown of each.

Doors have one for every read they know; `controllers` prepares it for somebody, and runs it as often as it is asked.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from octavo.core.values import dataclass
from octavo.query.answer import Answer
from octavo.query.ast import EVERYTHING, Query
from octavo.schema.content_types import Definition


class By(Enum):
    """What chooses the entries of a read."""

    LIST = "list"
    """The query: a page of all that it leaves."""
    ID = "id"
    """An id, which is given when the read runs. The query's filters, sort, search and locales choose nothing."""
    SINGLE = "single"
    """A single type has one entry in each locale: the one in the locale asked for, or all of them (`locale=all`)."""
    COUNT = "count"
    """The query, too; only the number of entries is asked for."""


class Form(Enum):
    """The forms in which an entry is shown that no door has to describe."""

    REST = "rest"
    """`{"id", "attributes", "meta"}`, relations as `{"data"}`."""
    FLAT = "flat"
    """`{"id", ...}`, without `attributes`, `data` and `meta` all the way down."""
    SERVICE = "service"
    """As `FLAT`, with the `meta` of `REST` in `$meta`, a name that no attribute has: for a project's services."""
    ID = "id"
    """The bare id."""


Projection = Form | Answer
"""What is shown of an entry. An Answer is made of Queries that are sanitized already, and so is the query beside it."""


class Drafts(Enum):
    """Which publication states the chosen entries may be in."""

    ASKED = "asked"
    """Published, unless the query asks for drafts too."""
    SHOWN = "shown"
    """Any that the scope of the caller's ability holds; only published ones, if the query asks for these."""
    BY_ID = "by id"
    """As the compatibility rule `draftsById` has it for a single entry: any, or as `ASKED`."""
    ANY = "any"
    """Any: the entries have been chosen before, by a write or by a project's code, which answer for that. No scope of
    the caller's ability holds for them either, only for what they lead to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A read. `locale` is the default one of localized types, where the query names none.

    `searches_private`: a search looks into private attributes, too. `given` are the parameters that the query was read
    from, if it was: of several faults in them the first is told. `wraps_morphs`: `Form.REST` shows the targets of
    polymorphic relations in `data` and `attributes`, as all others.
    """

    content_type: Definition
    query: Query = EVERYTHING
    by: By = By.LIST
    projection: Projection = Form.REST
    drafts: Drafts = Drafts.ASKED
    locale: str | None = None
    wraps_morphs: bool = False
    searches_private: bool = False
    given: Mapping[str, Any] = field(default_factory=dict, compare=False)
