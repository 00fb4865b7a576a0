"""`/content-type-builder`: definitions, for API tokens with full access or with the granted action.

Site generators request them to know the types. The responses are the reference's.
"""

from typing import Any

import orjson

from octavo.access.authorization.actor import Actor
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import Problem, UnknownDefinition, ValidationError
from octavo.modeling.builder.type_responses import show_component, show_content_type
from octavo.schema.parse import KINDS
from octavo.schema.registry import Registry


class DefinitionEndpoints:
    """`content-types` and `components`: lists, and one by its UID."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def content_types(self, request: Request, actor: Actor) -> Response:
        """GET /api/content-type-builder/content-types: `?kind=` filters by kind."""
        kind = _read_kind(read_params(request).get("kind"))
        types = [show_content_type(item) for item in self._registry.content_types.values() if kind in (None, item.kind)]
        return _data(types)

    async def content_type(self, request: Request, actor: Actor) -> Response:
        """GET /api/content-type-builder/content-types/:uid"""
        content_type = self._registry.content_types.get(request.path_values["uid"])
        if content_type is None:
            raise UnknownDefinition("contentType")
        return _data(show_content_type(content_type))

    async def components(self, request: Request, actor: Actor) -> Response:
        """GET /api/content-type-builder/components"""
        return _data([show_component(item) for item in self._registry.components_backwards()])

    async def component(self, request: Request, actor: Actor) -> Response:
        """GET /api/content-type-builder/components/:uid"""
        component = self._registry.components.get(request.path_values["uid"])
        if component is None:
            raise UnknownDefinition("component")
        return _data(show_component(component))


def _read_kind(given: Any) -> str | None:
    if given is None or (isinstance(given, str) and given in KINDS):
        return given
    message = "this must be one of the following values: singleType, collectionType"
    raise ValidationError.from_problems([Problem(("kind",), message)])


def _data(value: Any) -> Response:
    return Response(200, orjson.dumps({"data": value}, default=dict))
