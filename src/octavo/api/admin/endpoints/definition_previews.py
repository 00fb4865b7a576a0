"""Content-type builder endpoints that v4 does not have: whether changes are allowed, and previews of changes."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, get_args

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.endpoints.definitions import READ, error_answer, read_form
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.builder import BuilderChange, BuilderStateAnswer, PreviewAnswer, PreviewForm
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ForbiddenError, Problem
from octavo.modeling.builder import plans
from octavo.modeling.builder.problems import BuilderError, refused
from octavo.modeling.builder.service import DefinitionChanges

PREFIX: Final = "/octavo/content-type-builder"
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
            "GET", PREFIX, "state", "Report whether definitions can be changed", READ, answers=BuilderStateAnswer
        ),
        AdminOperation(
            "POST",
            f"{PREFIX}/preview",
            "preview",
            "Preview a change of definitions",
            READ,
            asks=True,
            answers=PreviewAnswer,
            takes=PreviewForm,
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
            found = await self._changes.preview(_plan(await read_form(request)))
        except BuilderError as error:
            return error_answer(error)
        return data_answer(asdict(found))


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
