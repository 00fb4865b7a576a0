"""Content manager endpoints for definitions and the configuration of their views."""

from typing import Any, Final

from octavo.access.authorization.actor import Actor, check
from octavo.api.admin.answers import data_answer, plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import ComponentViewsAnswer, DefinitionsAnswer, ViewChanges, ViewsAnswer
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.configurations import Configurations
from octavo.content.manager.layouts import FIELD_SIZES
from octavo.content.manager.type_schemas import serialize_components, serialize_content_types
from octavo.content.manager.uid_generation import Uids
from octavo.core.errors import NotFoundError, Problem, ValidationError
from octavo.core.forms import REQUIRED, Record, Text, matches
from octavo.core.forms import check as check_form
from octavo.schema.content_types import Component, ContentType

PREFIX: Final = "/content-manager"
CONFIGURE_COMPONENTS: Final = "plugin::content-manager.components.configure-layout"
_KINDS: Final = ("singleType", "collectionType")
_GENERATE: Final = Record({"contentTypeUID": Text(REQUIRED), "field": Text(REQUIRED), "data": Record({}, REQUIRED)})
_CHECK: Final = Record(
    {
        "contentTypeUID": Text(REQUIRED),
        "field": Text(REQUIRED),
        "value": Text(REQUIRED, matches("^[A-Za-z0-9-_.~]*$")),
    }
)


class StructureEndpoints:
    """`/content-manager`: `init`, `content-types`, `components`, `content-types-settings`, `uid`."""

    operations = (
        AdminOperation(
            "GET", f"{PREFIX}/init", "init", "Show all definitions and field sizes", answer=DefinitionsAnswer
        ),
        AdminOperation("GET", f"{PREFIX}/content-types", "content_types", "Show content types"),
        AdminOperation(
            "GET", f"{PREFIX}/content-types-settings", "settings", "Show the view settings of all content types"
        ),
        AdminOperation(
            "GET",
            f"{PREFIX}/content-types/:uid/configuration",
            "content_type",
            "Show a content type's view settings",
            answer=ViewsAnswer,
        ),
        AdminOperation(
            "PUT",
            f"{PREFIX}/content-types/:uid/configuration",
            "change_content_type",
            "Update a content type's view settings",
            body=ViewChanges,
        ),
        AdminOperation("GET", f"{PREFIX}/components", "components", "Show components"),
        AdminOperation(
            "GET",
            f"{PREFIX}/components/:uid/configuration",
            "component",
            "Show a component's view settings",
            answer=ComponentViewsAnswer,
        ),
        AdminOperation(
            "PUT",
            f"{PREFIX}/components/:uid/configuration",
            "change_component",
            "Update a component's view settings",
            body=ViewChanges,
        ),
        AdminOperation("POST", f"{PREFIX}/uid/generate", "generate", "Generate an available UID", safe=True),
        AdminOperation(
            "POST",
            f"{PREFIX}/uid/check-availability",
            "check_availability",
            "Check whether a UID is available",
            safe=True,
        ),
    )

    def __init__(self, configurations: Configurations, uids: Uids) -> None:
        self._configurations = configurations
        self._registry = configurations.registry
        self._uids = uids

    async def init(self, _: Request, actor: Actor) -> Response:
        """GET /content-manager/init"""
        definitions = {
            "components": serialize_components(self._registry),
            "contentTypes": serialize_content_types(self._registry),
        }
        return data_answer({"fieldSizes": FIELD_SIZES, **definitions})

    async def content_types(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/content-types: `?kind=` filters by kind."""
        kind = read_params(request).get("kind")
        if kind is not None and kind not in _KINDS:
            message = f"this must be one of the following values: {', '.join(_KINDS)}"
            error = ValidationError.from_problems([Problem((), message)])
            # This error has another format than all others, as in v4.
            content = {"name": error.name, "details": error.details, "message": error.message}
            return plain_answer({"error": content}, error.status)
        return data_answer(serialize_content_types(self._registry, kind))

    async def components(self, _: Request, actor: Actor) -> Response:
        """GET /content-manager/components"""
        return data_answer(serialize_components(self._registry))

    async def settings(self, _: Request, actor: Actor) -> Response:
        """GET /content-manager/content-types-settings"""
        return data_answer(await self._configurations.settings())

    async def content_type(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/content-types/:uid/configuration"""
        return data_answer(await self._configuration(self._content_type(request)))

    async def change_content_type(self, request: Request, actor: Actor) -> Response:
        """PUT /content-manager/content-types/:uid/configuration"""
        content_type = self._content_type(request)
        kind = "single" if content_type.is_single else "collection"
        check(actor, f"plugin::content-manager.{kind}-types.configure-view")
        await self._configurations.change(content_type, await request.json())
        return data_answer(await self._configuration(content_type))

    async def component(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/components/:uid/configuration"""
        component = self._component(request)
        view = {"component": await self._configurations.serialize(component)}
        return data_answer({**view, "components": await self._configurations.serialize_components(component)})

    async def change_component(self, request: Request, actor: Actor) -> Response:
        """PUT /content-manager/components/:uid/configuration"""
        component = self._component(request)
        check(actor, CONFIGURE_COMPONENTS)
        await self._configurations.change(component, await request.json())
        return data_answer(await self._configurations.serialize(component))

    async def generate(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/uid/generate"""
        body = await request.json()
        check_form(_GENERATE, body)
        uid, field, data = body["contentTypeUID"], body["field"], body["data"]
        return data_answer(await self._uids.generate(uid, field, data, actor.ability))

    async def check_availability(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/uid/check-availability"""
        body = await request.json()
        check_form(_CHECK, body)
        uid, field, value = body["contentTypeUID"], body["field"], body["value"]
        suggestion = await self._uids.suggest(uid, field, value, actor.ability)
        return plain_answer({"isAvailable": suggestion is None, "suggestion": suggestion})

    async def _configuration(self, content_type: ContentType) -> dict[str, Any]:
        view = {"contentType": await self._configurations.serialize(content_type)}
        return {**view, "components": await self._configurations.serialize_components(content_type)}

    def _content_type(self, request: Request) -> ContentType:
        content_type = self._registry.content_types.get(request.path_values["uid"])
        if content_type is None:
            raise NotFoundError("contentType.notFound")
        return content_type

    def _component(self, request: Request) -> Component:
        component = self._registry.components.get(request.path_values["uid"])
        if component is None:
            raise NotFoundError("component.notFound")
        return component
