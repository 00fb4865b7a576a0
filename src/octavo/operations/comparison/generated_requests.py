"""Generate read requests over the content model: lists, entries, populates, sorts, filters, and GraphQL queries."""

from collections.abc import Iterator
from typing import Final

import orjson

from octavo.api.graphql.schema.names import is_name, plural_field
from octavo.operations.comparison.requests import ComparedRequest
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_SOURCE: Final = "content model"
_UNSORTABLE: Final = frozenset({"json", "password", "blocks"})


def generate_requests(registry: Registry, *, prefix: str = "/api", graphql: str = "") -> Iterator[ComparedRequest]:
    """Yield requests for all content types with REST routes. `graphql` is the endpoint's path, or empty."""
    for content_type in registry.content_types.values():
        if not content_type.is_api:
            continue
        name = content_type.singular_name if content_type.is_single else content_type.plural_name
        queries = _single_queries(content_type) if content_type.is_single else _collection_queries(content_type)
        for query in queries:
            yield ComparedRequest("GET", f"{prefix}/{name}{query}", source=_SOURCE)
        if graphql and not content_type.is_single:
            yield _graphql_request(content_type, graphql)


def private_names(registry: Registry) -> frozenset[str]:
    """Return the names of private attributes and passwords, and of the creators of entries."""
    definitions = registry.definitions()
    names = {name for one in definitions for name, attribute in one.attributes.items() if attribute.private}
    passwords = {name for one in registry.definitions() for name in one.passwords}
    return frozenset({*names, *passwords, "createdBy", "updatedBy"})


def _single_queries(content_type: ContentType) -> Iterator[str]:
    yield ""
    yield "?populate=*"
    yield from (f"?populate[0]={name}" for name in _linked(content_type))
    yield from _versions(content_type)


def _collection_queries(content_type: ContentType) -> Iterator[str]:
    yield "?sort=id"
    yield "?populate=*&sort=id"
    yield "?sort=id:desc&pagination[pageSize]=5&pagination[page]=2"
    yield "?sort=id&pagination[start]=1&pagination[limit]=3&pagination[withCount]=false"
    yield "?filters[id][$in][0]=1&filters[id][$in][1]=2&sort=id"
    yield "/1?populate=*"
    yield "/999999999"
    for scalar in _scalars(content_type):
        yield f"?fields[0]={scalar.name}&sort=id"
        yield f"?filters[{scalar.name}][$notNull]=true&sort=id&pagination[pageSize]=3"
        if scalar.type not in _UNSORTABLE:
            yield f"?sort[0]={scalar.name}:desc&sort[1]=id&pagination[pageSize]=10"
    yield from (f"?populate[0]={name}&sort=id" for name in _linked(content_type))
    yield from (f"{query}&sort=id" for query in _versions(content_type))


def _versions(content_type: ContentType) -> Iterator[str]:
    if content_type.draft_and_publish:
        yield "?publicationState=preview"
    if content_type.localized:
        yield "?locale=all"


def _scalars(content_type: ContentType) -> Iterator[Scalar]:
    for attribute in content_type.attributes.values():
        if isinstance(attribute, Scalar) and attribute.type != "password" and _is_readable(attribute):
            yield attribute


def _linked(content_type: ContentType) -> Iterator[str]:
    for name, attribute in content_type.attributes.items():
        if isinstance(attribute, Relation | Media | ComponentField | DynamicZone) and _is_readable(attribute):
            yield name


def _is_readable(attribute: AnyAttribute) -> bool:
    return attribute.writable and attribute.visible and not attribute.private


def _graphql_request(content_type: ContentType, path: str) -> ComparedRequest:
    names = " ".join(scalar.name for scalar in _scalars(content_type) if is_name(scalar.name))
    fields = f"id attributes {{ {names} }}" if names else "id"
    query = (
        f'{{ {plural_field(content_type)}(sort: "id", pagination: {{ limit: 10 }}) '
        f"{{ data {{ {fields} }} meta {{ pagination {{ total }} }} }} }}"
    )
    return ComparedRequest("POST", path, orjson.dumps({"query": query}).decode(), "application/json", _SOURCE)
