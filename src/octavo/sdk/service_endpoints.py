"""The core actions of a content-type whose service a project has changed: they ask that service, as v4's do."""

from functools import partial
from typing import Any, Final

from octavo.access.authorization.ability import CREATE, PUBLISH, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.unconditional import unconditional
from octavo.api.http.request import Request as RawRequest
from octavo.api.http.response import Response as RawResponse
from octavo.api.rest.bodies import read_write
from octavo.api.rest.endpoints import read_id
from octavo.api.rest.operations import Endpoint, Operation
from octavo.core.errors import ForbiddenError, LoggedError, NotFoundError
from octavo.project.execution import Runner
from octavo.project.functions import taken
from octavo.project.results import EntryPage
from octavo.query.params import PageLimits
from octavo.sdk.app import App
from octavo.sdk.content_rules import ContentRules
from octavo.sdk.json_values import NotJson, render_value
from octavo.sdk.requests import Request
from octavo.sdk.services import Service, ServiceTable

DELETE: Final = "delete"


class ServiceEndpoints:
    """Asks a service. The methods are named as those of `ContentEndpoints` are."""

    def __init__(self, service: Service, rules: ContentRules, runner: Runner) -> None:
        self._service = service
        self._rules = rules
        self._runner = runner

    async def find(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """A page of entries."""
        request, query = self._asked(raw)
        found = await self._call(request, self._service.find, query)
        if isinstance(found, list):  # the first page of all there is
            found = EntryPage(found, len(found), page_size=len(found) or 1)
        shown = await self._rules.sanitize_output(found, request)
        return self._rendered(request, await self._rules.page(shown, request))

    async def find_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """The entry of a single type."""
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.find, query))

    async def find_one(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """An entry."""
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.find_one, read_id(raw), query))

    async def create(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """A new entry."""
        self._check(actor, CREATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(request, await self._call(request, self._service.create, data, query, **files))

    async def update(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """A changed entry."""
        self._check(actor, UPDATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(
            request, await self._call(request, self._service.update, read_id(raw), data, query, **files)
        )

    async def delete(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """An entry less."""
        self._check(actor, DELETE)
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.delete, read_id(raw), query))

    async def update_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """The entry of a single type, changed or made."""
        self._check(actor, CREATE, UPDATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(
            request, await self._call(request, self._service.create_or_update, data, query, **files)
        )

    async def delete_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """A single type's entry less."""
        self._check(actor, DELETE)
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.delete, query))

    def _asked(self, raw: RawRequest) -> tuple[Request, dict[str, Any]]:
        request = Request.of(raw, self._service.app)
        self._rules.validate_query(request)
        return request, self._rules.sanitize_query(request)

    async def _written(self, request: Request) -> tuple[Any, dict[str, Any]]:
        """What the body holds, less what the actor may not write; files, where there are any."""
        write = await read_write(request.raw)
        data = self._rules.sanitize_input(write.data, request)
        return data, {"files": write.files} if write.files else {}

    async def _call(self, request: Request, method: Any, *given: Any, **named: Any) -> Any:
        """What the service answers to as many arguments as it takes, within the time of the project's code."""
        call = partial(method, *given[: taken(method, len(given))], **named)
        return await self._runner.run(self._service.uid, request.raw, request.clock, call)

    async def _shown(self, request: Request, entry: Any) -> RawResponse:
        shown = None if entry is None else await self._rules.sanitize_output(entry, request)
        if shown is None:
            raise NotFoundError
        metas = await self._rules.metas(shown, request)
        return self._rendered(request, self._rules.transform(shown, metas=metas))

    def _rendered(self, request: Request, value: Any) -> RawResponse:
        """Return the answer. Raises LoggedError for values that JSON cannot hold."""
        try:
            return render_value(200, value)
        except NotJson as error:
            self._runner.log(error, self._service.uid, request.raw)
            raise LoggedError from error

    def _check(self, actor: Actor, *actions: str) -> None:
        """Raise ForbiddenError for who may take an action on some entries only: services know no conditions."""
        uid, ability = self._rules.content_type.uid, actor.ability
        published = (PUBLISH,) if self._rules.content_type.draft_and_publish and DELETE not in actions else ()
        asked = unconditional(ability)
        if ability.limits_fields and not all(asked.may(action, uid) for action in (*actions, *published)):
            raise ForbiddenError


_METHODS: Final = {
    "find": "find",
    "find_single": "find",
    "find_one": "find_one",
    "create": "create",
    "update": "update",
    "delete": "delete",
    "update_single": "create_or_update",
    "delete_single": "delete",
}
"""By what handles a row: the method of the service that is asked."""


class ServiceActions:
    """Finds the rows that services do which the project has changed."""

    def __init__(self, services: ServiceTable, app: App, runner: Runner, limits: PageLimits) -> None:
        self._services = services
        self._app = app
        self._runner = runner
        self._limits = limits

    def find(self, operation: Operation) -> Endpoint | None:
        """What does a row; None where no service of the project's has to be asked."""
        uid = operation.controller
        content_type = self._app.registry.content_types.get(uid)
        if content_type is None or _METHODS.get(operation.handler) not in self._services.overridden(uid):
            return None
        rules = ContentRules(self._app.controller, content_type, self._limits)
        endpoints = ServiceEndpoints(self._services.find(self._app, uid), rules, self._runner)
        found: Endpoint = getattr(endpoints, operation.handler)
        return found
