"""ReadRequest: a read as an API describes it: the query, how entries are selected, and the shape of each.

APIs keep one for every known read. `controllers` prepares it for a caller, and runs it as often as needed.
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
    """How the entries of a read are selected."""

    LIST = "list"
    """By the query: a page of the matching entries."""
    ID = "id"
    """By an id, which is passed when the read runs. The query's filters, sort, search and locales are ignored."""
    SINGLE = "single"
    """A single type has one entry in each locale: the one in the requested locale, or all of them (`locale=all`)."""
    COUNT = "count"
    """By the query, too; only the number of entries is returned."""


class Form(Enum):
    """The built-in formats of an entry."""

    REST = "rest"
    """`{"id", "attributes", "meta"}`, relations as `{"data"}`."""
    FLAT = "flat"
    """`{"id", ...}`, without `attributes`, `data` and `meta` all the way down."""
    SERVICE = "service"
    """As `FLAT`, with the `meta` of `REST` in `$meta`, a name that no attribute has: for a project's services."""
    ID = "id"
    """The bare id."""


Projection = Form | Answer
"""The format of an entry. Queries inside an Answer are sanitized, and so is the query of the request."""


class Drafts(Enum):
    """Which publication states the selected entries may have."""

    ASKED = "asked"
    """Published, unless the query includes drafts."""
    SHOWN = "shown"
    """Any within the scope of the caller's permissions; only published ones, if the query requires it."""
    BY_ID = "by id"
    """For a single entry, as the compatibility rule `draftsById` defines: any, or as `ASKED`."""
    ANY = "any"
    """Any: the entries were selected before, by a write or by project code, which is responsible for them. The scope of
    the caller's permissions does not apply to them, only to related entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A read. `locale` is the default locale of localized types, used if the query names none.

    `searches_private`: a search includes private attributes. `given` are the parameters that the query was parsed from,
    if any: of several errors in them, the first is reported. `wraps_morphs`: `Form.REST` returns the targets of
    polymorphic relations in `data` and `attributes`, like all others.
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
