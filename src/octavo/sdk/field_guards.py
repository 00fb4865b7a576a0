"""RestGuard: policies and scopes of a REST route, applied to the GraphQL root fields of the same action.

A policy gets the arguments of the field in the form of a REST request, and can change them in the same way.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.actor import check
from octavo.api.graphql.customization.field_guard import FieldCall
from octavo.api.http.body import Body
from octavo.api.http.request import Request as RawRequest
from octavo.api.rest.operations import RestOperation
from octavo.content.controllers.context import PolicyContext, run_policies
from octavo.core.errors import ClosedError
from octavo.core.values import dataclass
from octavo.project.named_handlers import Used
from octavo.sdk.app import App
from octavo.sdk.request_pipeline import RequestArguments
from octavo.sdk.requests import Request
from octavo.sdk.rest_forms import RestForm, Untranslatable, field_arguments, rest_form

logger = logging.getLogger("octavo.code")

_NAME: Final = re.compile(r":([A-Za-z_]\w*)")


class FieldRequest(Request):
    """A call of a root field in the form of a REST request for the same action.

    Headers, cookies and the client's address are those of the GraphQL request.
    """

    __slots__ = ("_form", "_operation", "_prefix")

    def __init__(self, call: FieldCall, operation: RestOperation, form: RestForm, app: App, prefix: str) -> None:
        assert isinstance(call.request, RawRequest), "operations come by HTTP"
        self.raw = call.request  # its overlay still belongs to the outer middlewares
        self.app = app
        self.state, self.clock = call.context.state, call.clock
        self.route = operation.name
        self._actor, self._user = call.context.actor, None
        self._params, self._query, self._as_sent = form.params, form.query, b""
        self._form, self._operation, self._prefix = form, operation, prefix

    async def form(self) -> Body:
        """Return the body, with the files passed in variables."""
        return Body(self._form.body, self._form.files)

    def set_json(self, value: Any) -> None:
        """Replace the body."""
        self._form.body = value

    @property
    def action(self) -> str:
        """The action, such as `api::talk.talk.update`."""
        return self._operation.action

    @property
    def method(self) -> str:
        """The REST method of the action."""
        return self._operation.method

    @property
    def path(self) -> str:
        """The REST path of the action."""
        return self._prefix + _NAME.sub(lambda name: str(self.params.get(name[1], name[0])), self._operation.path)

    def left(self) -> RestForm:
        """Return the form after changes by code."""
        return RestForm(self.params, self.query, self._form.body, self._form.files)


@dataclass(frozen=True, slots=True)
class RestGuard:
    """The policies of a REST route, and the actions that it needs besides its own (`scopes`)."""

    operation: RestOperation
    policies: tuple[Used, ...]
    scopes: tuple[str, ...]
    app: App
    prefix: str

    @property
    def action(self) -> str:
        """The action of the route."""
        return self.operation.action

    async def __call__(self, call: FieldCall) -> dict[str, Any]:
        """Return the arguments after the policies. Raises ForbiddenError, PolicyError and errors of policies."""
        check(call.context.actor, *self.scopes)
        if not self.policies:
            return dict(call.arguments)
        before = rest_form(self.operation, call.arguments)
        request = FieldRequest(call, self.operation, rest_form(self.operation, call.arguments), self.app, self.prefix)
        await run_policies(self.policies, _context(call, request))
        try:
            return field_arguments(self.operation, call.arguments, call.names, before, request.left())
        except Untranslatable as error:
            field, places = ".".join(call.field), ", ".join(one.function.place for one in self.policies)
            message = "Closed: %s: a policy of %s (%s) changes a parameter that the field has no argument for: %s"
            logger.error(message, field, self.operation.name, places, error)
            raise ClosedError from error


def _context(call: FieldCall, request: FieldRequest) -> PolicyContext:
    arguments: Mapping[str, Any] = RequestArguments(request)
    return PolicyContext(
        "graphql",
        request.app,
        request.actor,
        request.state,
        arguments,
        params=request.params,
        request=request,
        context=call.context,
        info=call.info,
    )
