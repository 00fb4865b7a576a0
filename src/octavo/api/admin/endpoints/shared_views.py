"""Shared views: lists of a content type that administrators share with roles. v4 has no such endpoint."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.actor import Actor, check
from octavo.accounts.administrators.shared_views import (
    LONGEST_NAME,
    LONGEST_SEARCH,
    MOST_ROLES,
    SharedView,
    SharedViews,
    ViewForm,
    owns,
)
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.endpoints.entries import read_id
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import SharedViewForm, SharedViewsAnswer
from octavo.api.http.query_string import parse_query_string
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import Problem, ValidationError
from octavo.core.forms import DEFINED, INTEGER, REQUIRED, TRIMMED, Items, Number, Record, Text, at_least, at_most
from octavo.core.forms import check as check_form
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

PATH: Final = "/octavo/shared-views/:uid"
_PARAMETERS: Final = ("_q", "filters", "pageSize", "plugins", "sort")
"""The parameters of a list's URL that a view can have."""
_ROLE: Final = Number(INTEGER, at_least(1), REQUIRED)
_FORM: Final = Record(
    {
        "name": Text(REQUIRED, TRIMMED, at_most(LONGEST_NAME)),
        "search": Text(DEFINED, at_most(LONGEST_SEARCH)),
        "roles": Items(_ROLE, DEFINED, at_least(1), at_most(MOST_ROLES), nullable=True),
    },
    closed=True,
)


class SharedViewEndpoints:
    """`/octavo/shared-views/:uid`.

    Reading requires the permission to read entries, sharing the permission to configure the type's views.
    """

    operations = (
        AdminOperation("GET", PATH, "list", "List shared views of a content type", answer=SharedViewsAnswer),
        AdminOperation("POST", PATH, "create", "Share a view", body=SharedViewForm, answer=SharedViewsAnswer),
        AdminOperation(
            "PUT", f"{PATH}/:id", "update", "Update a shared view", body=SharedViewForm, answer=SharedViewsAnswer
        ),
        AdminOperation("DELETE", f"{PATH}/:id", "delete", "Delete a shared view", answer=SharedViewsAnswer),
    )

    def __init__(self, registry: Registry, views: SharedViews) -> None:
        self._registry = registry
        self._views = views

    async def list(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/shared-views/:uid: the views that are shared with the administrator."""
        return await self._answer(self._content_type(request, actor), actor)

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/shared-views/:uid: `roles` are ids, or `null` for everyone."""
        content_type = self._shared_type(request, actor)
        await self._views.create(content_type, read_form(await request.json()), actor)
        return await self._answer(content_type, actor)

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/shared-views/:uid/:id: allowed for its author and super admins."""
        content_type = self._shared_type(request, actor)
        await self._views.update(content_type, read_id(request), read_form(await request.json()), actor)
        return await self._answer(content_type, actor)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /octavo/shared-views/:uid/:id: allowed for its author and super admins."""
        content_type = self._shared_type(request, actor)
        await self._views.delete(content_type, read_id(request), actor)
        return await self._answer(content_type, actor)

    async def _answer(self, content_type: ContentType, actor: Actor) -> Response:
        views = await self._views.visible(content_type, actor)
        may_share = actor.may(_sharing(content_type))
        roles = await self._views.roles(actor) if may_share else []
        return plain_answer(
            {
                "data": [_shown(view, may_change=may_share and owns(view, actor)) for view in views],
                "roles": [{"id": role, "name": name} for role, name in roles],
            }
        )

    def _content_type(self, request: Request, actor: Actor) -> ContentType:
        return managed_type(self._registry, request.path_values["uid"], actor)

    def _shared_type(self, request: Request, actor: Actor) -> ContentType:
        content_type = self._content_type(request, actor)
        check(actor, _sharing(content_type))
        return content_type


def _sharing(content_type: ContentType) -> str:
    kind = "single" if content_type.is_single else "collection"
    return f"plugin::content-manager.{kind}-types.configure-view"


def read_form(body: Any) -> ViewForm:
    """Return the view in a body. Raises ValidationError."""
    check_form(_FORM, body)
    search = body["search"]
    if search and not search.startswith("?"):
        raise ValidationError.from_problems([Problem(("search",), "search must be empty or start with ?")])
    unknown = [name for name in parse_query_string(search[1:]) if name not in _PARAMETERS]
    if unknown:
        text = f"search: unknown parameter {unknown[0]}. Views can have {', '.join(_PARAMETERS)}"
        raise ValidationError.from_problems([Problem(("search",), text)])
    roles = None if body["roles"] is None else tuple(dict.fromkeys(int(role) for role in body["roles"]))
    return ViewForm(body["name"], search, roles)


def _shown(view: SharedView, *, may_change: bool) -> Mapping[str, Any]:
    return {
        "id": view.id,
        "name": view.name,
        "search": view.search,
        "roles": None if view.roles is None else [*view.roles] if may_change else [],
        "author": view.author,
        "mayChange": may_change,
    }
