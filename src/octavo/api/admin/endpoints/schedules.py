"""Endpoints for scheduled publishing and unpublishing of entries."""

from typing import Final

from octavo.access.authorization.ability import PUBLISH, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.endpoints.entries import read_id
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import Plans, PlansAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.controllers.scheduling import ContentSchedules, read_times
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import ValidationError

PATH: Final = "/octavo/schedules/:uid/:id"


class ScheduleEndpoints:
    """`/octavo/schedules/:uid/:id`.

    Reading requires the permission to update the entry, changing the permission to publish it. The project's hooks run
    at the scheduled time, as for every publication.
    """

    operations = (
        AdminOperation("GET", PATH, "show", "Show an entry's schedule", answer=PlansAnswer),
        AdminOperation("PUT", PATH, "set", "Schedule an entry", body=Plans, answer=PlansAnswer),
    )

    def __init__(self, schedules: ContentSchedules) -> None:
        self._schedules = schedules

    async def show(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/schedules/:uid/:id"""
        content_type = managed_type(self._schedules.registry, request.path_values["uid"], actor, UPDATE)
        return data_answer(await self._schedules.read(content_type, read_id(request), actor))

    async def set(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/schedules/:uid/:id: sets the given times. null removes a schedule."""
        content_type = managed_type(self._schedules.registry, request.path_values["uid"], actor, PUBLISH)
        body = await request.json()
        if not isinstance(body, dict):
            raise ValidationError("expected an object with publishAt, unpublishAt or both")
        return data_answer(await self._schedules.set(content_type, read_id(request), read_times(body), actor))
