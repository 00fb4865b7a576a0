"""The content-type builder: read, create, change and delete definitions, with v4's responses and errors.

v4 has no previews of changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, get_args

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer, plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.builder import BuilderChange, BuilderStateAnswer, PreviewAnswer, PreviewForm
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ForbiddenError, Problem
from octavo.modeling.builder import plans
from octavo.modeling.builder.attribute_forms import RESERVED
from octavo.modeling.builder.forms import RESERVED_NAMES
from octavo.modeling.builder.problems import COMPONENT_NOT_FOUND, CONTENT_TYPE_NOT_FOUND, BuilderError, refused, said
from octavo.modeling.builder.service import DefinitionChanges
from octavo.modeling.builder.type_responses import show_component, show_content_type
from octavo.schema.definition_files import LARGEST_DEFINITION
from octavo.schema.parse import KINDS
from octavo.schema.registry import Registry

PREFIX: Final = "/content-type-builder"
Answer = Callable[[str, int], Response]
READ: Final = ("plugin::content-type-builder.read",)


def _row(method: str, path: str, handler: str, summary: str) -> AdminOperation:
    return AdminOperation(method, PREFIX + path, handler, summary, READ)


class BuilderEndpoints:
    """`/content-type-builder`. Changes are in effect when the response is sent."""

    operations = (
        _row("GET", "/reserved-names", "reserved_names", "List reserved names"),
        _row("GET", "/content-types", "content_types", "List content types"),
        _row("GET", "/content-types/:uid", "content_type", "Show a content type"),
        _row("POST", "/content-types", "create_content_type", "Create a content type"),
        _row("PUT", "/content-types/:uid", "update_content_type", "Update a content type"),
        _row("DELETE", "/content-types/:uid", "delete_content_type", "Delete a content type"),
        _row("GET", "/components", "components", "List components"),
        _row("GET", "/components/:uid", "component", "Show a component"),
        _row("POST", "/components", "create_component", "Create a component"),
        _row("PUT", "/components/:uid", "update_component", "Update a component"),
        _row("DELETE", "/components/:uid", "delete_component", "Delete a component"),
        _row("PUT", "/component-categories/:name", "rename_category", "Rename a category"),
        _row("DELETE", "/component-categories/:name", "delete_category", "Delete a category and its components"),
    )

    def __init__(self, registry: Registry, changes: DefinitionChanges) -> None:
        self._registry = registry
        self._changes = changes

    async def reserved_names(self, request: Request, actor: Actor) -> Response:
        """GET /content-type-builder/reserved-names"""
        return plain_answer({"models": [*RESERVED_NAMES], "attributes": [*RESERVED]})

    async def content_types(self, request: Request, actor: Actor) -> Response:
        """GET /content-type-builder/content-types: `?kind=` filters by kind."""
        kind = read_params(request).get("kind")
        if kind is not None and kind not in KINDS:
            says = "this must be one of the following values: singleType, collectionType"
            return error_answer(refused([Problem((), says)]))
        types = self._registry.content_types.values()
        return data_answer([show_content_type(item) for item in types if kind in (None, item.kind)])

    async def content_type(self, request: Request, actor: Actor) -> Response:
        """GET /content-type-builder/content-types/:uid"""
        content_type = self._registry.content_types.get(request.path_values["uid"])
        if content_type is None:
            return error_answer(said(CONTENT_TYPE_NOT_FOUND, 404))
        return data_answer(show_content_type(content_type))

    async def components(self, request: Request, actor: Actor) -> Response:
        """GET /content-type-builder/components"""
        return data_answer([show_component(item) for item in self._registry.components_backwards()])

    async def component(self, request: Request, actor: Actor) -> Response:
        """GET /content-type-builder/components/:uid"""
        component = self._registry.components.get(request.path_values["uid"])
        if component is None:
            return error_answer(said(COMPONENT_NOT_FOUND, 404))
        return data_answer(show_component(component))

    async def create_content_type(self, request: Request, actor: Actor) -> Response:
        """POST /content-type-builder/content-types"""
        return await self._change(actor, plans.create_content_type(await read_form(request)), status=201)

    async def update_content_type(self, request: Request, actor: Actor) -> Response:
        """PUT /content-type-builder/content-types/:uid"""
        uid = request.path_values["uid"]
        return await self._change(actor, plans.update_content_type(uid, await read_form(request)), status=201)

    async def delete_content_type(self, request: Request, actor: Actor) -> Response:
        """DELETE /content-type-builder/content-types/:uid"""
        return await self._change(actor, plans.delete_content_type(request.path_values["uid"]))

    async def create_component(self, request: Request, actor: Actor) -> Response:
        """POST /content-type-builder/components"""
        return await self._change(actor, plans.create_component(await read_form(request)), status=201)

    async def update_component(self, request: Request, actor: Actor) -> Response:
        """PUT /content-type-builder/components/:uid"""
        return await self._change(actor, plans.update_component(request.path_values["uid"], await read_form(request)))

    async def delete_component(self, request: Request, actor: Actor) -> Response:
        """DELETE /content-type-builder/components/:uid"""
        return await self._change(actor, plans.delete_component(request.path_values["uid"]))

    async def rename_category(self, request: Request, actor: Actor) -> Response:
        """PUT /content-type-builder/component-categories/:name"""
        return await self._change(
            actor, plans.rename_category(request.path_values["name"], await read_form(request)), _named_category
        )

    async def delete_category(self, request: Request, actor: Actor) -> Response:
        """DELETE /content-type-builder/component-categories/:name"""
        return await self._change(actor, plans.delete_category(request.path_values["name"]), _named_category)

    async def _change(
        self,
        actor: Actor,
        plan: plans.MakePlan,
        answer: Callable[[str, int], Response] | None = None,
        *,
        status: int = 200,
    ) -> Response:
        if not actor.ability.everything:
            raise ForbiddenError  # the route's permission only allows reading
        try:
            name = await self._changes.make(plan)
        except BuilderError as error:
            return error_answer(error)
        return (answer or _named_uid)(name, status)


async def read_form(request: Request) -> Any:
    """Read a JSON body, limited to the size of a definition. Raises PayloadTooLargeError."""
    await request.body(min(request.options.body.json, LARGEST_DEFINITION))
    return await request.json()


def _named_uid(uid: str, status: int) -> Response:
    return data_answer({"uid": uid}, status=status)


def _named_category(name: str, status: int) -> Response:
    return plain_answer({"name": name}, status)


def error_answer(error: BuilderError) -> Response:
    """Return the response for a rejected change."""
    return plain_answer(error.body, error.status)


PREVIEWS: Final = "/octavo/content-type-builder"
_OF_NEW: Final[Mapping[str, Callable[[Any], plans.MakePlan]]] = {
    "createContentType": plans.create_content_type,
    "createComponent": plans.create_component,
}
_BY_NAME: Final[Mapping[str, Callable[[str], plans.MakePlan]]] = {
    "deleteContentType": plans.delete_content_type,
    "deleteComponent": plans.delete_component,
    "deleteCategory": plans.delete_category,
}
_BY_NAME_AND_FORM: Final[Mapping[str, Callable[[str, Any], plans.MakePlan]]] = {
    "updateContentType": plans.update_content_type,
    "updateComponent": plans.update_component,
    "renameCategory": plans.rename_category,
}


class DefinitionPreviewEndpoints:
    """`/octavo/content-type-builder`"""

    operations = (
        AdminOperation(
            "GET", PREVIEWS, "state", "Report whether definitions can be changed", READ, answer=BuilderStateAnswer
        ),
        AdminOperation(
            "POST",
            f"{PREVIEWS}/preview",
            "preview",
            "Preview a change of definitions",
            READ,
            safe=True,
            answer=PreviewAnswer,
            body=PreviewForm,
        ),
    )

    def __init__(self, changes: DefinitionChanges) -> None:
        self._changes = changes

    async def state(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/content-type-builder"""
        reason = None if actor.ability.everything else "rights"
        if self._changes.change is None:
            reason = "production"
        return data_answer({"isChangeable": reason is None, "reason": reason})

    async def preview(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/content-type-builder/preview: requires the permission to make the change."""
        if not actor.ability.everything:
            raise ForbiddenError
        try:
            preview = await self._changes.preview(_plan(await read_form(request)))
        except BuilderError as error:
            return error_answer(error)
        return data_answer(asdict(preview))


def _plan(body: Any) -> plans.MakePlan:
    """Parse the plan of a change. Raises BuilderError."""
    asked = body if isinstance(body, Mapping) else {}
    name, form = asked.get("name"), asked.get("form")
    change = str(asked.get("change"))
    if change not in get_args(BuilderChange):
        raise refused([Problem(("change",), f"must be one of {', '.join(get_args(BuilderChange))}")])
    if change in _OF_NEW:
        return _OF_NEW[change](form)
    if not isinstance(name, str):
        raise refused([Problem(("name",), "must be a UID, or the name of a category")])
    return _BY_NAME[change](name) if change in _BY_NAME else _BY_NAME_AND_FORM[change](name, form)
