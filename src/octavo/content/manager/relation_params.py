"""Parse the parameters for pages of related entries and of candidates, validated as in Strapi."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.forms import INTEGER, Id, Items, Number, Place, Record, Text, at_least, at_most, check
from octavo.core.forms.printing import type_message
from octavo.core.values import dataclass
from octavo.query.ast import Page
from octavo.query.numbers import MAX_SAFE_INTEGER, exact_number, js_number, read_entry_id

PAGE_SIZE: Final = 10


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A page of candidates that match `text`, without those that `entity` links to and those in `omit`, but with those
    in `include`."""

    page: Page
    text: str | None
    operator: str | None
    entity: Any
    omit: tuple[int, ...]
    include: tuple[int, ...]


class _NumberInText(Number):
    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        if not isinstance(value, str):
            return super().problems(value, place)
        number = js_number(value) if value.strip() else math.nan
        if math.isnan(number):
            return iter([place.problem(type_message(place.name, self.kind, number, value))])
        return super().problems(exact_number(number), place)


class _ListOfIds(Items):
    def problems(self, value: Any, place: Place) -> Iterator[Problem]:
        if isinstance(value, str):
            return iter([place.problem(type_message(place.name, self.kind, None, value))])
        return super().problems(value, place)


_PAGE: Final = {
    "pageSize": _NumberInText(INTEGER, at_least(1), at_most(100)),
    "page": _NumberInText(INTEGER, at_least(1)),
}
_EXISTING: Final = Record(_PAGE)
_CANDIDATES: Final = Record(
    {
        "component": Text(),
        "entityId": Id(),
        "_q": Text(),
        "idsToOmit": _ListOfIds(Id()),
        "idsToInclude": _ListOfIds(Id()),
        **_PAGE,
    }
)


def read_existing(given: Mapping[str, Any]) -> Page:
    """Parse the page of related entries. Raises ValidationError."""
    check(_EXISTING, given)
    return _page(given)


def read_candidates(given: Mapping[str, Any]) -> CandidateQuery:
    """Parse the page of candidates. Raises ValidationError."""
    check(_CANDIDATES, given)
    operator = given.get("_filter")
    return CandidateQuery(
        _page(given),
        given.get("_q") or None,
        operator if isinstance(operator, str) else None,
        given.get("entityId"),
        _ids(given.get("idsToOmit")),
        _ids(given.get("idsToInclude")),
    )


def _page(given: Mapping[str, Any]) -> Page:
    number, size = (
        int(min(js_number(given.get(name, default)), MAX_SAFE_INTEGER))
        for name, default in (("page", 1), ("pageSize", PAGE_SIZE))
    )
    return Page(start=min((number - 1) * size, MAX_SAFE_INTEGER), limit=size, number=number)


def _ids(given: Sequence[Any] | None) -> tuple[int, ...]:
    """Return the valid ids."""
    ids = (read_entry_id(one) for one in given or ())
    return tuple(one for one in ids if one is not None)
