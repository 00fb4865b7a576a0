"""Lists as administrators ask for them: the parameters of the reference's panel, less what the caller may not know.

What may not be read is left out of filters and sorts, and so are filters about what does not exist, as in the
reference; a sort by what does not exist is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.access.authorization.strictness import Strictness
from octavo.content.manager.field_visibility import Asked
from octavo.core.errors import InvalidParameter, PaginationError
from octavo.query.ast import And, At, Filter, Not, Or, Page, Query, Sort
from octavo.query.numbers import MAX_SAFE_INTEGER, js_number
from octavo.query.panel_page import panel_page
from octavo.query.params import read_query
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

PAGE_SIZE: Final = 10
_LENIENT: Final = Strictness(drop_top=True, drop_below=True)
_KNOWN: Final = ("filters", "sort", "fields", "locale", "publicationState", "_q")


def read_list(
    given: Mapping[str, Any], content_type: ContentType, registry: Registry, ability: Ability
) -> tuple[Query, Asked]:
    """The list that the parameters of a request ask for, and what it shows of each entry besides.

    Raises ValidationError and its kin with the exact place.
    """
    query = replace(read_allowed(given, _KNOWN, content_type, registry, ability), page=read_page(given))
    fields = None if query.fields is None else frozenset(query.fields)
    populate = given.get("populate")
    named = populate if isinstance(populate, Mapping) else ()
    related = frozenset((*named, *_first_names(query.filters)))
    return query, Asked(fields, related, all_related=populate == "*")


def read_allowed(
    given: Mapping[str, Any], names: Sequence[str], content_type: ContentType, registry: Registry, ability: Ability
) -> Query:
    """What some parameters ask for, less what may not be known. Raises ValidationError and its kin."""
    known = {name: given[name] for name in names if name in given}
    query = read_query(known)
    for sort in query.sort:
        _check_sort(sort, content_type, registry)
    _check_fields(query, content_type)
    return QuerySanitizer(registry, ability, _LENIENT, given=known).sanitize(query, content_type)


def read_page(given: Mapping[str, Any]) -> Page:
    """`page` and `pageSize`, by JavaScript's numbers. Raises PaginationError, ValidationError."""
    number, size = _whole(given, "page", 1), _whole(given, "pageSize", PAGE_SIZE)
    return panel_page(number, size)


def _whole(given: Mapping[str, Any], name: str, default: int) -> int:
    value = given.get(name, default)
    text = ",".join(map(str, value)) if isinstance(value, list) else value
    number = js_number(text)
    if not (number >= 1 and number.is_integer()):
        # The reference has forgotten a size that it does not like by the time it says so.
        received = text if name == "page" and isinstance(text, str) else "undefined"
        raise PaginationError(f"Invalid '{name}' parameter. Expected an integer > 0, received: {received}")
    return int(min(number, MAX_SAFE_INTEGER))


def _check_sort(sort: Sort, definition: Definition, registry: Registry) -> None:
    """Refuse a sort along what does not exist. Raises InvalidParameter."""
    reached: Definition | None = definition
    for name in sort.names:
        if name == "id" and reached is not None:
            return
        attribute = None if reached is None else reached.attributes.get(name)
        if attribute is None:
            raise InvalidParameter(name, ("sort",))
        reached = None if isinstance(attribute, Scalar) else registry.target(attribute)


def _check_fields(query: Query, definition: Definition) -> None:
    """Refuse fields that are no values. Raises InvalidParameter."""
    for name in query.fields or ():
        if name != "id" and not isinstance(definition.attributes.get(name), Scalar):
            raise InvalidParameter(name, ("fields",))


def _first_names(asked: Filter | None) -> Iterator[str]:
    """The attributes of the entries themselves that a filter leads along."""
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                yield from _first_names(item)
        case Not(item=item):
            yield from _first_names(item)
        case At(attribute=name):
            yield name
