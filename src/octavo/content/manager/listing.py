"""Lists in the content manager: parse the parameters of v4's admin panel, without what the caller cannot read.

As in Strapi, unreadable attributes are removed from filters and sorts, and so are filters on unknown attributes; a sort
by an unknown attribute is refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.access.authorization.strictness import Strictness
from octavo.content.manager.field_visibility import FieldSelection
from octavo.core.errors import InvalidParameter, PaginationError
from octavo.query.ast import And, At, Filter, Not, Or, Page, Query, Sort
from octavo.query.numbers import MAX_SAFE_INTEGER, js_number
from octavo.query.params import panel_page, read_query
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

PAGE_SIZE: Final = 10
_LENIENT: Final = Strictness(drop_top=True, drop_below=True)
_KNOWN: Final = ("filters", "sort", "fields", "locale", "publicationState", "_q")


def read_list(
    given: Mapping[str, Any], content_type: ContentType, registry: Registry, ability: Ability
) -> tuple[Query, FieldSelection]:
    """Return the query for a request's parameters, and the fields and relations to show.

    Raises ValidationError or a subclass, with the exact path.
    """
    query = replace(read_allowed(given, _KNOWN, content_type, registry, ability), page=read_page(given))
    fields = None if query.fields is None else frozenset(query.fields)
    populate = given.get("populate")
    named = populate if isinstance(populate, Mapping) else ()
    related = frozenset((*named, *_first_names(query.filters)))
    return query, FieldSelection(fields, related, all_related=populate == "*")


def read_allowed(
    given: Mapping[str, Any], names: Sequence[str], content_type: ContentType, registry: Registry, ability: Ability
) -> Query:
    """Parse some parameters and remove what the caller cannot read. Raises ValidationError or a subclass."""
    known = {name: given[name] for name in names if name in given}
    query = read_query(known)
    for sort in query.sort:
        _check_sort(sort, content_type, registry)
    _check_fields(query, content_type)
    return QuerySanitizer(registry, ability, _LENIENT, given=known).sanitize(query, content_type)


def read_page(given: Mapping[str, Any]) -> Page:
    """Parse `page` and `pageSize` as JavaScript numbers. Raises PaginationError and ValidationError."""
    number, size = _whole(given, "page", 1), _whole(given, "pageSize", PAGE_SIZE)
    return panel_page(number, size)


def _whole(given: Mapping[str, Any], name: str, default: int) -> int:
    value = given.get(name, default)
    text = ",".join(map(str, value)) if isinstance(value, list) else value
    number = js_number(text)
    if not (number >= 1 and number.is_integer()):
        # Strapi's message for an invalid size does not contain the value.
        received = text if name == "page" and isinstance(text, str) else "undefined"
        raise PaginationError(f"Invalid '{name}' parameter. Expected an integer > 0, received: {received}")
    return int(min(number, MAX_SAFE_INTEGER))


def _check_sort(sort: Sort, definition: Definition, registry: Registry) -> None:
    """Raise InvalidParameter for a sort by an unknown attribute."""
    reached: Definition | None = definition
    for name in sort.names:
        if name == "id" and reached is not None:
            return
        attribute = None if reached is None else reached.attributes.get(name)
        if attribute is None:
            raise InvalidParameter(name, ("sort",))
        reached = None if isinstance(attribute, Scalar) else registry.target(attribute)


def _check_fields(query: Query, definition: Definition) -> None:
    """Raise InvalidParameter for fields that are not scalars."""
    for name in query.fields or ():
        if name != "id" and not isinstance(definition.attributes.get(name), Scalar):
            raise InvalidParameter(name, ("fields",))


def _first_names(asked: Filter | None) -> Iterator[str]:
    """Yield the entry's own attributes that a filter uses."""
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                yield from _first_names(item)
        case Not(item=item):
            yield from _first_names(item)
        case At(attribute=name):
            yield name
