"""`/actions/schedule` of an entry: scheduled publishing. Requires the permission to update the entry."""

from collections.abc import Iterator, Mapping
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.api.http.body import read_body
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response, render_json
from octavo.api.http.router import Route, Router
from octavo.api.rest.bodies import MISSING
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Guarded, Parameter, RestOperation
from octavo.content.controllers.scheduling import NAMES, ContentSchedules, read_times
from octavo.core.errors import ValidationError

PATH: Final = "/actions/schedule"
_LOCALE: Final = Parameter("locale", "The entry's locale; defaults to the default locale", {"type": "string"})


class ScheduleEndpoints:
    """The scheduling endpoints of one content type."""

    def __init__(self, entries: ContentEndpoints, schedules: ContentSchedules) -> None:
        self._entries = entries
        self._schedules = schedules

    async def read(self, request: Request, actor: Actor) -> Response:
        """GET: return the schedule."""
        entry_id = await self._entries.entry_id(request)
        return _data(await self._schedules.read(self._entries.content_type, entry_id, actor))

    async def set(self, request: Request, actor: Actor) -> Response:
        """PUT: set the given times. null removes a schedule."""
        body = await read_body(request, parse_form)
        data = body.value.get("data") if isinstance(body.value, Mapping) else None
        if not isinstance(data, Mapping):
            raise ValidationError(MISSING)
        times = read_times(data)
        entry_id = await self._entries.entry_id(request)
        return _data(await self._schedules.set(self._entries.content_type, entry_id, times, actor))

    async def cancel(self, request: Request, actor: Actor) -> Response:
        """DELETE: remove all schedules."""
        entry_id = await self._entries.entry_id(request)
        times = dict.fromkeys(NAMES.values())
        return _data(await self._schedules.set(self._entries.content_type, entry_id, times, actor))


def add_schedules(router: Router, prefix: str, schedules: ContentSchedules) -> Iterator[str]:
    """Add the scheduling routes, with the permissions of the update route, for types with drafts.

    If project code guards updates, it could reject them, so the type gets no routes. Yield those types.
    """
    there = {(route.method, route.template.lower()) for route in router.declared()}
    for route in router.declared():
        operation = route.operation
        if not isinstance(operation, RestOperation) or (route.method, operation.action) != (
            "PUT",
            f"{operation.uid}.update",
        ):
            continue
        content_type = schedules.registry.content_types.get(operation.uid)
        if content_type is None or not content_type.draft_and_publish:
            continue
        entries = _plain_endpoints(route)
        if entries is None:
            yield operation.uid
            continue
        assert isinstance(route.handler, Guarded), "its endpoints are known"
        has_locale = content_type.is_single and content_type.localized
        endpoints = ScheduleEndpoints(entries, schedules)
        for row in _operations(operation, content_type.display_name, has_locale=has_locale):
            if (row.method, f"{route.template}{PATH}".lower()) not in there:
                handler = Guarded(getattr(endpoints, row.handler), route.handler.admit)
                router.add(row.method, prefix + row.path, handler, row)


def _plain_endpoints(route: Route) -> ContentEndpoints | None:
    """Return the endpoints of a generated route without project code, or None."""
    if not isinstance(route.handler, Guarded):
        return None
    owner = getattr(route.handler.endpoint, "__self__", None)
    return owner if isinstance(owner, ContentEndpoints) else None


def _operations(update: RestOperation, name: str, *, has_locale: bool) -> Iterator[RestOperation]:
    for method, action, handler, summary in (
        ("GET", "findSchedule", "read", f"Get the schedule of an entry of {name}"),
        ("PUT", "updateSchedule", "set", f"Schedule publishing and unpublishing an entry of {name}"),
        ("DELETE", "deleteSchedule", "cancel", f"Delete the schedule of an entry of {name}"),
    ):
        yield RestOperation(
            method,
            update.path + PATH,
            handler,
            summary,
            action=f"{update.uid}.{action}",
            tag=update.tag,
            parameters=(_LOCALE,) if has_locale else (),
            body="Schedule" if method == "PUT" else None,
            answer="ScheduleState",
            refuses=(404,),
            access=update.admits,
        )


def _data(planned: Mapping[str, str | None]) -> Response:
    return render_json(200, {"data": planned})
