"""The core actions of a content type whose service is customized: they call that service, as in v4."""

from functools import partial
from typing import Any, Final

from octavo.access.authorization.ability import CREATE, PUBLISH, UPDATE, unconditional
from octavo.access.authorization.actor import Actor
from octavo.api.http.operations import Endpoint
from octavo.api.http.request import Request as RawRequest
from octavo.api.http.response import Response as RawResponse
from octavo.api.rest.bodies import read_write
from octavo.api.rest.endpoints import read_id
from octavo.api.rest.operations import RestOperation
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
    """Calls a service. The methods have the names of those in `ContentEndpoints`."""

    def __init__(self, service: Service, rules: ContentRules, runner: Runner) -> None:
        self._service = service
        self._rules = rules
        self._runner = runner

    async def find(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Return a page of entries."""
        request, query = self._asked(raw)
        entries = await self._call(request, self._service.find, query)
        if isinstance(entries, list):  # all entries, as a single page
            entries = EntryPage(entries, len(entries), page_size=len(entries) or 1)
        shown = await self._rules.sanitize_output(entries, request)
        return self._rendered(request, await self._rules.page(shown, request))

    async def find_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Return the entry of a single type."""
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.find, query))

    async def find_one(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Return an entry."""
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.find_one, read_id(raw), query))

    async def create(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Create an entry."""
        self._check(actor, CREATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(request, await self._call(request, self._service.create, data, query, **files))

    async def update(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Update an entry."""
        self._check(actor, UPDATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(
            request, await self._call(request, self._service.update, read_id(raw), data, query, **files)
        )

    async def delete(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Delete an entry."""
        self._check(actor, DELETE)
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.delete, read_id(raw), query))

    async def update_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Create or update the entry of a single type."""
        self._check(actor, CREATE, UPDATE)
        request, query = self._asked(raw)
        data, files = await self._written(request)
        return await self._shown(
            request, await self._call(request, self._service.create_or_update, data, query, **files)
        )

    async def delete_single(self, raw: RawRequest, actor: Actor) -> RawResponse:
        """Delete the entry of a single type."""
        self._check(actor, DELETE)
        request, query = self._asked(raw)
        return await self._shown(request, await self._call(request, self._service.delete, query))

    def _asked(self, raw: RawRequest) -> tuple[Request, dict[str, Any]]:
        request = Request.of(raw, self._service.app)
        self._rules.validate_query(request)
        return request, self._rules.sanitize_query(request)

    async def _written(self, request: Request) -> tuple[Any, dict[str, Any]]:
        """Return the data of the body without what the caller is not allowed to write, and files, if there are any."""
        write = await read_write(request.raw)
        data = self._rules.sanitize_input(write.data, request)
        return data, {"files": write.files} if write.files else {}

    async def _call(self, request: Request, method: Any, *given: Any, **named: Any) -> Any:
        """Call the service with as many arguments as it accepts, within the time limit of project code."""
        call = partial(method, *given[: taken(method, len(given))], **named)
        return await self._runner.run(self._service.uid, request.raw, request.clock, call)

    async def _shown(self, request: Request, entry: Any) -> RawResponse:
        shown = None if entry is None else await self._rules.sanitize_output(entry, request)
        if shown is None:
            raise NotFoundError
        metas = await self._rules.metas(shown, request)
        return self._rendered(request, self._rules.transform(shown, metas=metas))

    def _rendered(self, request: Request, value: Any) -> RawResponse:
        """Return the response. Raises LoggedError for values that are not JSON."""
        try:
            return render_value(200, value)
        except NotJson as error:
            self._runner.log(error, self._service.uid, request.raw)
            raise LoggedError from error

    def _check(self, actor: Actor, *actions: str) -> None:
        """Raise ForbiddenError for callers whose permission is limited to some entries: services ignore conditions."""
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
"""The service method for each handler."""


class ServiceActions:
    """Finds the operations that customized services handle."""

    def __init__(self, services: ServiceTable, app: App, runner: Runner, limits: PageLimits) -> None:
        self._services = services
        self._app = app
        self._runner = runner
        self._limits = limits

    def find(self, operation: RestOperation) -> Endpoint | None:
        """Return the endpoint of an operation; None if no customized service handles it."""
        uid = operation.controller
        content_type = self._app.registry.content_types.get(uid)
        if content_type is None or _METHODS.get(operation.handler) not in self._services.overridden(uid):
            return None
        rules = ContentRules(self._app.controller, content_type, self._limits)
        endpoints = ServiceEndpoints(self._services.find(self._app, uid), rules, self._runner)
        endpoint: Endpoint = getattr(endpoints, operation.handler)
        return endpoint
